"""A periodic mesh that ranks share: fields by planes of x, and their waves by planes of the wave number along y."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trellis.parallel import world

Floats = NDArray[np.float64]
Waves = NDArray[np.complex128]


@dataclass(frozen=True)
class SharedMesh:
    """A mesh of cells^3 points in a periodic cube; all ranks make the same calls.

    Transforms are those of numpy.fft.rfftn, axis by axis, with a transpose among the ranks before the last: so they
    have the same bits for any number of ranks. More ranks than planes leave some without any.

    Attributes
    ----------
    cells : int
        Points along each axis.
    """

    cells: int

    @property
    def own(self) -> slice:
        """The planes of this rank: of x in fields, of the wave number along y in waves."""
        return slice(self._bounds[world.rank()], self._bounds[world.rank() + 1])

    @property
    def wave_numbers(self) -> tuple[Floats, Floats, Floats]:
        """Whole numbers of this rank's waves in the cube along each axis, of shapes that multiply to that of waves."""
        whole = np.rint(np.fft.fftfreq(self.cells, 1 / self.cells)).astype(np.float64)
        return whole[:, None, None], whole[self.own, None], np.arange(self.cells // 2 + 1, dtype=np.float64)

    def waves(self, field: Floats) -> Waves:
        """Transform a field of a real number at each point.

        Parameters
        ----------
        field : array, shape (own planes, cells, cells)
            Values at this rank's points.

        Returns
        -------
        array, shape (cells, own planes, cells // 2 + 1)
            This rank's waves.
        """
        partly = np.fft.fft(np.fft.rfft(field, axis=2), axis=1)
        return np.fft.fft(self._transposed(partly, gathered=0, divided=1), axis=0)

    def field(self, waves: Waves) -> Floats:
        """Transform waves back into a field; arguments and result as of `waves`."""
        partly = self._transposed(np.fft.ifft(waves, axis=0), gathered=1, divided=0)
        return np.fft.irfft(np.fft.ifft(partly, axis=1), n=self.cells, axis=2)

    def with_neighbours(self, field: Floats, before: int, after: int) -> Floats:
        """Return a field's own planes, and `before` and `after` planes beside them, which other ranks have."""
        shares = list(pairwise(self._bounds))
        wanted = [
            np.arange(low - before, high + after) % self.cells if high > low else np.arange(0) for low, high in shares
        ]
        own = self.own
        pieces = [field[planes[(planes >= own.start) & (planes < own.stop)] - own.start] for planes in wanted]
        received = world.exchange(pieces)
        planes = wanted[world.rank()]
        result = np.empty((len(planes), *field.shape[1:]))
        for piece, (low, high) in zip(received, shares, strict=True):
            result[(planes >= low) & (planes < high)] = piece
        return result

    @property
    def _bounds(self) -> list[int]:
        return [self.cells * rank // world.ranks() for rank in range(world.ranks() + 1)]

    def _transposed(self, own: Waves, *, gathered: int, divided: int) -> Waves:
        """Return an array that is whole along one axis, of one that is whole along another."""
        pieces = np.split(own, self._bounds[1:-1], axis=divided)
        return np.concatenate(world.exchange(pieces), axis=gathered)
