"""Tests of many machines in one process."""
