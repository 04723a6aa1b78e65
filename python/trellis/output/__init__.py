"""Files of a run in its folder: where they are, and the energy log."""
