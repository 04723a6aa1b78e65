"""Positions of particles before they are displaced: the points of a mesh, or those of a glass."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from trellis.analysis.mesh_assignment import shares_of_points
from trellis.cosmology.shared_mesh import Floats, SharedMesh, Waves

GLASS = Path(__file__).with_name("gravitational_glass.npy")
TILE = 16  # a tile of the glass has the particles of as many cells along each axis


class Undisplaced(Protocol):
    """Particles of a rank, in its own planes of a mesh.

    Attributes
    ----------
    first_id : int
        Id of its first particle; the others follow.
    positions : array, shape (N, 3)
        In cells of the mesh.
    """

    first_id: int
    positions: Floats

    def values(self, waves: Waves) -> Floats:
        """Return the values, shape (N,), at the particles of a field with these waves; all ranks call it."""


class Lattice:
    """Particles at the points of a mesh; (i, j, k) of n^3 has the id (i n + j) n + k."""

    def __init__(self, mesh: SharedMesh) -> None:
        self.first_id, self._mesh = mesh.own.start * mesh.cells**2, mesh
        whole = np.arange(float(mesh.cells))
        planes = np.meshgrid(whole[mesh.own], whole, whole, indexing="ij")
        self.positions = np.stack(planes, axis=-1).reshape(-1, 3)

    def values(self, waves: Waves) -> Floats:
        """Return a field's values at the particles."""
        return self._mesh.field(waves).reshape(-1)


class Glass:
    """Particles at the positions of tiles of a glass, as many as the mesh has points; ids are by planes of x.

    Values between the points are those of cubic splines, which keep a wave as it is and add others of higher numbers:
    at most 1.5 % of one of half Nyquist's number, 0.07 % of one of a quarter. The mesh has a multiple of `TILE` cells
    along each axis.
    """

    def __init__(self, mesh: SharedMesh) -> None:
        self._mesh = mesh
        tile = glass_tile() * TILE
        planes = [tile[np.floor(tile[:, 0]) == plane] for plane in range(TILE)]
        copies = mesh.cells // TILE
        counts = [len(planes[plane % TILE]) * copies**2 for plane in range(mesh.cells)]
        self.first_id = sum(counts[: mesh.own.start])
        offsets = TILE * np.indices((copies, copies)).reshape(2, -1).T[:, None]
        own = [np.zeros((0, 3))]
        for plane in range(mesh.own.start, mesh.own.stop):
            inside = planes[plane % TILE]
            across = (inside[:, 1:] + offsets).reshape(-1, 2)
            along = np.tile(inside[:, 0] + plane // TILE * TILE, copies**2)
            own.append(np.column_stack((along, across)))
        self.positions = np.concatenate(own)

    def values(self, waves: Waves) -> Floats:
        """Return a field's values at the particles."""
        sharp = waves.astype(complex)
        for axis in self._mesh.wave_numbers:  # what splines, which spread each point, take from waves is put back
            sharp /= np.sinc(axis / self._mesh.cells) ** 4
        points = self._mesh.with_neighbours(self._mesh.field(sharp), before=1, after=2)
        first, shares = shares_of_points(self.positions, 4)
        found = np.zeros(len(first))
        rows = first - [self._mesh.own.start - 1, 0, 0]
        for x, y, z in np.ndindex(4, 4, 4):
            at = points[rows[:, 0] + x, (rows[:, 1] + y) % self._mesh.cells, (rows[:, 2] + z) % self._mesh.cells]
            found += shares[0][:, x] * shares[1][:, y] * shares[2][:, z] * at
        return found


@lru_cache(maxsize=1)
def glass_tile() -> Floats:
    """Return the positions of TILE^3 particles in a periodic unit cube, which `tools/make_glass.py` has made.

    Each is at rest in the gravity of all (White 1996, in Cosmology and Large Scale Structure, Les Houches LX).

    Returns
    -------
    array, shape (TILE^3, 3)
        Coordinates from 0 to 1; not to be written to.
    """
    positions: Floats = np.load(GLASS).astype(np.float64)
    positions.flags.writeable = False
    return positions
