"""Scenes of the experiments that are made in any size, as functions.

sample_scenes/generate.py writes the samples of the same names from them.
"""
