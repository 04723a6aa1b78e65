"""Matter of an expanding space, and what is measured of it, on several ranks."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import trellis as tr

PROGRAM = """
import sys
import numpy as np
import trellis as tr

space = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
matter = tr.ic.cosmology(space, 12**3, box=50_000.0, redshift=0.5)
power = tr.analysis.power_spectrum(matter, 12).power
density = tr.analysis.projected_density(matter, 12)
halos = tr.analysis.find_halos(matter, linking=0.8, fewest=8)
halos.write(sys.argv[1] + "/halos.hdf5")
tr.io.write_snapshot(sys.argv[1] + "/matter.hdf5", matter, time=1 / 1.5, units=tr.units.GADGET, cosmology=space)
for name, given in (("glass", {"places": "glass"}), ("raised", {"lattice_until": 3.0})):
    made = tr.ic.cosmology(space, 16**3, box=50_000.0, **given)
    tr.io.write_snapshot(f"{sys.argv[1]}/{name}.hdf5", made, time=0.02, units=tr.units.GADGET, cosmology=space)
few = len(tr.ic.cosmology(space, 2**3, box=50_000.0))  # not a plane for each
if tr.rank() == tr.ranks() - 1:
    np.savez(sys.argv[1] + "/measured.npz", power=power, density=density, own=len(matter), few=few)
"""


def test_three_ranks_have_what_one_has(tmp_path: Path, mpirun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    one, three = tmp_path / "1", tmp_path / "3"
    one.mkdir()
    three.mkdir()
    monkeypatch.setattr(sys, "argv", [str(program), str(one)])
    runpy.run_path(str(program))
    assert mpirun(3, program, three).returncode == 0
    for kind in ("matter", "glass", "raised"):
        single, shared = (tr.io.read_snapshot(each / f"{kind}.hdf5").particles for each in (one, three))
        for name in ("position", "velocity", "mass", "id"):
            assert np.array_equal(single.column(name), shared.column(name))
    halos, same = (tr.analysis.HaloCatalogue.read(each / "halos.hdf5") for each in (one, three))
    assert len(halos) > 0
    assert np.array_equal(halos.ids, same.ids)
    assert np.array_equal(halos.centre, same.centre)
    alone, measured = (np.load(each / "measured.npz") for each in (one, three))
    assert (measured["own"], measured["few"], alone["few"]) == (576, 4, 8)
    assert measured["power"] == pytest.approx(alone["power"], rel=1e-9)
    assert measured["density"] == pytest.approx(alone["density"], rel=1e-12)
