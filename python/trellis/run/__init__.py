"""Runs of ``trellis run``, from a run file to its last step: see `trellis.run.simulation_run`."""
