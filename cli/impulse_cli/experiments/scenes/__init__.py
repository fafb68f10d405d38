"""Scenes of the experiments, as functions, so that an installed program needs no files.

sample_scenes/generate.py writes the samples of the same names from them.
"""
