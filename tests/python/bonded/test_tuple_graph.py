"""When the graph of a tuple is made, of which devices make kernels, and of what."""

from __future__ import annotations

import pytest

import trellis as tr
from trellis.bonded import tuple_graph
from trellis.bonded.coordinates import BOND
from trellis.bonded.tuple_graph import graph_maker

PAIR = [[0, 1]]


def two() -> tr.ParticleSet:
    return tr.ParticleSet.from_columns(position=[[0, 0, 0], [1.1, 0, 0]], mass=[1, 1])


def test_a_graph_is_made_for_an_ensemble_alone_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    prepared = tuple_graph.prepared
    monkeypatch.setattr(tuple_graph, "prepared", lambda *given: made.append(given) or prepared(*given))
    bonds = [tr.bond_potential("k * (r - 1.03125)**2", pairs=PAIR, k=k) for k in (2.0, 3.0)]
    bonds.append(tr.bond_potential(lambda r: 2 * (r - 1) ** 2, pairs=PAIR))
    for bond in bonds:
        tr.Simulation(two(), [bond], timestep=0.01).run(steps=1)
        bond.virial_tensor(two())
    assert len(made) == 0
    for _ in range(2):
        tr.Ensemble([two()] * 3, [[bond] for bond in bonds], timestep=0.01).advance(1)
    assert len(made) == 2  # both expressions are one


def test_the_graph_is_that_of_the_function_when_the_force_was_made() -> None:
    strength = 2.0
    graph = graph_maker(BOND, lambda r: strength * r, [])
    expected = graph_maker(BOND, lambda r: 2.0 * r, [])()
    strength = 3.0
    assert graph() == expected
