"""Catalogues of halos: what is known of each, and its particles; in memory, and as HDF5 files."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.io.checked_columns import new_column, read_rows
from trellis.io.hdf5 import new_hdf5, open_hdf5
from trellis.parallel import world

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FORMAT = b"trellis halo catalogue 1"
NUMBERS = ("time", "linking_length", "mean_density")


@dataclass(frozen=True)
class HaloCatalogue:
    """Halos of a periodic box, the most massive first.

    Masses, lengths and velocities are in the particles' units and coordinates.

    Attributes
    ----------
    time : float
        Time, or scale factor, of the particles.
    box : array, shape (2, 3)
        Low and high faces.
    linking_length : float
        Within which particles are friends (length); of several masses, that of the lightest.
    mean_density : float
        Mass of all particles over the box's volume.
    count : array of int, shape (halos,)
        Particles in each group.
    mass : array, shape (halos,)
        Mass of the group.
    centre : array, shape (halos, 3)
        The densest position of the group, by spheres that shrink about the centre of mass (Power et al. 2003).
    centre_of_mass, velocity : array, shape (halos, 3)
        Means over the group's particles, weighted by mass. Positions are those of the images nearest to their mean on
        the circle of the periodic box.
    radius_200c, mass_200c : array, shape (halos,)
        Radius and mass of the sphere about the centre, with all particles in it, whose mean density is 200 times
        critical; 0 where even the innermost particles have less.
    begins : array of int, shape (halos + 1,)
        The group's particles are ``ids[begins[k] : begins[k + 1]]``.
    ids : array of uint64
        Ids of the particles of all groups.
    """

    time: float
    box: Floats
    linking_length: float
    mean_density: float
    count: Ints
    mass: Floats
    centre: Floats
    centre_of_mass: Floats
    velocity: Floats
    radius_200c: Floats
    mass_200c: Floats
    begins: Ints
    ids: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.mass)

    def __repr__(self) -> str:
        return f"HaloCatalogue({len(self):,} halos of {int(self.begins[-1]):,} particles, time = {self.time:g})"

    @checked_arguments()
    def write(self, path: str | Path) -> None:
        """Write an HDF5 file, which appears whole or not at all; of several ranks the first one writes.

        Raises
        ------
        ValueError
            If it cannot be made there.
        RuntimeError
            If it cannot be written to the end, as on a full disk.
        """
        world.on_first(lambda: self._write(Path(path)))

    def _write(self, path: Path) -> None:
        with new_hdf5(path) as file:
            file.attrs["format"] = np.bytes_(FORMAT)
            file.attrs.update({name: getattr(self, name) for name in NUMBERS})
            for name in _columns():
                values = getattr(self, name)
                new_column(file, name, values.shape, values.dtype)[...] = values

    @classmethod
    def read(cls, path: str | Path) -> HaloCatalogue:
        """Read what `write` has written; a ValueError for anything else, or if it is damaged."""
        source = Path(path)
        with open_hdf5(source) as file:
            if file.attrs.get("format") != np.bytes_(FORMAT):
                raise InputError(f"'{path}' is no catalogue of halos of this version of Trellis")
            values: dict[str, Any] = {name: float(file.attrs[name]) for name in NUMBERS}
            values.update({name: read_rows(source, name, file[name], slice(None)) for name in _columns()})
            return cls(**values)


def _columns() -> list[str]:
    return [field.name for field in fields(HaloCatalogue) if field.name not in NUMBERS]
