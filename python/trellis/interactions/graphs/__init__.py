"""Graphs of arithmetic: what a function of a pair computes."""
