"""Loops over the pairs of two blocks of particles of a small system as text of LLVM.

Their arguments are those of TileLoops in src/trellis/forces/run_time/run_time_pair.hpp.
"""

from __future__ import annotations

from trellis.interactions.code.counted_loop import LoopText, counted_loop
from trellis.interactions.code.lower import Lowering, Values
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import Program
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import Node
from trellis.interactions.graphs.relative import relative

SUMMED = ("acceleration", "potential")
_OWN, _SPARSE = 1, 8  # beside 2: periodic, and 4: masked


def tile_numbers(program: Program) -> list[int]:
    """Return the numbers of the loops that an interaction has: only one with a cutoff skips rows."""
    return [k for k in range(16) if not k & _SPARSE or (program.reach is not None and not k & _OWN)]


def finish_tile(program: Program) -> tuple[str, set[str]]:
    """Return what multiplies the sums of a block by their factors, in double precision."""
    lanes = program.machine.vector_bytes // 4
    code = VectorCode(program.machine, 64, lanes)
    of_name = {output.field[0]: output for output in program.layout.outputs}
    components = [of_name[name].factor for name in SUMMED for _ in of_name[name].nodes]
    factors = prepared(program.graph, components)
    lowering = Lowering(factors, program.parameters)
    values = lowering.of_targets(
        code, lowering.of_parameters(code), lambda node: code.load("%t", lanes * program.layout.place(node))
    )
    for c, factor in enumerate(factors):
        first = code.put(f"mul i64 %stride, {c}")
        at = code.put(f"getelementptr float, ptr %s, i64 {first}")
        total = code.put(f"load <{lanes} x float>, ptr {at}, align 4")
        total = code.cast("fpext", f"<{lanes} x float>", total, code.type)
        code.store(code.mul(total, values[id(factor)]), "%o", lanes * c)
    code.lines.append("  ret void")
    arguments = "ptr noalias %p, ptr noalias %t, ptr noalias %s, i64 %stride, ptr noalias %o"
    return code.function("void", "finish_tile", arguments), code.declarations


