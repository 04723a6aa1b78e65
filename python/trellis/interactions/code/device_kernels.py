"""The kernels of an interaction on a GPU as text: over the lists of a tree, or over neighbour lists.

They have the input and output of the kernels of compiled interactions, and their order of work: see
src/trellis/forces/tree/device/pairs.cuh and src/trellis/forces/short_range/kernels/neighbour_grid.hpp.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from trellis.interactions.code.device_text import Lines, Precision, Stages
from trellis.interactions.code.memory import entries_of, first_entry
from trellis.interactions.code.prepare import prepared
from trellis.interactions.code.program import Program
from trellis.interactions.graphs.graph import FROM_I, FROM_J, Node, needed

OWNED = {32: 4, 64: 2}  # i-particles of a thread, as run_time_device.hpp has them
MOST_ENTRIES = 8192  # as doubles, 64 KiB: each GPU has as much memory for constants
_LEAST, _MOST = "INFINITE", "-INFINITE"


def device_texts(program: Program, name: str) -> dict[str, str]:
    """Return the kernels of an interaction in both precisions, and the name by which devices know them."""
    single, double = (DeviceText(program, Precision(bits)).text() for bits in (32, 64))
    digest = hashlib.sha256(f"{single}\n{double}".encode()).hexdigest()
    return {"kernel_name": f"{name}.{digest[:16]}", "single_text": single, "double_text": double}


@dataclass
class DeviceText:
    """The kernel of an interaction in one precision."""

    program: Program
    precision: Precision

    def __post_init__(self) -> None:
        self.short = self.program.reach is not None
        tests = [self.program.within()] if self.short else []
        factors = [output.factor for output in self.program.layout.outputs]
        made = self.program.prepared([*self.program.values(), *tests])
        self.values, self.tests = made[: len(made) - len(tests)], made[len(made) - len(tests) :]
        self.factors = [] if self.short else prepared(self.program.graph, factors)
        self.stages = Stages([*self.values, *self.tests])
        self.finishing = Stages(self.factors)
        self.kinds = [output.kind for output in self.program.layout.outputs for _ in output.nodes]

    def text(self) -> str:
        """Return the text."""
        parts = [self._types(), self._once(), self._of_i(), self._of_j(), self._add_pair()]
        parts += [_NEIGHBOURS] if self.short else [self._finish(), _PAIRS]
        numbers = {
            "COMPONENTS": len(self.values),
            "OWNED": OWNED[self.precision.bits],
            "NO_PAIR": "{" + ", ".join(map(self._no_pair, self.kinds)) + "}",
        }
        text = "\n".join(parts).replace("@LIST@", _tiles(_LIST)).replace("@OWN@", _tiles(_OWN))
        for key, value in numbers.items():
            text = text.replace(f"@{key}@", str(value))
        return text

    def _no_pair(self, kind: str) -> str:
        return {"sum": "0", "maximum": _MOST, "minimum": _LEAST}[kind]

    def _types(self) -> str:
        components = sum(field[1] for field in self.program.layout.fields)
        return "\n".join(
            [
                f"typedef {self.precision.real} real;",
                f"typedef struct ALIGNED_16 {{ real values[{(components + 6) // 4 * 4}]; }} Row;",
                self._struct("Once", "c", self._all_once()),
                self._struct("Target", "i", self.stages.of_i),
                self._struct("Source", "j", self.stages.of_j),
                f"typedef struct {{ real values[{len(self.values)}]; }} Sums;",
                f"typedef struct {{ {'u64 elements' if self.short else 'u32 groups, largest; u64 unused'};"
                f" double parameters[{max(1, len(self.program.parameters))}]; }} Call;",
                *self._tables(),
                "",
            ]
        )

    def _tables(self) -> list[str]:
        """Return the coefficients of all tables; an error for a driver if there are too many."""
        program = self.program
        if not program.graph.tables:
            return []
        entries = entries_of(program.graph.tables)
        if len(entries) > MOST_ENTRIES:
            return [f"#error tables have {len(entries) // 4} rows: on a GPU, {MOST_ENTRIES // 4} are allowed"]
        none = "0.0f / 0.0f" if self.precision.bits == 32 else "0.0 / 0.0"  # known when the text is compiled
        numbers = ", ".join(none if isnan(each) else self.precision.constant(each) for each in entries)
        first = first_entry(program.parameters, program.graph.tables)
        return [f"enum {{ FIRST_ENTRY = {first} }};", f"TABLE real tables[{len(entries)}] = {{{numbers}}};"]

    def _struct(self, name: str, letter: str, nodes: Sequence[Node]) -> str:
        lines = Lines(self.precision, {}, [])
        members = [f"{lines.type_of(node)} {letter}{k};" for k, node in enumerate(nodes)]
        return f"typedef struct {{ {' '.join(members) or 'int none;'} }} {name};"

    def _all_once(self) -> list[Node]:
        both = [*self.stages.once, *self.finishing.once]
        return list({id(node): node for node in both}.values())

    def _members(self, value: str, letter: str, nodes: Sequence[Node]) -> dict[int, str]:
        return {id(node): f"{value}.{letter}{k}" for k, node in enumerate(nodes)}

    def _function(self, head: str, result: str, lines: Lines, ends: Mapping[str, str]) -> str:
        """Return a function that computes members of a result."""
        written = [f"    {result}.{member} = {value};" for member, value in ends.items()]
        return "\n".join([f"FUNCTION {head}", "{", *lines.lines, *written, f"    return {result};", "}", ""])

    def _once(self) -> str:
        """Return what computes that which no particle decides, in double precision."""
        exact = Lines(Precision(64), {}, ["    Once once;"])
        exact.add(
            [*self.stages.known(0), *self.finishing.known(0)],
            lambda node: f"call.parameters[{self.program.parameters.index(str(node.value))}]",
        )
        lines = Lines(self.precision, {}, [])
        ends = {f"c{k}": f"({lines.type_of(node)}){exact.names[id(node)]}" for k, node in enumerate(self._all_once())}
        if not ends:
            ends = {"none": "0"}
        return self._function("Once once_of(const Call call)", "once", exact, ends)

    def _row_value(self, side: str, node: Node) -> str:
        """Return a component of a row; positions are relative to the origin."""
        layout = self.program.layout
        place = layout.place(node)
        c = place if side == "j" else layout.target_components[place]
        if c >= 3:
            return f"row.values[{c + 3}]"
        return f"(row.values[{c}] - origin.values[{c}]) + (row.values[{c + 3}] - origin.values[{c + 3}])"

    def _constants(self, stages: Stages) -> dict[int, str]:
        names = self._members("once", "c", self._all_once())
        for node in stages.nodes:
            if node.is_constant:
                names[id(node)] = self.precision.constant(float(node.value))  # type: ignore[arg-type]
        return names

    def _of_i(self) -> str:
        lines = Lines(self.precision, self._constants(self.stages), ["    Target target;"])
        lines.add(needed_of(self.stages.of_i, FROM_I), lambda node: self._row_value("i", node))
        ends = {f"i{k}": lines.names[id(node)] for k, node in enumerate(self.stages.of_i)} or {"none": "0"}
        return self._function(
            "Target target_of(const Once once, const Row row, const Row origin)", "target", lines, ends
        )

    def _of_j(self) -> str:
        lines = Lines(self.precision, {}, ["    Source source;"])
        ends = {f"j{k}": self._row_value("j", node) for k, node in enumerate(self.stages.of_j)} or {"none": "0"}
        return self._function("Source source_of(const Row row, const Row origin)", "source", lines, ends)

    def _add_pair(self) -> str:
        names = self._constants(self.stages)
        names |= self._members("target", "i", self.stages.of_i) | self._members("source", "j", self.stages.of_j)
        lines = Lines(self.precision, names, [])
        pairs = [node for node in self.stages.nodes if node.reads & FROM_J and node.op != "field"]
        tests = {id(node) for node in needed(self.tests)}
        lines.add([node for node in pairs if id(node) in tests], str)
        lines.lines += [f"    if (!({names[id(test)]})) return;" for test in self.tests]
        lines.add(pairs, str)
        for c, (node, kind) in enumerate(zip(self.values, self.kinds, strict=True)):
            place, value = f"sums->values[{c}]", names[id(node)]
            if kind == "sum":
                lines.lines.append(f"    {place} += {value};")
            else:
                larger = f"{place} < {value}" if kind == "maximum" else f"{value} < {place}"
                lines.lines.append(f"    if ({larger}) {place} = {value};")
        head = "FUNCTION void add_pair(const Once once, const Target target, const Source source, Sums* sums)"
        return "\n".join([head, "{", *lines.lines, "}", ""])

    def _finish(self) -> str:
        """Return what multiplies the sums of an i-particle by their factors."""
        lines = Lines(self.precision, self._constants(self.finishing), [])
        lines.add(self.finishing.known(FROM_I), lambda node: self._row_value("i", node))
        c = 0
        for output, factor in zip(self.program.layout.outputs, self.factors, strict=True):
            for _ in output.nodes:
                if not (factor.is_constant and factor.value == 1):
                    lines.lines.append(f"    sums->values[{c}] *= {lines.names[id(factor)]};")
                c += 1
        head = "FUNCTION void finish(const Once once, const Row row, const Row origin, Sums* sums)"
        return "\n".join([head, "{", *lines.lines, "}", ""])


def needed_of(outputs: Sequence[Node], reads: int) -> list[Node]:
    """Return the nodes of some particles that some outputs depend on."""
    return [node for node in needed(outputs) if node.reads == reads]


def _tiles(values: Mapping[str, str]) -> str:
    text = _TILES
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    return text


_LIST = {"TOTAL": "group.index_count", "NUMBER": "indices[group.first_index + mine]", "UNROLLED": "4", "IF_OTHER": ""}
_OWN = {"TOTAL": "group.count", "NUMBER": "group.first_row + mine", "UNROLLED": "1",
        "IF_OTHER": "if (begin + k != first + lane + p * width) "}  # fmt: skip

# A block computes the forces on one part of a group. Each thread owns a few i-particles and takes a slice of the
# j-particles, which pass through shared memory a tile at a time: those on the list, then the group's own.
_PAIRS = """\
typedef struct { u32 first_row, count, first_range, range_count, first_result, index_count; u64 first_index; } Group;
typedef union { Source tile[256]; real sums[@COMPONENTS@][256]; } Shared;

