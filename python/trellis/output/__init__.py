"""Files of a run in its folder, and the energy log."""
