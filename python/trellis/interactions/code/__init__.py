"""Graphs of arithmetic as machine code, and as texts for GPUs."""
