"""Graphs of arithmetic as machine code, and as bytes for GPUs."""
