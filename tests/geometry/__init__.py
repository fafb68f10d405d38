"""Tests of impulse_core.geometry."""
