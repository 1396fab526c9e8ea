"""Tests that decide which candidates stay as edges."""
