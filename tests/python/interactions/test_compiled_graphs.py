"""Graphs on the device cpu as LLVM compiles them, against their evaluation node by node, and with malformed numbers."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_interactions import after_a_step, difference, dust, gas, gravity, lennard_jones, melt, yukawa
from test_tables_by_kinds import by_kinds, mixture

import trellis as tr
from trellis import _core
from trellis.interactions.received import compile_graph
from trellis.interactions.received.compile_graph import compiled_loops

PRECISIONS = pytest.mark.parametrize(("precision", "tolerance"), [("single", 1e-6), ("double", 1e-14)])


@contextmanager
def compiler(function: Callable[[bytes, int], Any] | None) -> Iterator[None]:
    """Have graphs compiled by a function, or by none."""
    _core.compile_graphs_with(function)
    try:
        yield
    finally:
        _core.compile_graphs_with(compiled_loops)


def renamed(interaction: tr.Interaction, name: str) -> tr.Interaction:
    """Return an interaction of the same graph whose kernels are other ones."""
    made = tr.Interaction(interaction.function, interaction._declared, interaction._search, interaction._strength)
    made._traced = interaction._traced
    made.__name__ = name
    return made


def on_cpu(name: str, particles: tr.ParticleSet, interaction: tr.Interaction, **given: Any) -> tr.ParticleSet:
    return after_a_step(particles, renamed(interaction, name)(**given, device="cpu")).particles


LONG: dict[str, Any] = {"theta": 0.5, "group_size": 100}


@PRECISIONS
@pytest.mark.parametrize(
    ("interaction", "particles", "given", "names"),
    [
        (gravity, lambda: dust(2000), LONG, ("acceleration", "potential")),
        (yukawa, lambda: dust(2000), LONG, ("acceleration", "potential")),
        (lennard_jones, melt, {"cutoff": 2.5}, ("acceleration", "potential", "virial")),
        (gas, melt, {"cutoff": 2.0}, ("density", "pressure", "nearest")),
    ],
)
def test_compiled_loops_give_what_nodes_give(
    interaction: tr.Interaction,
    particles: Callable[[], tr.ParticleSet],
    given: dict[str, Any],
    names: tuple[str, ...],
    precision: str,
    tolerance: float,
) -> None:
    compiled: list[int] = []

    def counted(graph: bytes, bits: int) -> tuple[int, int] | None:
        compiled.append(bits)
        return compiled_loops(graph, bits)

    some = particles()
    with compiler(None):
        nodes = on_cpu(f"nodes_{precision}", some, interaction, **given, precision=precision)
    with compiler(counted):
        first, second = (
            on_cpu(f"loops_{precision}", some, interaction, **given, precision=precision) for _ in range(2)
        )
    assert compiled == [32 if precision == "single" else 64]
    for name in names:
        np.testing.assert_array_equal(first.column(name), second.column(name))
        assert difference(first.column(name), nodes.column(name)) < tolerance


@PRECISIONS
def test_tables_by_kinds_are_those_of_the_host(precision: str, tolerance: float) -> None:
    atoms = mixture()
    host, cpu = (
        after_a_step(atoms, tr.pair_potential(by_kinds(200), cutoff=2.5, precision=precision, device=device)).particles
        for device in ("host", "cpu")
    )
    for name in ("acceleration", "potential", "virial"):
        assert difference(cpu.column(name), host.column(name)) < 10 * tolerance


def test_a_served_processor_compiles_as_this_one_does(keys: Path, serve: Callable[..., Any], tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"), "--device", "cpu")
    stars = dust(1000)
    with compiler(None):
        nodes = on_cpu("served_nodes", stars, yukawa, **LONG)
    here = on_cpu("served_loops", stars, yukawa, **LONG)
    there = after_a_step(stars, yukawa(**LONG, device=f"unix:{tmp_path / 'socket'}/cpu")).particles
    np.testing.assert_array_equal(there.acceleration, here.acceleration)
    assert (nodes.acceleration != here.acceleration).any()


def test_what_is_not_compiled_is_evaluated_node_by_node(monkeypatch: pytest.MonkeyPatch) -> None:
    stars = dust(500)
    with compiler(None):
        nodes = on_cpu("whole_nodes", stars, gravity, **LONG)
    with monkeypatch.context() as patched:
        patched.setattr(compile_graph, "_MOST_LINES", 50)
        too_large = on_cpu("too_large", stars, gravity, **LONG)
    with monkeypatch.context() as patched:
        patched.setattr(compile_graph, "find_spec", lambda name: None)
        no_llvm = on_cpu("no_llvm", stars, gravity, **LONG)
    for other in (too_large, no_llvm):
        np.testing.assert_array_equal(other.acceleration, nodes.acceleration)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_compiler_that_fails_does_not_end_a_run() -> None:
    def failing(graph: bytes, bits: int) -> None:
        raise RuntimeError(f"no {bits} bits")

    stars = dust(300)
    with compiler(None):
        nodes = on_cpu("nodes_again", stars, gravity, **LONG)
    with compiler(failing):
        np.testing.assert_array_equal(on_cpu("failing", stars, gravity, **LONG).acceleration, nodes.acceleration)


OPERATIONS = {name: number for number, name in enumerate(_core.graph_operations())}


def outcome(nodes: list[bytes], i: float, j: float, table: list[float], bits: int = 64) -> float:
    """Return the last of some nodes, whose field 3 of i and of j are these, by a compiled loop."""
    first = max(2, len(table)) if table else 0
    head = struct.pack("<BIIII", 0, 4, 1, first, len(table) // 4) + struct.pack(f"<{len(table)}d", *table)
    end = struct.pack("<IBII", 1, 0, len(nodes) - 1, 0)
    made = compiled_loops(head + struct.pack("<I", len(nodes)) + b"".join(nodes) + end, bits)
    assert made is not None
    number = np.float32 if bits == 32 else np.float64
    context = np.zeros(first + len(table) + 1)
    context[first : first + len(table)] = table
    context.view(np.float32)[first : first + len(table)] = table
    columns = np.zeros((2, 4, 64), number)
    columns[0, 3], columns[1, 3] = i, j
    sums = np.zeros(16 + 64, number)
    at = -sums.ctypes.data % 64 // sums.itemsize
    address, count = ctypes.c_void_p, ctypes.c_size_t
    arguments = (address, address, count, count, address, count, count, address)
    add_pairs = ctypes.CFUNCTYPE(None, *arguments)(made[0])
    add_pairs(context.ctypes.data, columns[0].ctypes.data, 64, 1, columns[1].ctypes.data, 64, 1, sums[at:].ctypes.data)
    return float(sums.sum())


def leaf(op: str, number: int) -> bytes:
    return struct.pack("<BI", OPERATIONS[op], number)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    ("number", "row"),
    [(8, 0), (12, 1), (1e30, 1), (-1e30, 0), (np.inf, 1), (-np.inf, 0), (np.nan, 0), (2.0**31, 1), (13, 1)],
)
def test_a_number_beyond_the_tables_reads_a_row_of_them(number: float, row: int, bits: int) -> None:
    table = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    entry = struct.pack("<BII", OPERATIONS["entry"], 2, 1)
    assert outcome([leaf("of_i", 3), leaf("of_j", 3), entry], 1.0, number, table, bits) == table[4 * row + 2]


def test_the_longest_chain_is_compiled() -> None:
    nodes = [leaf("of_i", 3), leaf("of_j", 3)]
    nodes += [struct.pack("<BII", OPERATIONS["add"], k - 1, 0) for k in range(2, 2000)]
    assert outcome(nodes, 1.0, 0.5, []) == 1998.5
