"""Tests of the add-on in a real Blender (bpy)."""
