# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines to begin with, each built by a plain function."""
