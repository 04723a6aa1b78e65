"""The live line of a run."""
