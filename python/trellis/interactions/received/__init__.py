"""Graphs that devices received, compiled for this processor."""
