"""Styles of pictures: dark for slides, light for paper, with colours that all readers can distinguish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from trellis.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from matplotlib.colors import ListedColormap

StyleName: TypeAlias = Literal["dark", "light"]

FADING = 0.12  # share of a colour map along which it leaves the page's colour
SEEN = 0.3  # share of a colour map from which on a line is seen on the page

# Okabe & Ito (2008): told apart with any kind of colour blindness
ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)


@dataclass(frozen=True)
class Style:
    """Colours of a picture.

    Attributes
    ----------
    page, ink, faint : str
        Colour of the page, of text and axes, and of lines behind what is drawn.
    densities : str
        matplotlib's colour map of surface densities, even to the eye, from near the colour of the page.
    lines : tuple of str
        Colours of lines, in their order.
    types : tuple of str
        Colours of Gadget's particle types, 0 to 5.
    """

    page: str
    ink: str
    faint: str
    densities: str
    lines: tuple[str, ...]
    types: tuple[str, ...]

    def settings(self) -> Any:
        """Return these colours as matplotlib's settings."""
        from cycler import cycler

        ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "legend.labelcolor")
        page = ("figure.facecolor", "savefig.facecolor", "axes.facecolor", "legend.facecolor")
        return {
            **dict.fromkeys(ink, self.ink),
            **dict.fromkeys(page, self.page),
            "axes.prop_cycle": cycler(color=self.lines),
            "lines.linewidth": 1.5,
            "legend.frameon": False,
            "font.size": 11.0,
        }

    def density_colours(self) -> ListedColormap:
        """Return the colour map of surface densities, which begins with the page's own colour."""
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap, to_rgba

        values = np.linspace(0, 1, 512)[:, None]
        page = np.maximum(0, 1 - values / FADING)
        return ListedColormap(page * to_rgba(self.page) + (1 - page) * colormaps[self.densities](values[:, 0]))

    def colours_seen(self) -> ListedColormap:
        """Return the part of that colour map in which lines are seen on the page."""
        from matplotlib import colormaps
        from matplotlib.colors import ListedColormap

        return ListedColormap(colormaps[self.densities](np.linspace(SEEN, 1, 256)))


STYLES: dict[str, Style] = {
    "dark": Style(
        page="#000004",
        ink="#e6e6e6",
        faint="#5a5f6a",
        densities="inferno",
        lines=(ORANGE, SKY, GREEN, YELLOW, PURPLE, VERMILION),
        types=(SKY, ORANGE, YELLOW, VERMILION, "#f2f2f2", PURPLE),
    ),
    "light": Style(
        page="#ffffff",
        ink="#1a1a1a",
        faint="#b0b0b0",
        densities="magma_r",
        lines=(BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY),
        types=(BLUE, ORANGE, GREEN, VERMILION, "#1a1a1a", PURPLE),
    ),
}


def style_of(name: str) -> Style:
    """Return a style by its name.

    Raises
    ------
    ValueError
        If no style has this name.
    """
    if name not in STYLES:
        raise InputError(f"style is '{name}': {did_you_mean(name, get_args(StyleName))}")
    return STYLES[name]


@contextmanager
def drawing(name: str) -> Iterator[Style]:
    """Draw in this style within the context."""
    import matplotlib as mpl  # slow to import, and not needed by a program that draws nothing

    style = style_of(name)
    with mpl.rc_context(style.settings()):
        yield style
