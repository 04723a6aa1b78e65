"""Taylor series of a node in one that it depends on, by arithmetic of truncated series.

The recurrences are those of Griewank & Walther, Evaluating Derivatives (2008), chapter 13. Work grows with the square
of the number of terms, where the text of repeated derivatives grows much faster.
"""

from __future__ import annotations

import math

from trellis.interactions.graphs.graph import Graph, Node, needed

Series = list[Node]  # coefficients of 1, t, t^2, ...
SMOOTH = ("add", "sub", "mul", "reciprocal", "power", "sqrt", "rsqrt", "exp", "log", "sin", "cos", "erf", "erfc",
          "tanh")  # fmt: skip


def is_smooth(node: Node) -> bool:
    """Return whether a node has series everywhere: one without conditions and absolute values."""
    return all(not each.args or each.op in SMOOTH for each in needed([node]))


def taylor(graph: Graph, of: Node, by: Node, unit: Node, terms: int) -> Series:
    """Return the coefficients of t^n in a smooth node where one that it depends on is by + unit t."""
    arithmetic = _Arithmetic(graph, terms)
    known: dict[int, Series] = {id(by): arithmetic.padded([by, unit])}
    for node in needed([of]):
        if id(node) not in known:
            known[id(node)] = arithmetic.operation(node, [known[id(arg)] for arg in node.args])
    return known[id(of)]


class _Arithmetic:
    def __init__(self, graph: Graph, terms: int) -> None:
        self.graph, self.terms = graph, terms

    def padded(self, first: Series) -> Series:
        return first + [self.graph.constant(0)] * (self.terms - len(first))

    def operation(self, node: Node, args: list[Series]) -> Series:
        graph = self.graph
        if not args or all(self._is_constant(arg) for arg in args):
            return self.padded([node])
        if node.op in ("add", "sub"):
            return [getattr(graph, node.op)(a, b) for a, b in zip(*args, strict=True)]
        if node.op == "mul":
            return self._mul(*args)
        if node.op == "power":
            return self._whole_power(args[0], int(node.value))  # type: ignore[arg-type]
        if node.op in ("sqrt", "rsqrt", "reciprocal"):
            return self._power(node, args[0], {"sqrt": 0.5, "rsqrt": -0.5, "reciprocal": -1.0}[node.op])
        if node.op == "exp":
            return self._exp(node, args[0])
        if node.op == "log":
            return self._log(node, args[0])
        if node.op in ("erf", "erfc"):
            return self._error_function(node, args[0])
        if node.op == "tanh":
            return self._tanh(node, args[0])
        return self._wave(node, args[0])

    @staticmethod
    def _is_constant(series: Series) -> bool:
        return all(each.is_constant and each.value == 0 for each in series[1:])

    def _sum(self, nodes: list[Node]) -> Node:
        total = self.graph.constant(0)
        for node in nodes:
            total = self.graph.add(total, node)
        return total

    def _times(self, factor: float, *nodes: Node) -> Node:
        product = self.graph.constant(factor)
        for node in nodes:
            product = self.graph.mul(product, node)
        return product

    def _mul(self, a: Series, b: Series) -> Series:
        return [self._sum([self.graph.mul(a[k], b[n - k]) for k in range(n + 1)]) for n in range(self.terms)]

    def _whole_power(self, a: Series, exponent: int) -> Series:
        if exponent == 1:
            return a
        half = self._whole_power(a, exponent // 2)
        square = self._mul(half, half)
        return self._mul(square, a) if exponent % 2 else square

    def _power(self, first: Node, a: Series, p: float) -> Series:
        """B = a^p: n a_0 b_n = sum over k of (p k - (n - k)) a_k b_(n - k)."""
        b, inverse = [first], self.graph.reciprocal(a[0])
        for n in range(1, self.terms):
            parts = [self._times(p * k - (n - k), a[k], b[n - k]) for k in range(1, n + 1)]
            b.append(self._times(1 / n, inverse, self._sum(parts)))
        return b

    def _log(self, first: Node, a: Series) -> Series:
        """B = log(a): n a_0 b_n = n a_n - sum over 0 < k < n of k b_k a_(n - k)."""
        b, inverse = [first], self.graph.reciprocal(a[0])
        for n in range(1, self.terms):
            parts = [self._times(-k / n, b[k], a[n - k]) for k in range(1, n)]
            b.append(self._times(1, inverse, self._sum([a[n], *parts])))
        return b

    def _exp(self, first: Node, a: Series) -> Series:
        """B = exp(a): n b_n = sum over k of k a_k b_(n - k)."""
        b = [first]
        for n in range(1, self.terms):
            b.append(self._sum([self._times(k / n, a[k], b[n - k]) for k in range(1, n + 1)]))
        return b

    def _wave(self, node: Node, a: Series) -> Series:
        """Return sine or cosine of a: n s_n = sum of k a_k c_(n - k), n c_n = - sum of k a_k s_(n - k)."""
        s, c = [self.graph.sin(node.args[0])], [self.graph.cos(node.args[0])]
        for n in range(1, self.terms):
            of_s = [self._times(k / n, a[k], c[n - k]) for k in range(1, n + 1)]
            of_c = [self._times(-k / n, a[k], s[n - k]) for k in range(1, n + 1)]
            s.append(self._sum(of_s))
            c.append(self._sum(of_c))
        return s if node.op == "sin" else c

    def _error_function(self, node: Node, a: Series) -> Series:
        """B = erf(a), e = exp(-a^2): n b_n = 2 / sqrt(pi) sum over k of k a_k e_(n - k)."""
        graph, (x,) = self.graph, node.args
        bell = self._exp(graph.exp(graph.neg(graph.power(x, 2))), [graph.neg(each) for each in self._mul(a, a)])
        slope = (1 if node.op == "erf" else -1) * 2 / math.sqrt(math.pi)
        return [node, *(self._sum([self._times(slope * k / n, a[k], bell[n - k]) for k in range(1, n + 1)])
                        for n in range(1, self.terms))]  # fmt: skip

    def _tanh(self, first: Node, a: Series) -> Series:
        """B = tanh(a), c = 1 - b^2: n b_n = sum over k of k a_k c_(n - k)."""
        graph = self.graph
        b, c = [first], [graph.sub(graph.constant(1), graph.power(first, 2))]
        for n in range(1, self.terms):
            b.append(self._sum([self._times(k / n, a[k], c[n - k]) for k in range(1, n + 1)]))
            c.append(graph.neg(self._sum([graph.mul(b[k], b[n - k]) for k in range(n + 1)])))
        return b
