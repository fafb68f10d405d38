# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation from pressing the button to the last key."""
