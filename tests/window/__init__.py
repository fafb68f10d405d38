"""Tests in a real Blender with a window: make test-window BLENDER=/path/to/blender."""
