# SPDX-License-Identifier: GPL-3.0-or-later
"""From a scene file to tagged objects: what ``export`` does, the other way."""
