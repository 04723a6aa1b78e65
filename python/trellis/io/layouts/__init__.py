"""Layouts of snapshots, by code."""
