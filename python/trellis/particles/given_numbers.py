"""Numbers that users give for columns and boxes: arrays, lists, and quantities with a unit."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis.arguments import has_unit
from trellis.errors import InputError
from trellis.particles.quantities import in_unit
from trellis.units import Units


def values_for(
    column: NDArray[Any], name: str, value: ArrayLike, unit: str = "", units: Units | None = None
) -> NDArray[Any]:
    """Return `value` as an array that the column can hold; a ValueError if it would change any value."""
    given = real_numbers(f"column '{name}'", value, unit, units)
    return _ids(name, value, given) if column.dtype.kind == "u" else given


def real_numbers(what: str, value: Any, unit: str = "", units: Units | None = None) -> NDArray[Any]:
    """Return what a user gives as an array of real numbers.

    Parameters
    ----------
    what : str
        Begins the sentence about a value that is refused, such as ``column 'mass'``.
    value : array_like
        Numbers, or quantities of astropy, unyt or pint, which are converted.
    unit : str
        The unit of the numbers, as fields name it.
    units : Units, optional
        The sizes of length, mass and time in that unit.

    Raises
    ------
    ValueError
        For truth values, texts, complex numbers, values that are masked, lists of unequal length, and quantities of
        another kind, or without `units` where these are needed.
    """
    elements = _unlike_numbers(value)
    if isinstance(value, (list, tuple)):
        if any(map(has_unit, elements)):
            return np.array([real_numbers(what, each, unit, units) for each in value])
        if any(isinstance(each, (bool, np.bool_)) for each in elements):
            raise InputError(f"{what} is given truth values, but must be numbers")
    hidden = sum(map(_masked, elements))
    if hidden > 0:
        raise InputError(
            f"{what} is given an array with {hidden} masked value{'s' if hidden > 1 else ''}, but must be numbers: fill"
            " them, or leave these particles out"
        )
    return _real(what, in_unit(what, value, unit, units) if has_unit(value) else value)


def _unlike_numbers(value: Any) -> list[Any]:
    """Return the elements of a list that are no plain numbers; of anything else, itself."""
    if not isinstance(value, (list, tuple)):
        return [value]
    return [each for each in _elements(value) if type(each) not in (int, float)]


def _masked(value: Any) -> int:
    """Return how many values of an array of NumPy or astropy are masked."""
    mask = getattr(value, "mask", None)
    return 0 if mask is None or callable(mask) else int(np.count_nonzero(mask))


def _real(what: str, value: Any) -> NDArray[Any]:
    if type(value).__module__.startswith("trellis") and not isinstance(value, np.ndarray):
        columns = ", such as one of its columns" if hasattr(value, "position") else ""
        raise InputError(f"{what} is given a {type(value).__name__}, but must be numbers{columns}")
    as_array = np.asarray if hasattr(value, "__array__") or not hasattr(value, "__dlpack__") else np.from_dlpack
    try:
        given = as_array(value)
    except ValueError:
        raise InputError(f"{what} is given lists of unequal length, but must be numbers") from None
    except Exception as error:  # of a library that makes arrays
        raise InputError(
            f"{what} is given a {type(value).__name__}, which is no array: {str(error).splitlines()[0]}"
        ) from None
    if given.dtype.kind == "b":
        raise InputError(f"{what} is given truth values, but must be numbers")
    if given.dtype.kind not in "iuf":
        shown = reprlib.repr(value) if given.ndim == 0 else f"values of the type {given.dtype}"
        raise InputError(f"{what} is given {shown}, but must be numbers")
    return given


def _ids(name: str, value: Any, given: NDArray[Any]) -> NDArray[Any]:
    if given.dtype.kind == "f" and isinstance(value, (list, tuple)) and all(_is_id(each) for each in _elements(value)):
        given = np.array(value, dtype=np.uint64)  # NumPy takes numbers beyond 2^63 beside smaller ones as floats
    if given.dtype.kind == "u":
        return given
    with np.errstate(invalid="ignore"):  # NaN becomes a number, and differs from it
        wrong = (given < 0) | (given.astype(np.uint64) != given)
    if wrong.any():
        raise InputError(f"column '{name}' is given {given[wrong].flat[0]}, but must be whole numbers from 0 on")
    if given.dtype.kind == "f":
        exact = np.finfo(given.dtype).nmant + 1
        lost = given >= 2.0**exact
        if lost.any():
            raise InputError(
                f"column '{name}' is given {given[lost].flat[0]:.0f} as {given.dtype}, which holds each whole number"
                f" only below 2^{exact}: give integers, such as an array of uint64"
            )
    return given


def _is_id(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and bool(0 <= value < 2**64)


def _elements(values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """Yield the elements of lists within lists."""
    for each in values:
        if isinstance(each, (list, tuple)):
            yield from _elements(each)
        else:
            yield each
