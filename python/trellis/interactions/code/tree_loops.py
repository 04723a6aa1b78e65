"""Loops over the j-particles of a tree as text of LLVM: j across lanes, i-particles one after the other.

Their arguments are those of src/trellis/forces/run_time/loops/column_loops.hpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trellis.interactions.code.counted_loop import LoopText, counted_loop
from trellis.interactions.code.instructions import Machine
from trellis.interactions.code.lower import Lowering, Values, source_fields
from trellis.interactions.code.program import Program
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Node


@dataclass(frozen=True)
class PairsInColumns:
    """What loops compute of each pair.

    Attributes
    ----------
    machine : Machine
        The instruction set.
    lowering : Lowering
        Of the results, and behind them of the condition under which a pair counts, if there is one.
    kinds : sequence of str
        The kinds of results: sum, maximum or minimum.
    place : callable
        The number of a field's component.
    at_once : int
        The batches of j-particles that are computed side by side, a power of two.
    """

    machine: Machine
    lowering: Lowering
    kinds: Sequence[str]
    place: Callable[[Node], int]
    at_once: int = 8

    @staticmethod
    def of(program: Program) -> PairsInColumns:
        """Return the pairs of an interaction of long range."""
        values = program.values()
        lowering = Lowering(program.prepared(values), program.parameters)
        return PairsInColumns(program.machine, lowering, ["sum"] * len(values), program.layout.place)


class TreeLoop(LoopText):
    """What the loops over the j-particles of a tree have in common: j across lanes, i one after the other."""

    name = ""
    more_arguments = ""

    def __init__(self, pairs: PairsInColumns, bits: int) -> None:
        self.pairs, self.bits = pairs, bits
        self.code = VectorCode(pairs.machine, bits, 8 * pairs.machine.vector_bytes // bits)
        self.lowering = pairs.lowering
        self.width = self.code.lanes

    def text(self) -> tuple[str, set[str]]:
        """Return the function, and the declarations that it needs."""
        code = self.code
        parameters = self.lowering.of_parameters(code)
        self.columns = {}
        for node in source_fields(self.lowering.nodes):
            c = self.pairs.place(node)
            offset = self.put(f"mul i64 %ss, {c}")
            self.columns[c] = self.put(f"getelementptr {code.one}, ptr %s, i64 {offset}")
        self.line("br label %i_head")
        self.line("i_head:")
        self.line("%i = phi i64 [ 0, %entry ], [ %i_next, %i_end ]")
        more = self.put("icmp ult i64 %i, %n")
        self.line(f"br i1 {more}, label %i_body, label %exit")
        self.line("i_body:")
        values = self.lowering.of_targets(code, parameters, self._target)
        sums = self._sums()
        totals = self._each_source(values, [code.load_from(place) for place in sums])
        for place, total in zip(sums, totals, strict=True):
            self.line(f"store {code.type} {total}, ptr {place}, align {self.pairs.machine.vector_bytes}")
        self.line("br label %i_end")
        self.line("i_end:")
        self.line("%i_next = add i64 %i, 1")
        self.line("br label %i_head")
        self.line("exit:")
        self.line("ret void")
        arguments = "ptr noalias %p, ptr noalias %t, i64 %ts, i64 %n, ptr noalias %s, i64 %ss, i64 %m, ptr noalias %o"
        name = f"{self.name}_{self.code.precision}"
        return code.function("void", name, arguments + self.more_arguments), code.declarations

    def _target(self, node: Node) -> str:
        offset = self.put(f"mul i64 %ts, {self.pairs.place(node)}")
        place = self.put(f"add i64 {offset}, %i")
        at = self.put(f"getelementptr {self.code.one}, ptr %t, i64 {place}")
        return self.code.splat(self.put(f"load {self.code.one}, ptr {at}, align {self.bits // 8}"))

    def _sums(self) -> list[str]:
        count = len(self.pairs.kinds)
        first = self.put(f"mul i64 %i, {count * self.width}")
        own = self.put(f"getelementptr {self.code.one}, ptr %o, i64 {first}")
        return [self.put(f"getelementptr {self.code.one}, ptr {own}, i64 {c * self.width}") for c in range(count)]

    def _source(self, j: str, batch: int) -> Callable[[Node], str]:
        """Return what reads the fields of a batch of j-particles, j and the batches before it behind."""

        def load(node: Node) -> str:
            column = self.columns[self.pairs.place(node)]
            at = self.put(f"getelementptr {self.code.one}, ptr {column}, i64 {j}")
            if batch:
                at = self.put(f"getelementptr {self.code.one}, ptr {at}, i64 {batch * self.width}")
            return self.code.load_from(at)

        return load

    def _each_source(self, values: Values, sums: list[str]) -> list[str]:
        raise NotImplementedError

    def _masked(self, values: Values, j: str, totals: list[str], counts: str) -> list[str]:
        """Return the sums with those lanes of the batch at j that count."""
        (batch,) = self.lowering.of_pairs(self.code, values, [self._source(j, 0)])
        return self._with(batch, totals, counts)

    def _with(self, batch: Values, totals: list[str], counts: str = "") -> list[str]:
        """Return the sums, and the extremes, with a batch of pairs; counts: those of its lanes that do, if not all."""
        code = self.code
        results = [batch[id(node)] for node in self.lowering.outputs]
        for within in results[len(totals) :]:
            counts = self.put(f"and {code.truths} {within}, {counts}") if counts else within
        new = []
        for kind, total, value in zip(self.pairs.kinds, totals, results, strict=False):
            if kind == "sum":
                new.append(code.add(total, code.select(counts, value, code.constant(0)) if counts else value))
                continue
            better = code.compare("olt", *((total, value) if kind == "maximum" else (value, total)))
            better = self.put(f"and {code.truths} {counts}, {better}") if counts else better
            new.append(code.select(better, value, total))
        return new

    def _lanes_below(self, count: str, predicate: str = "ult") -> str:
        """Return whether the number of each lane is below a number."""
        lanes = f"<{', '.join(f'i64 {lane}' for lane in range(self.width))}>"
        type_ = f"<{self.width} x i64>"
        first = self.put(f"insertelement {type_} poison, i64 {count}, i64 0")
        all_ = self.put(f"shufflevector {type_} {first}, {type_} poison, <{self.width} x i32> zeroinitializer")
        return self.put(f"icmp {predicate} {type_} {lanes}, {all_}")


class AddPairs(TreeLoop):
    """All staged j-particles: several batches at once, then fewer, then what is left under a mask."""

    name = "add_pairs"

    def _each_source(self, values: Values, sums: list[str]) -> list[str]:
        code, before, j, totals = self.code, "i_body", "0", sums
        batches = self.pairs.at_once
        while batches:

            def body(j: str, totals: list[str], batches: int = batches) -> list[str]:
                loads = [self._source(j, batch) for batch in range(batches)]
                for batch in self.lowering.of_pairs(code, values, loads):
                    totals = self._with(batch, totals)
                return totals

            j, totals = counted_loop(code, f"by{batches}", before, j, "%m", batches * self.width, totals, body)
            before = f"by{batches}_end"
            batches //= 2
        left = self.put(f"sub i64 %m, {j}")
        some = self.put(f"icmp ne i64 {left}, 0")
        self.line(f"br i1 {some}, label %rest, label %whole")
        self.line("rest:")
        new = self._masked(values, j, totals, self._lanes_below(left))
        self.line("br label %whole")
        self.line("whole:")
        return [
            self.put(f"phi {code.type} [ {total}, %{before} ], [ {more}, %rest ]")
            for total, more in zip(totals, new, strict=True)
        ]


class AddOwn(TreeLoop):
    """The j-particles that are i-particles, too."""

    name = "add_own"
    more_arguments = ", i64 %first"

    def _each_source(self, values: Values, sums: list[str]) -> list[str]:
        own = self.put("sub i64 %i, %first")
        end = self.put(f"add i64 %m, {self.width - 1}")

        def body(j: str, totals: list[str]) -> list[str]:
            present = self._lanes_below(self.put(f"sub i64 %m, {j}"))
            other = self._lanes_below(self.put(f"sub i64 {own}, {j}"), "ne")
            counts = self.put(f"and {self.code.truths} {present}, {other}")
            return self._masked(values, j, totals, counts)

        return counted_loop(self.code, "own", "i_body", "0", end, self.width, sums, body)[1]
