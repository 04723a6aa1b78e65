"""Rates of the kernels of a device, from counted operations and bytes, and the peaks of cards' data sheets.

Operations are counted by running the kernels' own text on numbers that count (``tests/budgets``). Rates are predicted,
not measured, but for those of pairs on an H200 (``bench/results/gpu-h200-f184582049.md``).
"""

from __future__ import annotations

from dataclasses import dataclass

ORDERS = (2, 3, 4, 5)
P2P_OPERATIONS = 23
EXPANSION_OPERATIONS = {  # by order
    "P2M": (41, 81, 141, 225),
    "M2M": (104, 293, 702, 1501),
    "M2L": (105, 236, 524, 1092),
    "L2L": (96, 249, 562, 1151),
    "L2P": (62, 138, 258, 432),
    "M2P": (128, 272, 502, 844),
}
SHARE_OF_PEAK = 0.637  # pairs on an H200: 1.852e12 in a second, groups of 256, lists of 2000

B_VALUE, B_ROW, B_RESULT, B_LINE = 4, 32, 16, 64  # bytes, single precision; rows of cells are whole lines
CELL_VALUES = 8  # in a row, beside the moments: centre, its rest, unit, widening


@dataclass(frozen=True)
class Card:
    """A card by its data sheet.

    Attributes
    ----------
    F : float
        Peak of single precision without matrix units, in operations a second.
    B : float
        Bandwidth of its memory, in bytes a second.
    """

    F: float
    B: float


CARDS = {
    "H200": Card(F=66.9e12, B=4.8e12),
    "H100 SXM": Card(F=66.9e12, B=3.35e12),
    "A100 80 GB": Card(F=19.5e12, B=2.04e12),
    "MI250X, one of two": Card(F=23.9e12, B=1.64e12),
    "MI300X": Card(F=163.4e12, B=5.3e12),
    "Max 1550": Card(F=52.4e12, B=3.28e12),
    "RTX 4090": Card(F=82.6e12, B=1.01e12),
}


def terms(order: int) -> int:
    """Return the number of terms of an expansion of an order."""
    return (order + 1) * (order + 2) * (order + 3) // 6


def operations(kernel: str, order: int) -> int:
    """Return the operations of one interaction."""
    return P2P_OPERATIONS if kernel == "P2P" else EXPANSION_OPERATIONS[kernel][ORDERS.index(order)]


def bytes_read(kernel: str, order: int) -> float:
    """Return the bytes of one interaction that pass through memory, if all that neighbours share is read once."""
    cell = -(-B_VALUE * (terms(order) + CELL_VALUES) // B_LINE) * B_LINE
    local = B_VALUE * terms(order)
    return {
        "P2P": 0.0,  # a tile in shared memory serves a group
        "P2M": B_ROW,
        "M2M": cell,
        "M2L": cell + B_VALUE,
        "L2L": local,
        "L2P": B_ROW + B_RESULT,
        "M2P": 0.0,  # as for P2P
    }[kernel]


def rate(kernel: str, order: int, card: Card) -> float:
    """Return the interactions a second of a kernel: of pairs at the share of an H200, of others at the peaks.

    Parameters
    ----------
    kernel : str
        P2P, or a step of expansions: P2M, M2M, M2L, L2L, L2P, M2P.
    order : int
        Of the expansions, 2 to 5.
    card : Card
        Where it runs.

    Returns
    -------
    float
        Operations and bytes at the same time: the slower of the two decides.
    """
    share = SHARE_OF_PEAK if kernel == "P2P" else 1
    return 1 / max(operations(kernel, order) / (share * card.F), bytes_read(kernel, order) / card.B)


def operations_table() -> str:
    """Return the operations and bytes of all kernels as a table in Markdown."""
    lines = ["| kernel | " + " | ".join(f"order {order}" for order in ORDERS) + " |", "|---|" + "---:|" * len(ORDERS)]
    for kernel in ("P2P", *EXPANSION_OPERATIONS):
        cells = (f"{operations(kernel, order)}, {bytes_read(kernel, order):g} B" for order in ORDERS)
        lines.append(f"| {kernel} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def rates_table(order: int = 3) -> str:
    """Return the rates of all kernels on all cards as a table in Markdown, in 1e9 interactions a second."""
    kernels = ("P2P", *EXPANSION_OPERATIONS)
    lines = ["| card | " + " | ".join(kernels) + " |", "|---|" + "---:|" * len(kernels)]
    for name, card in CARDS.items():
        lines.append(
            f"| {name} | " + " | ".join(f"{rate(kernel, order, card) / 1e9:,.0f}" for kernel in kernels) + " |"
        )
    return "\n".join(lines) + "\n"
