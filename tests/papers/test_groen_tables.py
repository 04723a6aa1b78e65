"""The model of several sites holds tables 3, 4, 7 and 8 of Groen et al. (2011), but for what its page lists."""

from __future__ import annotations

import pytest

from groen_figures import with_network
from groen_rows import MIGRATED, UNEXPLAINED, reproduced
from groen_tables import TABLES, Printed
from trellis.model.sites import BUILT_IN, Run
from trellis.model.sites import equations as eq
from trellis.model.sites.memory import memory_of

ROWS = [(number, row) for number, (rows, _) in TABLES.items() for row in rows]
EACH = pytest.mark.parametrize(
    ("number", "row"), ROWS, ids=[f"table-{number}-{row.particles}-{row.mesh}-{row.sites}" for number, row in ROWS]
)
SLIP = (7, 256, "A")  # printed is a total of 0.03 s, of which 0.04 s are local
ANCHORS = {256: {0.3: 5955, 0.5: 2991}, 512: {0.3: 8138, 0.5: 4083}}


def close(value: float, printed: float) -> bool:
    """Whether a value is within 5 %, or rounds to what is printed."""
    half_a_digit = 0.05 if printed >= 100 else 0.005
    return abs(value - printed) <= max(0.05 * printed, 1.001 * half_a_digit)


@EACH
def test_columns_of_the_model(number: int, row: Printed) -> None:
    found = reproduced(row, TABLES[number][1])
    assert close(found.tree, row.tree)
    assert close(found.local, row.local)
    if (row.particles, row.sites) in UNEXPLAINED:
        assert not close(found.total, row.total)  # else it is to be struck off the list
        return
    if (number, row.particles, row.sites) == SLIP:
        assert row.total < row.local
    else:
        assert close(found.total, row.total)
    assert found.whole == pytest.approx(row.whole, rel=0.025)


@EACH
def test_trees_to_half_a_per_cent(number: int, row: Printed) -> None:
    shares = (number, row.particles, row.sites) == (7, 1024, "HEA")  # these sites had not equally many cores
    assert reproduced(row, TABLES[number][1]).tree == pytest.approx(row.tree, rel=0.03 if shares else 0.004)


@pytest.mark.parametrize(("side", "theta"), [(n, theta) for n, of in ANCHORS.items() for theta in of])
def test_interactions_a_particle(side: int, theta: float) -> None:
    found = eq.n_int(Run(side**3, 128**3, theta, 1)) / side**3
    assert found == pytest.approx(ANCHORS[side][theta], rel=0.001)


def cell(number: int, particles: int, mesh: int, sites: str) -> Printed:
    """The row of a table as the model has it."""
    rows, theta = TABLES[number]
    return reproduced(next(r for r in rows if (r.particles, r.mesh, r.sites) == (particles, mesh, sites)), theta)


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize(("sites", "seconds"), [(2, 2.24), (3, 6.72), (4, 13.44), (5, 22.40)])
def test_meshes_of_das_3(number: int, sites: int, seconds: float) -> None:
    """4 M s (s - 1) bytes at 50 MiB/s."""
    fine, coarse = (cell(number, 512, mesh, str(sites)) for mesh in (256, 128))
    assert (fine.total - fine.local) - (coarse.total - coarse.local) == pytest.approx(seconds, abs=0.005)


@pytest.mark.parametrize(("number", "particles", "mesh"), [(7, 256, 128), (7, 512, 256), (8, 256, 128), (8, 512, 256)])
def test_tokyo_is_further_away(number: int, particles: int, mesh: int) -> None:
    far, near = (cell(number, particles, mesh, sites) for sites in ("AT", "EA"))
    assert far.total - near.total == pytest.approx(3.17, abs=0.01)


def test_memory_of_section_2() -> None:
    assert memory_of(2048**3) == pytest.approx(850e9, rel=0.005)
    assert memory_of(8192**3) == pytest.approx(54e12, rel=0.01)
    assert memory_of(1, 2) == 60 + 0.75 * 52 + 2 * 4.5


def test_migration_of_section_4() -> None:
    assert pytest.approx(850 * 2**20) == MIGRATED[1024]


@pytest.mark.parametrize(
    ("particles", "mesh", "processes", "rate", "least"),
    [(2048, 1024, 2048, 700e6, 0.8), (8192, 1024, 32768, 150e6, 0.795), (2048, 256, 2048, 100e6, 0.85)],
)
def test_bandwidths_of_section_5(particles: int, mesh: int, processes: int, rate: float, least: float) -> None:
    """Bandwidths of section 5.3: 0.8 is printed with the first; with the others the text has lost it: ours are held."""
    run = Run(particles**3, mesh**3, 0.5, processes, 8)
    grid = BUILT_IN["global-grid"]
    assert least < eq.efficiency(run, with_network(grid, None, rate)) < least + 0.06
    latency, bandwidth = grid.wan.latency, grid.wan.bandwidth
    assert (latency, bandwidth) == (0.3, 400e6)
