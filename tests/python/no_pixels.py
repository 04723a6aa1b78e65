"""Pictures that are drawn, but not turned into pixels: matplotlib takes longer for these than a small run takes."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

PNG = b"\x89PNG\r\n\x1a\n"  # with which such a file begins


def savefig(_figure: Figure, file: BytesIO, **_options: object) -> None:
    """Write the beginning of a file alone, as a method of a figure."""
    file.write(PNG)