class TileLoop(LoopText):
    """The pairs of two blocks: in turn t, lane k has i-particle k and j-particle k + t, modulo the lanes.

    Each pair gives to both sides: the sums of j move from lane to lane from turn to turn, as the j-particles do.
    """

    def __init__(self, program: Program, number: int) -> None:
        self.program, self.number = program, number
        self.own, self.periodic, self.masked, self.sparse = (bool(number >> bit & 1) for bit in range(4))
        self.code = VectorCode(program.machine, 32, program.machine.vector_bytes // 4)
        of_name = {output.field[0]: output.nodes for output in program.layout.outputs}
        values = [node for name in SUMMED for node in of_name[name]]
        within = [] if program.reach is None else [program.within()]
        there = relative(program.graph, [*values, *within])
        back = relative(program.graph, values, reverse=True)
        softened = {id(made[each]) for made in (there, back) for each in program.softened if each in made}
        outputs = [there[id(node)] for node in (*values, *within)] + [back[id(node)] for node in values]
        made = prepared(program.graph, outputs, softened)
        self.within = made[len(values) : len(values) + len(within)]
        self.of_i, self.of_j = made[: len(values)], made[-len(values) :]
        self.lowering = Lowering(made, program.parameters)
        self.test = Lowering(self.within, program.parameters)

    def text(self) -> tuple[str, set[str]]:
        """Return the function, and the declarations that it needs."""
        code, lanes = self.code, self.code.lanes
        values = self.lowering.of_targets(code, self.lowering.of_parameters(code), lambda node: self._field("%a", node))
        self.origin = [code.load("%a", 2 * lanes * c) for c in range(3)]
        self.box = [code.splat(self.put(f"load float, ptr {self._at('%box', k)}")) for k in range(6 * self.periodic)]
        zero = [code.constant(0)] * (len(self.of_i) + len(self.of_j))
        first, end = ("1", lanes // 2) if self.own else ("0", lanes)
        last = "some_end" if self.sparse else ""
        _, sums = counted_loop(
            code, "turn", "entry", first, str(end), 1, zero, lambda t, sums: self._turn(values, t, sums), last
        )
        of_i, of_j = sums[: len(self.of_i)], sums[len(self.of_i) :]
        if self.own:  # in the last turn each pair occurs twice
            of_i = self._row(values, str(end), sums, self._vectors(str(end)))[: len(of_i)]
            of_j = [self._moved(each, lanes // 2) for each in of_j]
        for base, stride, totals in (("%sa", "%stride_a", of_i), ("%sb", "%stride_b", of_j)):
            for c, total in enumerate(totals):
                at = self._at(base, self.put(f"mul i64 {stride}, {c}"))
                self.line(f"store {code.type} {code.add(code.load_from(at), total)}, ptr {at}, align 4")
        self.line("ret void")
        # The sums may be those of one block.
        arguments = "ptr noalias %p, ptr noalias %a, ptr noalias %b, ptr noalias %box, ptr noalias %mask"
        arguments += ", i64 %mask_stride, ptr %sa, i64 %stride_a, ptr %sb, i64 %stride_b"
        return code.function("void", f"tile_{self.number}", arguments), code.declarations

    def _turn(self, values: Values, turn: str, sums: list[str]) -> list[str]:
        """Return the sums with the pairs of a turn, those of j for the next."""
        vectors, new = self._vectors(turn), sums
        if self.sparse:
            (test,) = self.test.of_pairs(self.code, values, [lambda node: self._of_j(node, turn, vectors)])
            counts, lanes = test[id(self.within[0])], self.code.lanes
            if self.masked:
                counts = self.put(f"and {self.code.truths} {counts}, {self._counting(turn)}")
            some = self.put(f"icmp ne i{lanes} {self.put(f'bitcast <{lanes} x i1> {counts} to i{lanes}')}, 0")
            self.line(f"br i1 {some}, label %some, label %some_end")
            self.line("some:")
        new = self._row(values, turn, sums, vectors)
        if self.sparse:
            self.line("br label %some_end")
            self.line("some_end:")
            type_ = self.code.type
            new = [
                self.put(f"phi {type_} [ {before}, %turn_body ], [ {after}, %some ]")
                for before, after in zip(sums, new, strict=True)
            ]
        return new[: len(self.of_i)] + [self._moved(each, 1) for each in new[len(self.of_i) :]]

    def _row(self, values: Values, turn: str, sums: list[str], vectors: list[str]) -> list[str]:
        """Return the sums with the pairs of a turn."""
        (pairs,) = self.lowering.of_pairs(self.code, values, [lambda node: self._of_j(node, turn, vectors)])
        masks = [pairs[id(node)] for node in self.within]
        if self.masked:
            masks.append(self._counting(turn))
        counts = masks[0] if masks else ""
        for mask in masks[1:]:
            counts = self.put(f"and {self.code.truths} {counts}, {mask}")
        new = [self._plus(total, node, pairs) for total, node in zip(sums, [*self.of_i, *self.of_j], strict=True)]
        return [self.code.select(counts, a, b) for a, b in zip(new, sums, strict=True)] if counts else new

    def _plus(self, total: str, node: Node, values: Values) -> str:
        """Return a sum with a value, of a product in one operation where there is one."""
        code, product = self.code, node
        minus = node.op == "mul" and node.args[0].is_constant and node.args[0].value == -1
        if minus:
            product = node.args[1]
        if product.op != "mul" or not product.reads or code.machine.level not in ("v3", "v4"):
            return code.add(total, values[id(node)])
        a, b = (values[id(arg)] for arg in product.args)
        return code.multiply_add(code.negative(a) if minus else a, b, total)

    def _counting(self, turn: str) -> str:
        """Return which pairs of a turn the mask lets count."""
        row = self._at("%mask", self.put(f"mul i64 %mask_stride, {turn}"))
        return self.put(f"fcmp ogt {self.code.type} {self.code.load_from(row)}, zeroinitializer")

    def _vectors(self, turn: str) -> list[str]:
        """Return the vector from i to j in a turn, in a box by the nearest image."""
        code = self.code
        here = self._at("%b", turn)
        d = [code.sub(code.load(here, 2 * code.lanes * c), self.origin[c]) for c in range(3)]
        if not self.periodic:
            return d
        large = code.constant(1.5 * 2.0**23)  # a number that is added to it is rounded to a whole one
        images = [code.sub(code.add(code.mul(d[c], self.box[3 + c]), large), large) for c in range(3)]
        return [code.sub(d[c], code.mul(self.box[c], images[c])) for c in range(3)]

    def _of_j(self, node: Node, turn: str, vectors: list[str]) -> str:
        return vectors[node.place[2]] if node.place[1] == "position" else self._field(self._at("%b", turn), node)

    def _field(self, block: str, node: Node) -> str:
        return self.code.load(block, 2 * self.code.lanes * self.program.layout.component(node))

    def _at(self, base: str, place: int | str) -> str:
        return self.put(f"getelementptr float, ptr {base}, i64 {place}")

    def _moved(self, value: str, by: int) -> str:
        """Return a vector in which each lane has the value of the lane that is `by` further on."""
        type_, lanes = self.code.type, self.code.lanes
        order = ", ".join(f"i32 {(lane + by) % lanes}" for lane in range(lanes))
        return self.put(f"shufflevector {type_} {value}, {type_} poison, <{lanes} x i32> <{order}>")
