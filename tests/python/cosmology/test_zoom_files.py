"""Initial conditions of other codes, as MUSIC writes a zoom: several types, masses and softenings."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import Command

import trellis as tr

SIDE, CELLS, A = 50_000.0, 16, 0.04
SPACE = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
SOFTENING = {"halo": 80.0, "disk": 160.0, "bulge": 240.0}
HALO, DISK, BULGE = 1, 2, 3
RUN = """
initial_conditions = "zoom.hdf5"

[cosmology]
steps = 40

[gravity]
softening = { halo = 80.0, disk = 160.0, bulge = 240.0 }
accuracy = 1e-3

[run]
until_redshift = 9
snapshot_redshifts = [9]
checkpoint_every = 0
output = "OUTPUT"
"""


def parts() -> dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return places, momenta and masses of three types: fine ones in the middle, others merged from 8 and 64 of them.

    The outermost half of the coarse ones is merged once more, but for a few, so that the last type has two masses.
    """
    even = tr.ic.cosmology(SPACE, CELLS**3, box=SIDE, redshift=1 / A - 1, fixed=True)
    point = np.stack(np.unravel_index(even.id.astype(int), (CELLS,) * 3), axis=1)
    place = point * (SIDE / CELLS) + (even.position - point * (SIDE / CELLS) + SIDE / 2) % SIDE - SIDE / 2

    def merged(chosen: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        number = np.ravel_multi_index((point[chosen] // points).T, (CELLS,) * 3)
        _, group, count = np.unique(number, return_inverse=True, return_counts=True)
        mean = [np.stack([np.bincount(group, each[chosen, k]) / count for k in range(3)], axis=1)
                for each in (place, even.velocity)]  # fmt: skip
        return mean[0] % SIDE, mean[1], count * even.mass[0]

    inside = ((point >= 4) & (point < 12)).all(axis=1)
    far = point[:, 0] < 4
    left = far & (point[:, 1] < 4)  # of the last type, and of masses as of the second
    fine, coarse = merged(inside, 1), merged(~inside & ~far, 2)
    of_last = [np.concatenate(each) for each in zip(merged(far & ~left, 4), merged(left, 2), strict=True)]
    return {HALO: fine, DISK: coarse, BULGE: (of_last[0], of_last[1], of_last[2])}


def write(path: Path) -> None:
    """Write them in single precision, without units: equal masses stand in the header, others beside the particles."""
    with h5py.File(path, "w") as file:
        header = {"Time": A, "Redshift": 1 / A - 1, "BoxSize": SIDE, "NumFilesPerSnapshot": 1}
        header |= {"Omega0": 0.31, "OmegaLambda": 0.69, "HubbleParam": 0.677, "Flag_DoublePrecision": 0}
        counts, masses, first = np.zeros(6, np.uint32), np.zeros(6), 1
        for kind, (place, momentum, mass) in parts().items():
            group = file.create_group(f"PartType{kind}")
            counts[kind] = len(mass)
            group["Coordinates"] = place.astype(np.float32)
            group["Velocities"] = (momentum / A**1.5).astype(np.float32)
            group["ParticleIDs"] = np.arange(first, first + len(mass), dtype=np.uint32)
            first += len(mass)
            if kind == BULGE:
                group["Masses"] = mass.astype(np.float32)
            else:
                masses[kind] = mass[0]
        header |= {"NumPart_ThisFile": counts, "NumPart_Total": counts, "MassTable": masses}
        file.create_group("Header").attrs.update(header)


@pytest.mark.filterwarnings("ignore:.*does not name its units")
def test_a_zoom_runs_as_it_is(tmp_path: Path, trellis: Command) -> None:
    write(tmp_path / "zoom.hdf5")
    path = tmp_path / "zoom.toml"
    path.write_text(RUN.replace("OUTPUT", str(tmp_path / "out")))
    done = trellis("run", path)
    assert done.returncode == 0, done.stderr

    begin = tr.io.read_snapshot(tmp_path / "zoom.hdf5").particles
    for kind, (place, momentum, mass) in parts().items():
        own = begin.type == kind
        assert begin.position[own] == pytest.approx(place, abs=0.01)
        assert begin.velocity[own] == pytest.approx(momentum, rel=1e-6, abs=1e-6)
        assert begin.mass[own] == pytest.approx(mass, rel=1e-6)
    assert len(np.unique(begin.mass.round(2))) == 3
    assert begin.mass.sum() == pytest.approx(SPACE.mean_density(tr.units.GADGET.G) * SIDE**3, rel=1e-5)

    sim = tr.Simulation(
        begin,
        [tr.Gravity(softening=SOFTENING, accuracy=1e-3, G=tr.units.GADGET.G)],
        cosmology=tr.Cosmology(omega_m=0.31, h=0.677),
        scale_factor=A,
        log_step=np.log(0.1 / A) / 40,
    )
    first = begin.copy()
    sim.run(until=0.1)
    assert sim.force_error(300)["rms"] < 2e-3
    assert abs(sim.energies().error) < 1e-3
    last = tr.io.read_snapshot(tmp_path / "out" / "snapshot_0000.hdf5").particles
    assert np.array_equal(last.id, begin.id)
    assert last.position == pytest.approx(begin.position, abs=1e-6 * SIDE)
    moved = last.position - first.position
    moved -= SIDE * np.round(moved / SIDE)
    growth = moved.ravel() @ first.velocity.ravel() / (first.velocity**2).sum() * A**2 * SPACE.hubble(A) * SPACE.f1(A)
    assert growth == pytest.approx(SPACE.D1(0.1) / SPACE.D1(A) - 1, rel=0.05)  # of displacements, by linear theory