KERNEL void pairs(GLOBAL const Row* rows, GLOBAL const Group* groups, GLOBAL const u32* indices, GLOBAL real* results,
                  const Call call)
{
    SHARED Shared shared;
    const Group group = groups[BLOCK_X];
    const u32 first = BLOCK_Y * (256 * @OWNED@);
    if (first >= group.count) return;
    const u32 left = group.count - first, count = left < 256 * @OWNED@ ? left : 256 * @OWNED@;
    const u32 width = (count + @OWNED@ - 1) / @OWNED@;
    const u32 slices = 256 / width < 32 ? 256 / width : 32, slice = THREAD / width, lane = THREAD % width;
    const Once once = once_of(call);
    const Row origin = rows[group.first_row];
    Target targets[@OWNED@];
    Sums sums[@OWNED@];
    #pragma unroll
    for (u32 p = 0; p < @OWNED@; ++p) {
        const u32 own = lane + p * width;
        const Sums none = {@NO_PAIR@};
        targets[p] = target_of(once, rows[group.first_row + first + (own < count ? own : count - 1)], origin);
        sums[p] = none;
    }
@LIST@@OWN@    #pragma unroll
    for (u32 p = 0; p < @OWNED@; ++p) {
        BARRIER;
        for (u32 c = 0; c < @COMPONENTS@; ++c) shared.sums[c][THREAD] = sums[p].values[c];
        BARRIER;
        const u32 i = lane + p * width;
        if (slice > 0 || i >= count) continue;
        Sums all = {@NO_PAIR@};
        for (u32 s = 0; s < slices; ++s)
            for (u32 c = 0; c < @COMPONENTS@; ++c) all.values[c] += shared.sums[c][s * width + lane];
        finish(once, rows[group.first_row + first + i], origin, &all);
        for (u32 c = 0; c < @COMPONENTS@; ++c)
            results[(u64)(group.first_result + first + i) * @COMPONENTS@ + c] = all.values[c];
    }
}
"""

# The pairs of the i-particles of all threads with the j-particles of the list, or with those of the group.
_TILES = """\
    for (u32 begin = 0; begin < @TOTAL@; begin += 256) {
        const u32 mine = begin + THREAD;
        const u32 number = mine < @TOTAL@ ? @NUMBER@ : group.first_row;
        const Source staged = source_of(rows[number], origin);
        BARRIER;
        shared.tile[THREAD] = staged;
        BARRIER;
        const u32 filled = @TOTAL@ - begin < 256 ? @TOTAL@ - begin : 256;
        const u32 length = ((filled + slices - 1) / slices) | (width % 32 != 0);
        const u32 to = (slice + 1) * length, end = slice >= slices ? 0 : to < filled ? to : filled;
        #pragma unroll @UNROLLED@
        for (u32 k = slice * length; k < end; ++k) {
            const Source source = shared.tile[k];
            #pragma unroll
            for (u32 p = 0; p < @OWNED@; ++p)
                @IF_OTHER@add_pair(once, targets[p], source, &sums[p]);
        }
    }
"""

# A thread computes one i-particle with the list of its block. Positions are relative to the i-particle.
_NEIGHBOURS = """\
typedef struct { u32 first, count, length; u64 begin; } Block;

KERNEL void neighbours(GLOBAL const Row* rows, GLOBAL const Block* blocks, GLOBAL const u32* entries,
                       GLOBAL real* outcome, const Call call)
{
    const u64 element = (u64)BLOCK_X * 256 + THREAD;
    if (element >= call.elements) return;
    const Block block = blocks[element / 16];
    const u32 slot = element % 16;
    Sums sums = {@NO_PAIR@};
    if (slot < block.count) {
        const Once once = once_of(call);
        const Row own = rows[block.first + slot];
        const Target target = target_of(once, own, own);
        for (u32 e = 0; e < block.length + block.count; ++e) {
            const u32 other = e - block.length;
            if (e >= block.length && other == slot) continue;
            const u32 number = e < block.length ? entries[block.begin + e] : block.first + other;
            add_pair(once, target, source_of(rows[number], own), &sums);
        }
    }
    for (u32 c = 0; c < @COMPONENTS@; ++c) outcome[c * call.elements + element] = sums.values[c];
}
"""
