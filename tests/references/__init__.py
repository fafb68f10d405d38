"""Analytic solutions that the simulator is compared with, each with its own test."""
