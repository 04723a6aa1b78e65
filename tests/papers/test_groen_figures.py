"""Figures of Groen et al. (2011): stellar systems by equations (15) and (16), sites of a picture, both steps."""

from __future__ import annotations

import numpy as np
import pytest

import groen_stellar as stellar
from groen_density import owner_of
from groen_figures import BOTH, GRID, stellar_seconds
from groen_rows import cores_of
from groen_tables import Site
from trellis.model.sites import BUILT_IN, Run, predicted_step
from trellis.model.sites import equations as eq


def test_exchanges_of_a_ring() -> None:
    assert [stellar.tree_exchanges(s) for s in (1, 2, 3)] == [0, 12, 16]


def test_cores_of_several_sites() -> None:
    cores = cores_of([Site(1, 5, 1), Site(3, 2, 4)], [0.75, 0.25])
    assert (cores.tau_tree, cores.tau_fft, cores.tau_mesh) == (1.5, 5, 1.75)
    assert cores_of([Site(1, 5, 1), Site(3, 2, 4)]).tau_tree == 2


def test_equation_16() -> None:
    grid = BUILT_IN["global-grid"]
    run = Run(1e6, 0, 0.5, 64, 4, sampled=1e-4)
    assert stellar.tree_bytes(run) == pytest.approx(2 * 48 * 1e4 / 0.5 + 400)
    assert stellar.tree_throughput(run, grid) == pytest.approx(stellar.tree_bytes(run) / 400e6)
    assert stellar.block_steps(1e6) == pytest.approx(1e6 / (0.2 * 1e6**0.81))


@pytest.mark.parametrize("sites", [2, 4])
def test_block_steps_scale_worse(sites: int) -> None:
    """Section 5.2.3: shared steps stay efficient; of block steps direct forces lose less than the tree on few sites."""
    values = {}
    for what, (seconds, (n, _, processes)) in stellar_seconds().items():
        values[what] = seconds(Run(n, 0, 0.5, processes)) / seconds(Run(n, 0, 0.5, processes, sites))
    assert values["tree, shared steps"] > 0.95
    assert values["tree, block steps"] < values["direct, block steps"] < 0.5


def test_each_site_has_its_share_of_the_picture() -> None:
    owner = owner_of(np.linspace(1, 0, 1000))
    assert np.all(np.diff(owner) <= 0)
    counts = np.bincount(owner)
    assert counts[0] / counts[2] == pytest.approx(5.4 / 3.9, rel=0.01)  # Espoo against Amsterdam
    assert counts.sum() == 1000


@pytest.mark.parametrize(("particles", "mesh", "processes"), BOTH)
def test_to_16_sites(particles: float, mesh: int, processes: int) -> None:
    run = Run(particles, mesh, 0.5, processes, 16)
    ours, paper = predicted_step(run, GRID).efficiency, eq.efficiency(run, GRID)
    assert paper < 0.9 < ours <= 1
