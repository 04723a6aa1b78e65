"""A parameter file of a liquid whose states differ by temperature and pressure."""

from __future__ import annotations

PARAMETERS = """
[ic]
model = "lennard-jones"
particles = 108
density = 0.6
temperature = 1.5

[lennard_jones]
cutoff = 2.0
truncation = "energy-shifted"

[thermostat]
method = "langevin"
temperature = 1.5
relaxation_time = 0.5

[barostat]
pressure = 1.0
every = 2

[replica_exchange]
temperatures = [1.5, 1.5, 1.6]
pressures = [1.0, 1.2, 1.2]
exchange_every = 5
equilibration = 4

[run]
timestep = 0.004
until = 0.8
checkpoint_every = 0
"""
