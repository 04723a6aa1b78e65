"""Columns that were read, once their rows have been replaced: they cannot be written to any more."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis import _core

_FEW = 64  # views that are kept in mind without a look at which are still there


def noted(particles: _core.ParticleSet, name: str, view: NDArray[Any]) -> NDArray[Any]:
    """Return a view of a column, which is kept in mind as long as it lives."""
    views: list[tuple[weakref.ref[NDArray[Any]], str]] = vars(particles).setdefault("_views", [])
    if len(views) >= _FEW and len(views) & (len(views) - 1) == 0:
        views[:] = [each for each in views if each[0]() is not None]
    views.append((weakref.ref(view), name))
    return view


def retire(particles: _core.ParticleSet) -> None:
    """Make views read-only that show memory which the columns have left.

    A view keeps that memory alive, so it goes on to show the former rows. Views of views, such as slices, are not
    known here.
    """
    views = vars(particles).get("_views", [])
    kept = []
    for reference, name in views:
        view = reference()
        if view is None:
            continue
        now = _core.ParticleSet.column(particles, name)
        if _address(view) == _address(now):
            kept.append((reference, name))
        else:
            view.flags.writeable = False
    views[:] = kept


def _address(array: NDArray[Any]) -> int:
    return int(np.asarray(array).__array_interface__["data"][0])
