"""Particles as columns, NumPy views of the C++ memory, and selections of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.parallel import world
from trellis.particles.assignment import values_for
from trellis.particles.columns import Columns, columns_of, fill, public_fields
from trellis.particles.joining import joined
from trellis.particles.quantities import quantity
from trellis.particles.row_selection import rows_of, rows_picked
from trellis.particles.summary import selection_summary, set_summary
from trellis.units import Units

OPEN_BOX: NDArray[np.float64] = np.array([[-np.inf] * 3, [np.inf] * 3])
"""The box of space that is not periodic."""


class ParticleSet(_core.ParticleSet):
    """Particles, one column for each field.

    A column is read as an attribute, ``particles.position``, and is a NumPy view of the memory that the C++ library
    works on: shape ``(N, 3)`` for vectors, ``(N,)`` otherwise, float64 except ``id`` (uint64). Assigning to the
    attribute fills the column.

    A step of a simulation may reorder the rows; ``id`` stays with its particle. Brackets pick some particles, as a
    `Selection`, by what stands in them:

    - a whole number, or several: those of these **ids**. ``particles[7].position``, ``particles[[3, 1]].velocity = 0``.
      What NumPy finds as numbers of rows (``argmax``, ``argsort``, ``nonzero``) is therefore for columns:
      ``particles.id[particles.mass.argmax()]``.
    - a slice, or a mask: **rows**. ``particles[10:20]``, ``particles[::100]``, ``particles[particles.mass > 1]``.

    ``a + b`` is a new set with the particles of both; ``copy()``, ``copy.deepcopy`` and ``pickle`` keep every bit.
    ``replace_rows(kept, added)`` keeps the rows named, in that order, and adds rows of zeros; columns read before are
    then views of the former rows.

    Space may be periodic along any axes, from face to face of a box: see `box`; ``wrapped_position()`` has the
    positions with all of them within it.

    Parameters
    ----------
    size : int
        Number of particles. All columns start at zero but ``id``, which counts from 0.
    """

    @classmethod
    def from_columns(
        cls, *, position: ArrayLike, mass: ArrayLike, velocity: ArrayLike = 0.0, **others: ArrayLike
    ) -> ParticleSet:
        """Particles from arrays, which are copied.

        Parameters
        ----------
        position : array_like, shape (N, 3)
            Positions.
        mass : array_like, shape (N,), or one number
            Masses.
        velocity : array_like, shape (N, 3), or one number
            Velocities.
        **others : array_like
            Other columns that every set has, such as ``id``, or ``box``.

        Raises
        ------
        ValueError
            If a shape does not fit, or a name is unknown.
        """
        positions = np.asarray(position, dtype=np.float64)
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise _core.InputError(f"position has the shape {positions.shape}, but must have the shape (N, 3)")
        particles = cls(len(positions))
        for name, values in {"position": positions, "mass": mass, "velocity": velocity, **others}.items():
            setattr(particles, name, values)
        return particles

    def by_id(self, ids: int | Sequence[int] | ArrayLike) -> Selection:
        """Pick particles by their ids, which stay with them when rows are reordered.

        On several ranks, each has its own particles alone: those that are `here` are ``np.isin(ids, particles.id)``.

        Parameters
        ----------
        ids : int or array_like of int
            The ids, each of a particle of this rank.

        Returns
        -------
        Selection
            The particles in the order of the ids: a column has the shape (len(ids),) or (len(ids), 3); of one number,
            () or (3,).

        Raises
        ------
        ValueError
            If a particle is not here.

        Examples
        --------
        >>> import trellis as tr
        >>> stars = tr.ic.plummer(100)
        >>> stars.by_id([3, 1]).position.shape
        (2, 3)
        >>> stars[7].velocity = [0, 0, 1]
        >>> stars[7].velocity.tolist()
        [0.0, 0.0, 1.0]
        """
        here = f" on rank {world.rank()}" if world.ranks() > 1 else ""
        return Selection(self, rows_of(self.column("id"), ids, here))

    def __getitem__(self, key: int | slice | Sequence[int] | ArrayLike) -> Selection:
        if isinstance(key, str):
            raise _core.InputError(
                f"'{key}' stands in brackets, but columns are attributes, such as particles.position"
            )
        rows = rows_picked(self.size, key)
        return self.by_id(key) if rows is None else Selection(self, rows)  # type: ignore[arg-type]

    def copy(self) -> ParticleSet:
        """Return a set of its own with the same particles, fields and box."""
        made = type(self)(self.size)
        made.__setstate__(columns_of(self))
        return made

    def __add__(self, other: ParticleSet) -> ParticleSet:
        return joined(self, other) if isinstance(other, ParticleSet) else NotImplemented

    def quantity(self, name: str, units: Units | None = None) -> Any:
        """Return a copy of a column with its unit, as a quantity of astropy: `name` is that of the field.

        Parameters
        ----------
        name : str
            The field.
        units : Units, optional
            Units of the particles' length, mass and velocity, such as ``snapshot.units``; not needed for a field whose
            unit is one of astropy's, such as K.

        Raises
        ------
        ValueError
            If there is no such field, or its unit in cm, g and s is not known.
        RuntimeError
            If there is no package astropy.
        """
        return quantity(self, name, units)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.size,), columns_of(self)

    def __setstate__(self, columns: Columns) -> None:
        fill(self, columns)

    def __iter__(self) -> NoReturn:
        raise TypeError("particles are columns: loop over one of them, such as particles.id")

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.column(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None

    def add_field(self, name: str, components: int = 1, unit: str = "", meaning: str = "") -> None:
        """Add a column of zeros with 1 or 3 components; ValueError if the name is taken, or no file can have it."""
        if isinstance(name, str) and (name == "" or set(name) & set("/\0")):
            raise _core.InputError(f"a field has the name {name!r}, but must have one without '/', of a letter or more")
        super().add_field(name, components, unit, meaning)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        if name == "box":
            super().__setattr__(name, value)
            return
        try:
            column = self.column(name)
        except ValueError as error:
            raise AttributeError(str(error)) from None
        values = values_for(column, name, value)
        try:
            column[...] = values
        except ValueError:
            raise _core.InputError(
                f"values of shape {values.shape} do not fit column '{name}' of shape {column.shape}"
            ) from None

    @property
    def box(self) -> NDArray[np.float64]:
        """The low and the high faces of the periodic box, shape (2, 3), infinite along axes that are open.

        A simulation brings particles that have left the box back into it from time to time, by the opposite face. All
        ranks have the same box. What is read cannot be written to; assign the box as a whole.
        """
        faces = self.region
        faces.flags.writeable = False
        return faces

    @box.setter
    def box(self, faces: ArrayLike) -> None:
        given = np.ascontiguousarray(faces, dtype=np.float64)
        if given.shape != (2, 3):
            raise _core.InputError(
                f"box has the shape {given.shape}, but must have the shape (2, 3): low and high faces"
            )
        self.set_region(given)

    @property
    def public_fields(self) -> list[str]:
        """Names of the fields but for those that begin with an underscore, which forces keep for themselves."""
        return public_fields(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.public_fields]

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return set_summary(self).text()

    def _repr_html_(self) -> str:
        return set_summary(self).html()


class Selection:
    """Some particles of a set; their columns are attributes, as those of a `ParticleSet`.

    They are in the order of the ids or rows that picked them. A column that is read is a copy, which cannot be written
    to; assigning to the attribute changes the particles. The selection is good until a step reorders the rows.

    Attributes
    ----------
    rows : ndarray of int64, or int
        The particles' rows; one number if one id was given.
    """

    rows: NDArray[np.int64] | int

    def __init__(self, particles: ParticleSet, rows: NDArray[np.int64] | int) -> None:
        object.__setattr__(self, "_particles", particles)
        object.__setattr__(self, "rows", rows)

    def copy(self) -> ParticleSet:
        """Return a set of its own with these particles, and all fields."""
        made: ParticleSet = type(self._particles)(len(self))
        made.__setstate__(columns_of(self._particles, np.atleast_1d(self.rows)))
        return made

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = np.array(getattr(self._particles, name)[self.rows])
        values.flags.writeable = False
        return values if values.ndim > 0 else values[()]

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        column = getattr(self._particles, name)
        values = values_for(column, name, value)
        try:
            column[self.rows] = values
        except ValueError:
            raise _core.InputError(
                f"values of shape {values.shape} do not fit '{name}' of shape {column[self.rows].shape}"
            ) from None

    def __len__(self) -> int:
        return int(np.size(self.rows))

    def __repr__(self) -> str:
        return selection_summary(self._particles, self.rows).text()

    def _repr_html_(self) -> str:
        return selection_summary(self._particles, self.rows).html()


def check_no_selection(particles: object) -> None:
    """Raise a ValueError for a selection where particles of their own are needed."""
    if isinstance(particles, Selection):
        raise _core.InputError(
            f"the particles are a selection of {len(particles)}, but must be a set of their own: give its copy()"
        )
