"""Derivatives and substitutions in a graph."""

from __future__ import annotations

import math

from trellis.interactions.graphs.graph import CONDITIONS, STEPS, Graph, Node, needed


def derivative(graph: Graph, of: Node, by: Node) -> Node:
    """Return the derivative of a node by one that it depends on."""
    known: dict[int, Node] = {id(by): graph.constant(1)}
    for node in needed([of]):
        if id(node) not in known:
            known[id(node)] = _derivative(graph, node, [known[id(arg)] for arg in node.args])
    return known[id(of)]


def _derivative(graph: Graph, node: Node, d: list[Node]) -> Node:
    op, args = node.op, node.args
    mul = graph.mul
    if not args or op in CONDITIONS or op in STEPS:
        return graph.constant(0)
    if op in ("add", "sub"):
        return getattr(graph, op)(*d)  # type: ignore[no-any-return]
    if op == "mul":
        return graph.add(mul(d[0], args[1]), mul(args[0], d[1]))
    if op == "where":
        return graph.select(args[0], d[1], d[2])
    if op in ("minimum", "maximum"):
        smaller, larger = args if op == "maximum" else args[::-1]
        return graph.select(graph.apply("less", smaller, larger), d[1], d[0])
    if op == "power":
        n = int(node.value)  # type: ignore[arg-type]
        slope = mul(graph.constant(n), graph.power(args[0], n - 1))
    elif op == "reciprocal":
        slope = graph.neg(graph.power(node, 2))
    elif op == "sqrt":
        slope = mul(graph.constant(0.5), graph.rsqrt(args[0]))
    elif op == "rsqrt":
        slope = mul(graph.constant(-0.5), mul(node, graph.reciprocal(args[0])))
    elif op == "exp":
        slope = node
    elif op == "log":
        slope = graph.reciprocal(args[0])
    elif op == "sin":
        slope = graph.cos(args[0])
    elif op == "cos":
        slope = graph.neg(graph.sin(args[0]))
    elif op in ("erf", "erfc"):
        bell = graph.exp(graph.neg(graph.power(args[0], 2)))
        slope = mul(graph.constant((1 if op == "erf" else -1) * 2 / math.sqrt(math.pi)), bell)
    elif op == "tanh":
        slope = graph.sub(graph.constant(1), graph.power(node, 2))
    elif op == "abs":
        slope = graph.select(graph.apply("less", args[0], graph.constant(0)), graph.constant(-1), graph.constant(1))
    else:
        raise ValueError(f"{op} is no operation")
    return mul(slope, d[0])


def substituted(graph: Graph, node: Node, what: Node, by: Node) -> Node:
    """Return a node in which one that it depends on is replaced."""
    made: dict[int, Node] = {id(what): by}
    for each in needed([node]):
        if id(each) not in made:
            made[id(each)] = rebuilt(graph, each, [made[id(arg)] for arg in each.args])
    return made[id(node)]


def rebuilt(graph: Graph, node: Node, args: list[Node]) -> Node:
    """Return the operation of a node on other arguments, in a graph of theirs."""
    if not args:
        return node
    if node.op == "power":
        return graph.power(args[0], int(node.value))  # type: ignore[arg-type]
    if node.op == "entry":
        return graph.entry(int(node.value), *args)  # type: ignore[arg-type]
    if node.op == "where":
        return graph.select(*args)
    return graph.operation(node.op, *args)
