"""Pictures of snapshots that belong together: seen from one side, on one scale, one for each type of particle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trellis.errors import about
from trellis.io import Snapshot, read_snapshot
from trellis.particles import ParticleSet
from trellis.plot.drawable import check_masses
from trellis.plot.scales import scales_of
from trellis.plot.sources import of_type, type_name, types_of
from trellis.plot.surface import Floats, surface_density
from trellis.plot.window import Centre, Extent, check_window, half_box, window_of

LOOKED_AT = 12  # snapshots that the width of a longer series is found from


@dataclass(frozen=True)
class Picture:
    """One snapshot of a series.

    Attributes
    ----------
    time : float
        Time of the picture, in the particles' unit.
    extent : tuple of float
        Left, right, bottom and top edge, as they are shown.
    surfaces : dict
        Surface density of each type of the series, as it is shown.
    """

    time: float
    extent: Extent
    surfaces: dict[int, Floats]

    @property
    def aspect(self) -> float:
        """Height over width."""
        left, right, bottom, top = self.extent
        return (top - bottom) / (right - left)


class Series:
    """Surface densities of several snapshots, made one after the other as they are asked for.

    Parameters
    ----------
    files : sequence of str or Path
        The snapshots.
    plane : str
        The two axes.
    centre : str or array_like, shape (3,)
        What is in the middle of each picture; see `density`.
    half_width : float, optional
        Half the width of all pictures; by default one that suits most snapshots.
    pixels : int
        Pixels along the longer side.
    """

    def __init__(
        self, files: Sequence[str | Path], plane: str, centre: Centre | str, half_width: float | None, pixels: int
    ) -> None:
        check_window(plane, centre, half_width)
        self.files, self.plane, self.pixels = files, plane, pixels
        self._centre = centre
        # each file is read twice, so that no two need to be in memory
        looked_at = [files[k] for k in sorted({round(k) for k in np.linspace(0, len(files) - 1, LOOKED_AT)})]
        widths, kinds = [], set()
        for file in looked_at:
            snapshot = read_snapshot(file, whole=True)
            self.units = snapshot.units
            self.scales = scales_of(snapshot.units)
            kinds |= set(types_of(snapshot.particles))
            with about(snapshot.path):
                check_masses(snapshot.particles.mass)
                length = self.scales.length
                window = window_of(snapshot.particles, plane, centre, half_width, length, noted=False)  # but when drawn
            if half_width is None and half_box(snapshot.particles, plane) is None:
                widths.append(window.half_width)
        # one that suffices three snapshots of four; each is round
        self._half_width = sorted(widths)[3 * len(widths) // 4] if widths else half_width
        self.kinds = sorted(kinds)

    def names(self) -> dict[int, str]:
        """Return the types, by number; one alone has no name."""
        return {kind: type_name(kind) if len(self.kinds) > 1 else "" for kind in self.kinds}

    def __iter__(self) -> Iterator[Picture]:
        for file in self.files:
            snapshot = read_snapshot(file, whole=True)
            with about(snapshot.path):
                yield self._picture(snapshot)

    def _picture(self, snapshot: Snapshot) -> Picture:
        particles, scales = snapshot.particles, self.scales
        window = window_of(particles, self.plane, self._centre, self._half_width, scales.length)
        there = types_of(particles)
        empty = ParticleSet(0)
        factor = scales.surface / snapshot.fraction
        surfaces = {
            kind: factor * surface_density(of_type(particles, kind) if kind in there else empty, window, self.pixels)
            for kind in self.kinds
        }
        return Picture(snapshot.time, window.extent(scales.length), surfaces)
