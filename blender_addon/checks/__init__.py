# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what is wrong: how it is shown, kept up to date and mended."""
