# SPDX-License-Identifier: GPL-3.0-or-later
"""What the add-on stores in a .blend."""
