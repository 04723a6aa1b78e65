"""What ``trellis run`` does with a parameter file: `trellis.run.simulation_run`."""
