"""Values of a file that are not finite: refused in columns that every run reads, kept in others.

Other codes leave some where no code reads them: Arepo, say, in the densities of background cells.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.notes import warn
from trellis.parallel import world
from trellis.particles import ParticleSet

READ_BY_EVERY_RUN = ("position", "velocity", "mass", "internal_energy")
"""The last one, where a file has it, for the energies."""

LENGTH = "smoothing_length"
"""The field at whose value the search for smoothing lengths begins; 0: there is no such value."""


def refuse_not_finite(path: Path, particles: ParticleSet, rows: slice) -> None:
    """Raise a ValueError for the first particle of a file, in these rows, with such a value that every run reads."""
    for name in READ_BY_EVERY_RUN:
        if name not in particles.field_names:
            continue
        values = particles.column(name)[rows]
        wrong = _rows_not_finite(values)
        if len(wrong) > 0:
            first, more = wrong[0], f" (and of {len(wrong) - 1} more)" if len(wrong) > 1 else ""
            value = next(float(each) for each in np.ravel(values[first]) if not np.isfinite(each))
            raise InputError(
                f"'{path}': column '{name}' of the particle with id {particles.id[rows][first]}{more} is {value:g}, but"
                " every run reads it: give it a finite value in the file, or leave the particle out"
            )


def forget_lengths(path: Path, particles: ParticleSet, *, whole: bool) -> None:
    """Take smoothing lengths that are not finite as unknown, with a warning; all ranks call this, unless whole."""
    if LENGTH not in particles.field_names:
        return
    wrong = _rows_not_finite(particles.column(LENGTH))
    particles.column(LENGTH)[wrong] = 0
    ids = particles.id[wrong].tolist()
    found = ids if whole else [each for share in world.gather(ids) for each in share]
    if found:
        more = f" (and of {len(found) - 1} more)" if len(found) > 1 else ""
        warn(
            f"'{path}': column '{LENGTH}' of the particle with id {found[0]}{more} is not finite: it is taken as 0, and"
            " a gas searches for it from the start"
        )


def _rows_not_finite(values: NDArray[Any]) -> NDArray[np.intp]:
    finite = np.isfinite(values)
    return np.flatnonzero(~(finite if finite.ndim == 1 else finite.all(axis=1)))
