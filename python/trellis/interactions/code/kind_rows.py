"""Rows of values that kinds decide as text of LLVM: filled for a cluster, and read for its j-particles.

A row has two values, each of four i-particles: one load finds both. Behind the rows of all kinds are those of the next
two values. Arguments are those of PairLoops in src/trellis/forces/run_time/run_time_pair.hpp, and the kinds of
j-particles are numbers as run_time_kind_rows.hpp has them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trellis.interactions.code.cluster_lanes import j_at_once, target_value
from trellis.interactions.code.counted_loop import counted_loop
from trellis.interactions.code.decided_by_kinds import RowsOfKinds
from trellis.interactions.code.lower import Lowering
from trellis.interactions.code.program import Program
from trellis.interactions.code.table_rows import taken, transposed
from trellis.interactions.code.vector_code import VectorCode

_IN_ROW = 8
_FIRST = {32: 0x48800000, 64: 0}  # the last 32 bits of a kind, by the bits of values, whose row is the first


def rows_in_memory(program: Program) -> dict[str, int]:
    """Return the numbers of values of all rows and of kinds, and the component of fields that is the kind; or zeros."""
    if (rows := program.rows) is None:
        return {"row_values": 0, "kind_component": 0, "kinds": 0}
    return {
        "row_values": _IN_ROW * rows.count * ((len(rows.values) + 1) // 2),
        "kind_component": program.layout.place(rows.kind),
        "kinds": rows.count - 2,
    }


def fill_rows(program: Program, rows: RowsOfKinds, bits: int) -> tuple[str, set[str]]:
    """Return what fills the rows of a cluster, some of them at once: those of a table lie side by side in memory."""
    together = j_at_once(program.machine, bits)
    while together > rows.count:
        together //= 2
    code = VectorCode(program.machine, bits, 4 * together)
    lowering = Lowering([*rows.bases, *rows.values], program.parameters)
    known = lowering.of_targets(
        code, lowering.of_parameters(code), lambda node: target_value(code, program.layout, node)
    )
    begins = [_begins(code, known[id(base)]) for base in rows.bases]

    def body(first: str, _: list[str]) -> list[str]:
        ahead = code.put(f"mul i64 {first}, 4")
        entries = [entry for of_base in begins for entry in _entries(code, of_base, ahead)]
        (made,) = lowering.of_pairs(code, known, [lambda node: entries[node.place[2]]])
        values = [made[id(node)] for node in lowering.outputs[len(rows.bases) :]]
        for k in range(0, len(values), 2):
            at = code.put(f"add i64 {first}, {k // 2 * rows.count}")
            at = code.put(f"getelementptr {code.one}, ptr %r, i64 {code.put(f'mul i64 {at}, {_IN_ROW}')}")
            _store_row(code, values[k], values[min(k + 1, len(values) - 1)], at)
        return []

    counted_loop(code, "row", "entry", "0", str(rows.count), together, [], body)
    if rows.count % together:
        body(str(rows.count - together), [])
    code.lines.append("  ret void")
    name = f"fill_rows_{code.precision}"
    return code.function("void", name, "ptr noalias %p, ptr noalias %t, ptr noalias %r"), code.declarations


def _begins(code: VectorCode, numbers: str) -> list[str]:
    """Return the addresses of the first entries of the four i-particles."""
    whole = code.cast("fptosi", code.type, numbers, code.vector_of("i32"))
    each = [code.put(f"extractelement {code.vector_of('i32')} {whole}, i64 {i}") for i in range(4)]
    return [code.put(f"getelementptr {code.one}, ptr %p, i32 {number}") for number in each]


def _entries(code: VectorCode, begins: Sequence[str], ahead: str) -> list[str]:
    """Return the four entries of some rows that follow each other."""
    return transposed(
        code, [code.load_from(code.put(f"getelementptr {code.one}, ptr {each}, i64 {ahead}")) for each in begins]
    )


def _store_row(code: VectorCode, a: str, b: str, at: str) -> None:
    order = [(side, lane + k) for lane in range(0, code.lanes, 4) for side in (0, 1) for k in range(4)]
    for half in (0, code.lanes):
        code.store(taken(code, code.lanes, a, b, order[half : half + code.lanes]), at, half)


def first_row(code: VectorCode) -> str:
    """Return what the kind of a j-particle is added to."""
    return code.put(f"getelementptr i8, ptr %r, i64 {-_FIRST[code.bits]}")


def row_of(code: VectorCode, first: str, kind: str) -> str:
    """Return where the row of a j-particle is. first: as `first_row` returns it; kind: the address of its kind."""
    number = code.put(f"load i32, ptr {kind}, align 4")
    return code.put(f"getelementptr i8, ptr {first}, i64 {code.put(f'zext i32 {number} to i64')}")


def values_of_rows(code: VectorCode, rows: RowsOfKinds, begins: Sequence[str]) -> Callable[[int], str]:
    """Return what reads a value of all lanes, by its number. begins: the addresses of rows, of each j-particle."""
    known: dict[int, tuple[str, str]] = {}

    def loaded(number: int, lanes: int) -> list[str]:
        at = [code.put(f"getelementptr {code.one}, ptr {each}, i64 {number}") for each in begins]
        return [code.put(f"load <{lanes} x {code.one}>, ptr {each}, align {code.bits // 8}") for each in at]

    def both(pair: int) -> tuple[str, str]:
        parts = loaded(_IN_ROW * rows.count * pair, _IN_ROW)
        if len(parts) == 4:
            whole = [(k // _IN_ROW, k % _IN_ROW) for k in range(2 * _IN_ROW)]
            parts = [taken(code, _IN_ROW, a, b, whole) for a, b in (parts[:2], parts[2:])]
        width = 2 * code.lanes // len(parts)
        first = [(lane // width, lane % width) for u in range(0, 2 * code.lanes, 8) for lane in range(u, u + 4)]
        a, b = parts
        one, other = ([(side, k + ahead) for side, k in first] for ahead in (0, 4))
        return taken(code, width, a, b, one), taken(code, width, a, b, other)

    def value(number: int) -> str:
        pair, side = divmod(number, 2)
        if len(begins) == 1:
            return loaded(_IN_ROW * rows.count * pair + 4 * side, 4)[0]
        if pair not in known:
            known[pair] = both(pair)
        return known[pair][side]

    return value
