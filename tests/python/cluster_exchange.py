"""The parameter file of a short replica exchange of clusters of seven atoms."""

from __future__ import annotations

from pathlib import Path

PARAMETERS = """
[ic]
model = "cluster"
particles = 7

[lennard_jones]
cutoff = 20.0

[thermostat]
method = "langevin"
temperature = 0.3
relaxation_time = 1.0

[container]
radius = 2.5

[replica_exchange]
TEMPERATURES
exchange_every = 10
equilibration = 20

[run]
timestep = 0.005
until = 2.0
checkpoint_every = 0
output = "OUTPUT"
"""


def write_exchange(folder: Path, temperatures: str) -> Path:
    """Write the file. temperatures: lines of [replica_exchange]. Its output goes into folder/out."""
    path = folder / "cluster.toml"
    path.write_text(PARAMETERS.replace("TEMPERATURES", temperatures).replace("OUTPUT", str(folder / "out")))
    return path
