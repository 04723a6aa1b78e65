"""Write the power spectrum of a run, on the ranks that mpirun starts: power_of_ranks.py FOLDER CELLS METHOD UNTIL."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from matter import SPACE, box_of, force

import trellis as tr
from trellis.analysis import power_spectrum

if __name__ == "__main__":
    folder, method = sys.argv[1], sys.argv[3]
    cells, end = int(sys.argv[2]), float(sys.argv[4])
    side = cells * 6250.0
    matter = box_of(cells, side)
    acting = [force(side, cells, 3e-4, method)]
    tr.Simulation(matter, acting, cosmology=SPACE, scale_factor=0.02, log_step=0.05).run(until=end)
    found = power_spectrum(matter, 2 * cells, order=4, subtract_shot_noise=False)
    if tr.rank() == 0:
        np.savez(f"{folder}/{method}_{tr.ranks()}.npz", k=found.k, power=found.power)
