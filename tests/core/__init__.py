"""Tests of the numerical core, part by part."""
