"""Rows of tables as text of LLVM: four values that lie side by side, of another row in each lane."""

from __future__ import annotations

from collections.abc import Sequence

from trellis.interactions.code.vector_code import VectorCode


def row_of_table(code: VectorCode, number: str) -> list[str]:
    """Return the four values behind the address of the parameters that begin at whole numbers.

    A load for each lane and transposes take half of the time of four gathers.
    """
    if number not in code.rows:
        code.rows[number] = _columns(code, code.cast("fptosi", code.type, number, code.vector_of("i32")))
    return code.rows[number]


def _columns(code: VectorCode, numbers: str) -> list[str]:
    lanes, four = code.lanes, f"<4 x {code.one}>"
    rows = []
    for lane in range(lanes):
        number = numbers if lanes == 1 else code.put(f"extractelement <{lanes} x i32> {numbers}, i64 {lane}")
        at = code.put(f"getelementptr {code.one}, ptr %p, i32 {number}")
        rows.append(code.put(f"load {four}, ptr {at}, align {code.bits // 8}"))
    if lanes == 1:
        return [code.put(f"extractelement {four} {rows[0]}, i64 {column}") for column in range(4)]
    if lanes == 2:
        return [taken(code, 4, rows[0], rows[1], [(0, column), (1, column)]) for column in range(4)]
    return transposed(code, [code.side_by_side(rows[k::4]) for k in range(4)])


def transposed(code: VectorCode, rows: Sequence[str]) -> list[str]:
    """Return the columns of four by four values in each four lanes, by two steps of two."""
    a, b, c, d = rows
    quarters = range(0, code.lanes, 4)

    def mixed(x: str, y: str, order: Sequence[tuple[int, int]]) -> str:
        return taken(code, code.lanes, x, y, [(side, first + k) for first in quarters for side, k in order])

    columns = []
    for first in (0, 2):
        pairs = [(side, first + k) for k in (0, 1) for side in (0, 1)]
        ab, cd = mixed(a, b, pairs), mixed(c, d, pairs)
        columns += [mixed(ab, cd, [(side, k) for side in (0, 1) for k in (half, half + 1)]) for half in (0, 2)]
    return columns


def taken(code: VectorCode, width: int, a: str, b: str, order: Sequence[tuple[int, int]]) -> str:
    """Return a vector of elements of two of this width, each by the number of the vector and its own."""
    from_ = f"<{width} x {code.one}>"
    numbers = ", ".join(f"i32 {side * width + k}" for side, k in order)
    return code.put(f"shufflevector {from_} {a}, {from_} {b}, <{len(order)} x i32> <{numbers}>")
