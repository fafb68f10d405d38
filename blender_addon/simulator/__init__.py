# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a child process."""
