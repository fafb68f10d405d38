# SPDX-License-Identifier: GPL-3.0-or-later
"""From tagged objects to a scene of the file format."""
