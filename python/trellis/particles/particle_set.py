"""Particles as columns, NumPy views of the C++ memory, and selections of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments, has_unit, shown
from trellis.parallel import world
from trellis.particles.assignment import assign
from trellis.particles.boxes import faces_of
from trellis.particles.columns import Columns, check_field_name, check_shape, columns_of, fill, public_fields
from trellis.particles.given_numbers import real_numbers
from trellis.particles.joining import joined
from trellis.particles.known_fields import KNOWN, no_such_field, numbers_of
from trellis.particles.quantities import quantity, unit_text
from trellis.particles.row_selection import rows_of, rows_picked
from trellis.particles.summary import selection_summary, set_summary
from trellis.particles.views import noted, retire
from trellis.units import Units

OPEN_BOX: NDArray[np.float64] = np.array([[-np.inf] * 3, [np.inf] * 3])
"""The box of space that is not periodic."""

FROM_ARRAYS = "from_columns(position=..., mass=...) makes a set from arrays"


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
    then views of the former rows, and read-only.

    Space may be periodic along any axes, from face to face of a box: see `box`; ``wrapped_position()`` has the
    positions with all of them within it.

    Parameters
    ----------
    size : int
        Number of particles. All columns start at zero but ``id``, which counts from 0.
    """

    @checked_arguments(size=FROM_ARRAYS)
    def __init__(self, size: int) -> None:
        if not isinstance(size, (int, np.integer)) or size < 0:
            raise _core.InputError(f"size is {shown(size)}, but must be a whole number: {FROM_ARRAYS}")
        super().__init__(int(size))

    @classmethod
    @checked_arguments()
    def from_columns(
        cls,
        *,
        position: ArrayLike,
        mass: ArrayLike,
        velocity: ArrayLike = 0.0,
        units: Units | None = None,
        **others: Any,
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
        units : Units, optional
            The units of the columns, into which quantities of astropy, unyt or pint are converted.
        **others : array_like
            Other columns that every set has, such as ``id``; fields of known meaning: ``type`` (numbers, or names such
            as ``'gas'``), ``softening``, ``charge``, ``internal_energy``, ``smoothing_length``, ``density``,
            ``fixed``; or ``box``. Fields of your own come by `add_field`.

        Raises
        ------
        ValueError
            If a shape does not fit, a name is unknown, an id is there twice, or what is given are no real numbers.
        """
        positions = real_numbers("position", position, "length", units)
        if positions.ndim != 2 or positions.shape[1] != 3:
            raise _core.InputError(f"position has the shape {positions.shape}, but must have the shape (N, 3)")
        particles = cls(len(positions))
        for name, values in {"position": positions, "mass": mass, "velocity": velocity, **others}.items():
            if name == "box":
                particles.set_region(faces_of(values, units))
            elif name in particles.field_names or name in KNOWN:
                assign(particles, name, values, units=units)
            else:
                raise _core.InputError(no_such_field(name, particles.public_fields))
        return particles

    @checked_arguments()
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

    def column(self, name: str) -> NDArray[Any]:
        """Return a view of a column, (N,) or (N, 3); ValueError for an unknown name."""
        try:
            return noted(self, name, super().column(name))
        except TypeError:
            raise _core.InputError(f"a field is {shown(name)}, but must be a text: its name") from None

    @checked_arguments()
    def field_info(self, name: str) -> tuple[str, str]:
        """Return unit and meaning of a field."""
        return super().field_info(name)

    @checked_arguments()
    def check_finite(self, name: str) -> None:
        """Raise a ValueError naming column and index if a value is infinite or not a number."""
        super().check_finite(name)

    def replace_rows(self, kept: ArrayLike, added: int = 0) -> None:
        """Keep these rows in this order and add rows of zeros; views of before show the former ones, read-only."""
        rows = np.asarray(kept)
        if rows.ndim != 1 or (rows.size > 0 and rows.dtype.kind not in "iu"):
            raise _core.InputError(f"kept is {shown(kept)}, but must be numbers of rows, such as np.flatnonzero(mask)")
        super().replace_rows(np.ascontiguousarray(rows, dtype=np.int64), added)
        retire(self)

    def copy(self) -> ParticleSet:
        """Return a set of its own with the same particles, fields and box."""
        made = type(self)(self.size)
        made.__setstate__(columns_of(self))
        return made

    def __add__(self, other: ParticleSet) -> ParticleSet:
        return joined(self, other) if isinstance(other, ParticleSet) else NotImplemented

    @checked_arguments()
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
            return noted(self, name, super().column(name))
        except ValueError:
            raise AttributeError(no_such_field(name, self.public_fields)) from None

    @checked_arguments(components="values are given by name, as in add_field(name, values=...)")
    def add_field(  # type: ignore[override]  # what the core adds has no values
        self,
        name: str,
        components: int | None = None,
        unit: str | None = None,
        meaning: str | None = None,
        *,
        values: ArrayLike | None = None,
    ) -> NDArray[Any]:
        """Add a column, and return it: a view, as the attribute of this name is.

        Parameters
        ----------
        name : str
            Its name, which is then an attribute of the set.
        components : int, optional
            1, or 3 for a vector; if not given, as `values` have.
        unit : str, optional
            Unit: one of astropy's, such as ``K``, or made of the particles' own ``length``, ``mass`` and ``time``. If
            not given, that of `values`, where these are a quantity, or of a field of known meaning.
        meaning : str, optional
            Meaning, for files and summaries.
        values : array_like, optional
            Values, one for each particle, or one for all; zeros if not given.

        Raises
        ------
        ValueError
            If the name is taken, or no file or attribute can have it, or the values do not fit.
        """
        check_field_name(name, {*dir(type(self)), *dir(Selection), "rows"})
        if components not in (None, 1, 3):
            raise _core.InputError(f"components is {components}, but must be 1 or 3")
        known = KNOWN.get(name)
        if unit is None:
            unit = unit_text(values) if has_unit(values) else known.unit if known else ""
        given = None if values is None else real_numbers(f"column '{name}'", numbers_of(name, values), unit)
        if components is None:
            components = known.components if known else 3 if given is not None and given.ndim == 2 else 1
        shape = (self.size, 3) if components == 3 else (self.size,)
        if given is not None:
            check_shape(name, given, shape)
        super().add_field(name, components, unit, known.meaning if meaning is None and known else meaning or "")
        column = self.column(name)
        if given is not None:
            column[...] = given
        return column

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "box":
            super().__setattr__(name, value)
            return
        if hasattr(type(self), name):
            raise AttributeError(f"'{name}' of particles is no field, and cannot be assigned")
        assign(self, name, value)

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
        self.set_region(faces_of(faces))

    def count_images(self) -> None:
        """Add the column ``image``, if it is not there: how often each particle goes around a periodic box from now on.

        Where a simulation brings a particle back into the box, the column counts the sides by which it is moved. All
        ranks call this.
        """
        if "image" not in self.field_names:
            self.add_field("image", 3, "", "sides of the periodic box by which a particle has gone beyond its position")

    def unwrapped_position(self) -> NDArray[np.float64]:
        """Return the positions as if no particle had been brought back into the box since `count_images`."""
        low, high = self.region
        sides = np.where(np.isfinite(low), high - low, 0.0)
        return np.asarray(self.position + self.column("image") * sides)

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
        if hasattr(type(self._particles), name):
            raise AttributeError(f"a selection has columns, but no '{name}': give its copy(), a set of its own")
        values = np.array(getattr(self._particles, name)[self.rows])
        values.flags.writeable = False
        return values if values.ndim > 0 else values[()]

    @checked_arguments()
    def quantity(self, name: str, units: Units | None = None) -> Any:
        """Return the values of a column with their unit: see `ParticleSet.quantity`."""
        return quantity(self._particles, name, units)[self.rows]

    def __setattr__(self, name: str, value: Any) -> None:
        assign(self._particles, name, value, self.rows)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *public_fields(self._particles)]

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
