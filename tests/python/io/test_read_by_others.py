"""Our snapshots as pynbody and yt read them, where these are installed: positions, masses, velocities, time, box."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import trellis as tr
from trellis.io import write_snapshot
from trellis.units import GADGET

A, H, SIDE = 0.1, 0.7, 1e4
SPACE = tr.Cosmology(omega_m=0.3, h=H, sigma_8=0.8, omega_b=0.05, n_s=0.96)

Facts = dict[str, Any]


def written(path: Path, expanding: bool) -> Facts:
    """Write particles in a cube; return what others must find, in kpc, solar masses, km/s and Gyr, by id."""
    if expanding:
        particles = tr.ic.cosmology(SPACE, 8**3, box=SIDE, redshift=1 / A - 1)
        write_snapshot(path, particles, time=A, units=GADGET, cosmology=SPACE)
        kpc, msun, speed = A / H, 1e10 / H, 1 / A
    else:
        particles = tr.ic.plummer(100)
        particles.box = [[0, 0, 0], [SIDE] * 3]
        write_snapshot(path, particles, time=2.0, units=GADGET)
        kpc, msun, speed = 1.0, 1e10, 1.0
    rows = np.argsort(particles.id)
    unit = GADGET.length_in_cm / GADGET.velocity_in_cm_per_s / 3.15576e16
    return {
        "position": kpc * particles.wrapped_position()[rows],
        "mass": msun * particles.mass[rows],
        "velocity": speed * particles.velocity[rows],
        "time": SPACE.time(A) * unit / H if expanding else 2 * unit,
        "box": SIDE * kpc,
    }


@pytest.mark.parametrize("expanding", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_pynbody(tmp_path: Path, expanding: bool) -> None:
    pynbody = pytest.importorskip("pynbody")
    right = written(tmp_path / "a.hdf5", expanding)
    found = pynbody.load(str(tmp_path / "a.hdf5"))
    rows = np.argsort(found["iord"])
    known = found.conversion_context()
    for name, key, unit in (("position", "pos", "kpc"), ("mass", "mass", "Msol"), ("velocity", "vel", "km s**-1")):
        assert np.asarray(found[key].in_units(unit))[rows] == pytest.approx(right[name], rel=1e-3)
    assert float(found.properties["time"].in_units("Gyr")) == pytest.approx(right["time"], rel=1e-3)
    assert float(found.properties["boxsize"].in_units("kpc", **known)) == pytest.approx(right["box"], rel=1e-3)


@pytest.mark.parametrize("expanding", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_yt(tmp_path: Path, expanding: bool) -> None:
    yt = pytest.importorskip("yt")
    right = written(tmp_path / "a.hdf5", expanding)
    with h5py.File(tmp_path / "a.hdf5") as file:
        units = dict(file["Parameters"].attrs)
    found = yt.load(str(tmp_path / "a.hdf5"), unit_base=units)
    every = found.all_data()
    rows = np.argsort(every["PartType1", "ParticleIDs"])
    names = (("position", "Coordinates", "kpc"), ("mass", "Masses", "Msun"), ("velocity", "particle_velocity", "km/s"))
    for name, key, unit in names:
        assert np.asarray(every["PartType1", key].to(unit))[rows] == pytest.approx(right[name], rel=1e-3, abs=1e-6)
    assert float(found.current_time.to("Gyr")) == pytest.approx(right["time"], rel=1e-3)
    assert np.asarray(found.domain_width.to("kpc")) == pytest.approx(np.full(3, right["box"]), rel=1e-3)
    assert found.periodicity == (True, True, True)
