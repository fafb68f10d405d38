"""Functions of time that kernels evaluate: constants, sampled curves and expressions."""

from impulse_core.signals.signals import Signals, signal_value, signal_value_inside

__all__ = ["Signals", "signal_value", "signal_value_inside"]
