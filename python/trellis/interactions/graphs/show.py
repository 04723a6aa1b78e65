"""A traced interaction as text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from trellis.interactions.graphs.graph import Node, needed
from trellis.interactions.graphs.trace import Declared, Traced

_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "less": "<",
    "less_equal": "<=",
    "equal": "==",
    "both": "&",
    "either": "|",
}
_STRENGTH = {"either": 1, "both": 2, "less": 3, "less_equal": 3, "equal": 3, "add": 4, "sub": 4, "mul": 5}
_FACTOR, _TIGHT = 5, 9
_AXES = {1: [""], 3: [".x", ".y", ".z"]}  # by the number of components


def text_of(traced: Traced, declared: Declared, heading: str) -> str:
    """Return the operations that a pair takes, one line for each value that is used more than once."""
    outputs = [node for output in traced.outputs for node in output.nodes]
    finished = [node for nodes in traced.finish.values() for node in nodes]
    nodes = needed([*outputs, *(output.factor for output in traced.outputs), *finished])
    uses = Counter(id(node) for node in [*outputs, *finished, *(arg for node in nodes for arg in node.args)])
    text = _Text(declared)
    lines = [heading]
    for node in nodes:
        if node.args and uses[id(node)] > 1:
            shown = text.of(node)
            text.names[id(node)] = f"t{len(text.names) + 1}"
            lines.append(f"    {text.names[id(node)]} = {shown}")
    for output in traced.outputs:
        name, components, *_ = output.field
        one = output.factor.is_constant and output.factor.value == 1
        factor = "" if one else f"{text.of(output.factor, _FACTOR)} * "
        for node, axis in zip(output.nodes, _AXES[components], strict=True):
            lines.append(f"    {name}{axis}: {factor}{output.kind} of {text.of(node, _FACTOR)}")
    for name, changed in traced.finish.items():
        for node, axis in zip(changed, _AXES[len(changed)], strict=True):
            lines.append(f"    {name}{axis}, after all pairs: {text.of(node)}")
    return "\n".join(lines)


@dataclass
class _Text:
    """Nodes as text: those that have a name by it."""

    declared: Declared
    names: dict[int, str] = field(default_factory=dict)

    def of(self, node: Node, outer: int = 0) -> str:
        """Return a node; outer: the strength of the operation around it."""
        if id(node) in self.names:
            return self.names[id(node)]
        if node.is_constant:
            value = f"{node.value:.17g}"
            return f"({value})" if outer and value.startswith("-") else value
        if node.op == "parameter":
            return str(node.value)
        if node.op == "field":
            side, name, component = node.place
            return f"{side}.{name}" + (f".{'xyz'[int(component)]}" if self.declared.field(str(name))[1] == 3 else "")
        if node.op in _SIGNS:
            strength = _STRENGTH[node.op]
            a, b = (self.of(arg, strength + k) for k, arg in enumerate(node.args))
            text = f"{a} {_SIGNS[node.op]} {b}"
            return f"({text})" if strength < outer else text
        if node.op == "entry":
            return f"tables[{self.of(node.args[0], _STRENGTH['add'])} + {node.value}]"
        if node.op == "reciprocal":
            return f"(1 / {self.of(node.args[0], _TIGHT)})"
        if node.op == "power":
            return f"{self.of(node.args[0], _TIGHT)}**{node.value}"
        return f"{node.op}({', '.join(map(self.of, node.args))})"
