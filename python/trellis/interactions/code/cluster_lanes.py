"""The lanes of a vector of pairs of a cluster: lane k has i-particle k % 4 and j-particle k / 4."""

from __future__ import annotations

from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.layout import Layout
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Node


def j_at_once(machine: Machine, bits: int) -> int:
    """Return how many j-particles fill a vector with the four i-particles."""
    return max(1, 2 * machine.vector_bytes // bits)


def target_value(code: VectorCode, layout: Layout, node: Node) -> str:
    """Return a field of the i-particles, of which %t has four values of each component."""
    at = code.put(f"getelementptr {code.one}, ptr %t, i64 {4 * layout.place(node)}")
    four = code.put(f"load <4 x {code.one}>, ptr {at}, align {code.bits // 8}")
    repeated = ", ".join(f"i32 {lane % 4}" for lane in range(code.lanes))
    return code.put(
        f"shufflevector <4 x {code.one}> {four}, <4 x {code.one}> poison, <{code.lanes} x i32> <{repeated}>"
    )
