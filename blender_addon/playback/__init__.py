# SPDX-License-Identifier: GPL-3.0-or-later
"""From recordings to keyframes and back."""
