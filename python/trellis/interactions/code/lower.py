"""The nodes of a graph as vector code: each is computed where all that it depends on is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from trellis.interactions.code.fused import fused
from trellis.interactions.code.table_rows import row_of_table
from trellis.interactions.code.vector_code import VectorCode
from trellis.interactions.graphs.graph import FROM_I, FROM_J, Node, needed

Values = dict[int, str]  # names of values, by the identities of their nodes
_COMPARISONS = {"less": "olt", "less_equal": "ole", "equal": "oeq"}


def lowered(code: VectorCode, node: Node, args: Sequence[str]) -> str:
    """Add the instructions of a node with these arguments; return the name of its value."""
    op = node.op
    if op in ("add", "sub"):
        return code.binary(f"f{op}", *args)
    if op == "mul":
        minus = node.args[0].is_constant and node.args[0].value == -1
        return code.negative(args[1]) if minus else code.mul(*args)
    if op == "reciprocal":
        return code.binary("fdiv", code.constant(1), args[0])
    if op == "rsqrt_of_positive":
        return code.rsqrt(args[0], positive=True)
    if op == "entry":
        return row_of_table(code, args[0])[int(node.value)]  # type: ignore[arg-type]
    if op in ("floor", "rsqrt", "exp", "log", "sin", "cos", "atan2", "erf", "erfc", "tanh"):
        return str(getattr(code, op)(*args))
    if op == "abs":
        return code.absolute(args[0])
    if op == "minimum":
        return code.select(code.compare("olt", args[1], args[0]), args[1], args[0])
    if op == "maximum":
        return code.select(code.compare("olt", args[0], args[1]), args[1], args[0])
    if op in _COMPARISONS:
        return code.compare(_COMPARISONS[op], *args)
    if op in ("both", "either"):
        return code.put(f"{'and' if op == 'both' else 'or'} {code.truths} {args[0]}, {args[1]}")
    if op == "not":
        return code.put(f"xor {code.truths} {args[0]}, {code.all_lanes('i1', 'true')}")
    if op == "where":
        return code.select(*args)
    raise ValueError(f"{op} is no operation")


def source_fields(nodes: Iterable[Node]) -> list[Node]:
    """Return the fields of j among some nodes."""
    return [node for node in nodes if node.op == "field" and node.reads == FROM_J]


@dataclass
class Lowering:
    """The values of nodes: those that no particle decides and those of i are computed once, the rest for each j.

    Attributes
    ----------
    outputs : sequence of Node
        What is to be computed.
    parameters : sequence of str
        Their names, in their order in memory.
    """

    outputs: Sequence[Node]
    parameters: Sequence[str]
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = needed(self.outputs)

    def of_parameters(self, code: VectorCode) -> Values:
        """Return the values that no particle decides: in double precision, then rounded, in all lanes."""
        scalar = VectorCode(code.machine, 64, 1, code.lines, code.declarations, code.names)
        exact: Values = {}
        values: Values = {}
        wanted = {id(arg) for node in self.nodes if node.reads for arg in node.args} | set(map(id, self.outputs))
        for node in self.nodes:
            if node.reads:
                continue
            if node.is_constant:
                exact[id(node)] = scalar.constant(float(node.value))  # type: ignore[arg-type]
                values[id(node)] = code.constant(float(node.value))  # type: ignore[arg-type]
                continue
            if node.op == "parameter":
                place = scalar.put(f"getelementptr double, ptr %p, i64 {self.parameters.index(str(node.value))}")
                exact[id(node)] = scalar.put(f"load double, ptr {place}")
            else:
                exact[id(node)] = lowered(scalar, node, [exact[id(arg)] for arg in node.args])
            if id(node) in wanted:
                values[id(node)] = self._rounded(code, node, exact[id(node)])
        return values

    def _rounded(self, code: VectorCode, node: Node, value: str) -> str:
        if node.op in ("less", "less_equal", "equal", "both", "either", "not"):
            if code.lanes == 1:
                return value
            first = code.put(f"insertelement {code.truths} poison, i1 {value}, i64 0")
            return code.put(
                f"shufflevector {code.truths} {first}, {code.truths} poison, <{code.lanes} x i32> zeroinitializer"
            )
        return code.splat(code.put(f"fptrunc double {value} to float") if code.bits == 32 else value)

    def of_targets(self, code: VectorCode, values: Values, load: Callable[[Node], str]) -> Values:
        """Return, beside some values, those that i decides; load: reads a field of i."""
        values = dict(values)
        for node in self.nodes:
            if node.reads != FROM_I:
                continue
            if node.op == "field":
                values[id(node)] = load(node)
            else:
                values[id(node)] = lowered(code, node, [values[id(arg)] for arg in node.args])
        return values

    def of_pairs(self, code: VectorCode, values: Values, load: Sequence[Callable[[Node], str]]) -> list[Values]:
        """Return all values of some batches of pairs, node by node; load: reads a field of j, for each batch."""
        batches = [dict(values) for _ in load]
        within = fused(self.nodes, self.outputs) if code.machine.level in ("v3", "v4") else {}
        left_out = {id(product) for product in within.values()}
        for node in self.nodes:
            if not node.reads & FROM_J or id(node) in left_out:
                continue
            for batch, load_field in zip(batches, load, strict=True):
                if node.op == "field":
                    batch[id(node)] = load_field(node)
                elif id(node) in within:
                    batch[id(node)] = _multiply_add(code, node, within[id(node)], batch)
                else:
                    batch[id(node)] = lowered(code, node, [batch[id(arg)] for arg in node.args])
        return batches


def _multiply_add(code: VectorCode, sum_: Node, product: Node, values: Values) -> str:
    a, b = (values[id(arg)] for arg in product.args)
    first = sum_.args[0] is product
    other = values[id(sum_.args[1 if first else 0])]
    if sum_.op == "sub":
        if first:
            other = code.negative(other)
        else:
            a = code.negative(a)
    return code.multiply_add(a, b, other)
