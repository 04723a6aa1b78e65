"""Loops over the list of a cluster of i-particles as text of LLVM.

Their arguments are those of PairLoops in src/trellis/forces/run_time/run_time_pair.hpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trellis.interactions.code.cluster_lanes import j_at_once, target_value
from trellis.interactions.code.counted_loop import LoopText, counted_loop
from trellis.interactions.code.kind_rows import first_row, row_of, values_of_rows
from trellis.interactions.code.lower import Lowering, Values
from trellis.interactions.code.program import Program
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Node


class ClusterLoop(LoopText):
    """The j-particles on the list of a cluster: lane k has i-particle k % 4 and j-particle k / 4."""

    def __init__(self, program: Program, bits: int) -> None:
        self.program, self.bits = program, bits
        self.at_once = j_at_once(program.machine, bits)
        self.code = VectorCode(program.machine, bits, 4 * self.at_once)
        outputs, self.rows = program.of_clusters
        self.lowering = Lowering(outputs, program.parameters)
        self.components = sum(each[1] for each in program.layout.source)

    def text(self) -> tuple[str, set[str]]:
        """Return the function, and the declarations that it needs."""
        code = self.code
        values = self.lowering.of_targets(
            code, self.lowering.of_parameters(code), lambda node: target_value(code, self.program.layout, node)
        )
        self.lane_j = [lane // 4 for lane in range(code.lanes)]
        self.lane_i = self._splat_i32("%first", [lane % 4 for lane in range(code.lanes)])
        self.line("%last = sub i64 %length, 1")
        self.first_row = first_row(code) if self.rows else ""
        totals = self._begin()
        k, totals = counted_loop(
            code,
            "twice",
            "entry",
            "0",
            "%length",
            2 * self.at_once,
            totals,
            lambda k, sums: self._listed(values, k, sums, 2),
        )
        k, totals = counted_loop(
            code,
            "list",
            "twice_end",
            k,
            "%length",
            self.at_once,
            totals,
            lambda k, sums: self._listed(values, k, sums, 1),
        )
        end = self.put(f"sub i64 %length, {k}")
        some = self.put(f"icmp ne i64 {end}, 0")
        self.line(f"br i1 {some}, label %rest, label %block")
        self.line("rest:")
        more = self._listed(values, k, totals, 1, partly=True)
        self.line("br label %block")
        self.line("block:")
        totals = [
            self.put(f"phi {code.type} [ {total}, %list_end ], [ {new}, %rest ]")
            for total, new in zip(totals, more, strict=True)
        ]
        begin, stop = self.put("zext i32 %own to i64"), self.put("zext i32 %end to i64")
        beyond = self.put(f"add i64 {stop}, {self.at_once - 1}")
        totals = counted_loop(
            code, "own", "block", begin, beyond, self.at_once, totals, lambda j, sums: self._own(values, j, sums)
        )[1]
        for c, (kind, total) in enumerate(zip(self._kinds(), totals, strict=True)):
            self._write(c, kind, total)
        self.line("ret void")
        arguments = "ptr noalias %p, ptr noalias %t, ptr noalias %s, ptr noalias %r, ptr noalias %list"
        arguments += ", i64 %length, i32 %first, i32 %own, i32 %end, i32 %absent, ptr noalias %o"
        return code.function("void", f"cluster_{code.precision}", arguments), code.declarations

    def _write(self, c: int, kind: str, total: str) -> None:
        """Write component c of the four i-particles, in double precision, from all of their lanes."""
        code, lanes = VectorCode(self.code.machine, 64, 4, self.code.lines, self.code.declarations, self.code.names), []
        for first in range(0, self.code.lanes, 4):
            of_four = ", ".join(f"i32 {first + k}" for k in range(4))
            four = self.put(f"shufflevector {self.code.type} {total}, {self.code.type} poison, <4 x i32> <{of_four}>")
            lanes.append(code.cast("fpext", "<4 x float>", four, code.type) if self.bits == 32 else four)
        value = lanes[0]
        for lane in lanes[1:]:
            if kind == "sum":
                value = code.add(value, lane)
            else:
                value = code.select(code.compare("ogt" if kind == "maximum" else "olt", lane, value), lane, value)
        code.store(value, "%o", 4 * c)

    def _begin(self) -> list[str]:
        begin = {"sum": 0.0, "maximum": float("-inf"), "minimum": float("inf")}
        return [self.code.constant(begin[kind]) for kind in self._kinds()]

    def _kinds(self) -> list[str]:
        return [output.kind for output in self.program.layout.outputs for _ in output.nodes]

    def _splat_i32(self, value: str, add: Sequence[int]) -> str:
        """Return a number plus one for each lane."""
        type_ = f"<{len(add)} x i32>"
        first = self.put(f"insertelement {type_} poison, i32 {value}, i64 0")
        all_ = self.put(f"shufflevector {type_} {first}, {type_} poison, {type_} zeroinitializer")
        return self.put(f"add {type_} {all_}, <{', '.join(f'i32 {each}' for each in add)}>")

    def _listed(self, values: Values, k: str, sums: list[str], batches: int, partly: bool = False) -> list[str]:
        """Return the sums with the j-particles on the list from k on; partly: the list ends among them."""
        numbers = []
        for u in range(batches * self.at_once):
            place = self.put(f"add i64 {k}, {u}")
            here = self.put(f"icmp ult i64 {place}, %length") if partly else ""
            if partly:
                place = self.put(f"select i1 {here}, i64 {place}, i64 %last")
            at = self.put(f"getelementptr i32, ptr %list, i64 {place}")
            number = self.put(f"load i32, ptr {at}, align 4")
            numbers.append(self.put(f"select i1 {here}, i32 {number}, i32 %absent") if partly else number)
        return self._added(values, numbers, sums, None)

    def _own(self, values: Values, j: str, sums: list[str]) -> list[str]:
        first = self.put(f"trunc i64 {j} to i32")
        numbers = []
        for u in range(self.at_once):
            number = self.put(f"add i32 {first}, {u}")
            here = self.put(f"icmp ult i32 {number}, %end")
            numbers.append(self.put(f"select i1 {here}, i32 {number}, i32 %absent"))
        type_ = f"<{self.code.lanes} x i32>"
        other = self.put(f"icmp ne {type_} {self._splat_i32(first, self.lane_j)}, {self.lane_i}")
        return self._added(values, numbers, sums, other)

    def _added(self, values: Values, numbers: Sequence[str], sums: list[str], other: str | None) -> list[str]:
        """Return the sums with the j-particles of these numbers; other: lanes whose particles are not the same."""
        code = self.code
        batches = [numbers[first : first + self.at_once] for first in range(0, len(numbers), self.at_once)]
        for pairs in self.lowering.of_pairs(code, values, [self._source(batch) for batch in batches]):
            sums = self._with(pairs, sums, other)
        return sums

    def _with(self, pairs: Values, sums: list[str], other: str | None) -> list[str]:
        code = self.code
        *results, within = (pairs[id(node)] for node in self.lowering.outputs)
        counts = within if other is None else self.put(f"and {code.truths} {within}, {other}")
        new = []
        for kind, total, value in zip(self._kinds(), sums, results, strict=True):
            if kind == "sum":
                new.append(code.select(counts, code.add(total, value), total))
                continue
            a, b = (total, value) if kind == "maximum" else (value, total)
            better = self.put(f"and {code.truths} {counts}, {code.compare('olt', a, b)}")
            new.append(code.select(better, value, total))
        return new

    def _source(self, numbers: Sequence[str]) -> Callable[[Node], str]:
        """Return what reads the fields of the j-particles of these numbers, each in four lanes."""
        code, one = self.code, self.code.one
        width = (self.components + 3) // 4 * 4
        rows = []
        for number in numbers:
            offset = self.put(f"mul i64 {self.put(f'zext i32 {number} to i64')}, {width}")
            rows.append(self.put(f"getelementptr {one}, ptr %s, i64 {offset}"))
        of_kinds = self._of_kinds(rows) if self.rows else None
        fours: dict[int, str] = {}

        def four(number: int) -> str:
            if number not in fours:
                parts = []
                for row in rows:
                    at = self.put(f"getelementptr {one}, ptr {row}, i64 {4 * number}")
                    parts.append(self.put(f"load <4 x {one}>, ptr {at}, align {self.bits // 8}"))
                fours[number] = code.side_by_side(parts)
            return fours[number]

        def load(node: Node) -> str:
            if of_kinds and node.place[0] == "kinds":
                return of_kinds(node.place[2])
            c = self.program.layout.place(node)
            if self.at_once == 1:
                at = self.put(f"getelementptr {one}, ptr {rows[0]}, i64 {c}")
                return code.splat(self.put(f"load {one}, ptr {at}, align {self.bits // 8}"))
            spread = ", ".join(f"i32 {lane // 4 * 4 + c % 4}" for lane in range(code.lanes))
            return self.put(
                f"shufflevector {code.type} {four(c // 4)}, {code.type} poison, <{code.lanes} x i32> <{spread}>"
            )

        return load

    def _of_kinds(self, sources: Sequence[str]) -> Callable[[int], str]:
        """Return what reads the values that kinds decide, of j-particles at these addresses."""
        assert self.rows is not None
        c = self.program.layout.place(self.rows.kind)
        kinds = [self.put(f"getelementptr {self.code.one}, ptr {source}, i64 {c}") for source in sources]
        return values_of_rows(self.code, self.rows, [row_of(self.code, self.first_row, kind) for kind in kinds])
