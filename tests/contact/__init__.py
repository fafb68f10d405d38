"""Tests of the contact response."""
