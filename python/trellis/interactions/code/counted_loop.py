"""Loops as text of LLVM: what all of them share, and a loop over numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trellis.interactions.code.vector_code import VectorCode


class LoopText:
    """Base of loops that are written line by line."""

    code: VectorCode

    def put(self, instruction: str) -> str:
        """Add an instruction that has a value, and return its name."""
        return self.code.put(instruction)

    def line(self, text: str) -> None:
        """Add a line: the name of a block, or an instruction without a value."""
        self.code.lines.append(text if text.endswith(":") else f"  {text}")


def counted_loop(
    code: VectorCode, label: str, before: str, first: str, end: str, step: int, sums: Sequence[str],
    body: Callable[[str, list[str]], list[str]], last: str = "",
) -> tuple[str, list[str]]:  # fmt: skip
    """Add a loop of j from `first` on, while j + step <= end, in which body returns new sums.

    Return j and the sums behind it, which are in a block of their own, label_end; before: the block that it follows;
    last: that in which the body ends, if it is of several.
    """
    lines, k, following = code.lines, f"%{label}_k", f"%{label}_next"
    last = last or f"{label}_body"
    totals = [f"%{label}_sum{c}" for c in range(len(sums))]
    enough = code.put(f"add i64 {first}, {step}")
    begins = code.put(f"icmp ule i64 {enough}, {end}")
    lines += [f"  br i1 {begins}, label %{label}_body, label %{label}_end", f"{label}_body:"]
    position = len(lines)
    lines.append(f"  {following} = add i64 {k}, {step}")
    after = body(k, totals)
    beyond = code.put(f"add i64 {following}, {step}")
    goes_on = code.put(f"icmp ule i64 {beyond}, {end}")
    lines += [f"  br i1 {goes_on}, label %{label}_body, label %{label}_end", f"{label}_end:"]
    carried = [(k, "i64", first, following)] + [
        (t, code.type, b, a) for t, b, a in zip(totals, sums, after, strict=True)
    ]
    lines[position:position] = [
        f"  {name} = phi {type_} [ {begin}, %{before} ], [ {new}, %{last} ]" for name, type_, begin, new in carried
    ]
    k_behind, *totals_behind = (
        code.put(f"phi {type_} [ {begin}, %{before} ], [ {new}, %{last} ]") for _, type_, begin, new in carried
    )
    return k_behind, totals_behind
