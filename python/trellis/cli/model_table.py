"""Tables of the performance models, as wide as the terminal has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

Columns = Mapping[str, Mapping[str, float]]


def print_table(
    title: str,
    columns: Columns,
    rows: Sequence[str],
    *,
    wide: Mapping[str, str] | None = None,
    narrow: Mapping[str, str] | None = None,
    note: str = "",
) -> None:
    """Print numbers by row and column; where the terminal is narrow, with three digits and no lines.

    Parameters
    ----------
    title : str
        What the numbers are.
    columns : mapping
        For each column, its numbers by row; ``-`` stands where a row has none.
    rows : sequence of str
        Rows in their order; a row without any number is left out.
    wide, narrow : mapping, optional
        For each column, its heading, if that is not its name.
    note : str
        What the narrow headings mean.
    """
    console = Console()
    table = _table(columns, rows, wide, digits=4, box=True)
    if not _fits(console, table):
        table = _table(columns, rows, narrow, digits=3, box=False)
        if not _fits(console, table) and len(columns) > 1:
            names = list(columns)
            for half in (names[: len(names) // 2], names[len(names) // 2 :]):
                part = {name: columns[name] for name in half}
                print_table(title, part, rows, wide=wide, narrow=narrow, note=note)
            return
        title = f"{title}\n{note}".rstrip()
    console.print(title, style="italic", highlight=False)
    console.print(table)


def _fits(console: Console, table: Table) -> bool:
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum <= console.width


def _table(
    columns: Columns, rows: Sequence[str], headings: Mapping[str, str] | None, *, digits: int, box: bool
) -> Table:
    looks: dict[str, Any] = {} if box else {"box": None, "padding": (0, 1, 0, 0), "pad_edge": False}
    table = Table(**looks)
    table.add_column("")
    for name in columns:
        table.add_column(headings[name] if headings else name, justify="right")
    last = rows.index("Total") - 1
    for index, row in enumerate(rows):
        cells = [f"{values[row]:.{digits}g}" if row in values else "-" for values in columns.values()]
        if any(cell != "-" for cell in cells):
            table.add_row(row, *cells, end_section=index == last)
    return table
