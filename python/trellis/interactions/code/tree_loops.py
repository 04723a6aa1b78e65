"""Loops over the j-particles of a tree as text of LLVM: j across lanes, i-particles one after the other.

Their arguments are those of PairLoops in src/trellis/forces/run_time/run_time_pair.hpp.
"""

from __future__ import annotations

from collections.abc import Callable

from trellis.interactions.code.counted_loop import counted_loop
from trellis.interactions.code.lower import Lowering, Values, source_fields
from trellis.interactions.code.program import Program
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Node

_AT_ONCE = 8  # batches of j-particles that are computed side by side


class TreeLoop:
    """What the loops over the j-particles of a tree have in common: j across lanes, i one after the other."""

    name = ""
    more_arguments = ""

    def __init__(self, program: Program, bits: int) -> None:
        self.program, self.bits = program, bits
        self.code = VectorCode(program.machine, bits, 8 * program.machine.vector_bytes // bits)
        self.lowering = Lowering(program.prepared(program.values()), program.parameters)
        self.width = self.code.lanes

    def put(self, instruction: str) -> str:
        """Add an instruction that has a value, and return its name."""
        return self.code.put(instruction)

    def line(self, text: str) -> None:
        """Add a line: the name of a block, or an instruction without a value."""
        self.code.lines.append(text if text.endswith(":") else f"  {text}")

    def text(self) -> tuple[str, set[str]]:
        """Return the function, and the declarations that it needs."""
        code, layout = self.code, self.program.layout
        parameters = self.lowering.of_parameters(code)
        self.columns = {}
        for node in source_fields(self.lowering.nodes):
            c = layout.place(node)
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
            self.line(f"store {code.type} {total}, ptr {place}, align {self.program.machine.vector_bytes}")
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
        offset = self.put(f"mul i64 %ts, {self.program.layout.place(node)}")
        place = self.put(f"add i64 {offset}, %i")
        at = self.put(f"getelementptr {self.code.one}, ptr %t, i64 {place}")
        return self.code.splat(self.put(f"load {self.code.one}, ptr {at}, align {self.bits // 8}"))

    def _sums(self) -> list[str]:
        count = len(self.lowering.outputs)
        first = self.put(f"mul i64 %i, {count * self.width}")
        own = self.put(f"getelementptr {self.code.one}, ptr %o, i64 {first}")
        return [self.put(f"getelementptr {self.code.one}, ptr {own}, i64 {c * self.width}") for c in range(count)]

    def _source(self, j: str, batch: int) -> Callable[[Node], str]:
        """Return what reads the fields of a batch of j-particles, j and the batches before it behind."""

        def load(node: Node) -> str:
            column = self.columns[self.program.layout.place(node)]
            at = self.put(f"getelementptr {self.code.one}, ptr {column}, i64 {j}")
            if batch:
                at = self.put(f"getelementptr {self.code.one}, ptr {at}, i64 {batch * self.width}")
            return self.code.load_from(at)

        return load

    def _each_source(self, values: Values, sums: list[str]) -> list[str]:
        raise NotImplementedError

    def _masked(self, values: Values, j: str, totals: list[str], counts: str) -> list[str]:
        """Return the sums with those lanes of the batch at j that count."""
        code = self.code
        (batch,) = self.lowering.of_pairs(code, values, [self._source(j, 0)])
        zero = code.constant(0)
        return [
            code.add(total, code.select(counts, batch[id(node)], zero))
            for total, node in zip(totals, self.lowering.outputs, strict=True)
        ]

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
        batches = _AT_ONCE
        while batches:

            def body(j: str, totals: list[str], batches: int = batches) -> list[str]:
                loads = [self._source(j, batch) for batch in range(batches)]
                for batch in self.lowering.of_pairs(code, values, loads):
                    outputs = self.lowering.outputs
                    totals = [code.add(total, batch[id(node)]) for total, node in zip(totals, outputs, strict=True)]
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
