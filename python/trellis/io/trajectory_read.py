"""Moments of a trajectory that was written before: positions that go on across the faces of the box."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, reading
from trellis.io.trajectory import gsd_hoomd

Floats = NDArray[np.float64]


def read_unwrapped(path: str | Path) -> tuple[Floats, Floats]:
    """Read the times of a trajectory, and the positions with the image flags that it has.

    Where the box changes, a crossing of its face counts with the side of the moment after it, so that no particle moves
    by the change of all boxes that it has gone through before (von Bülow, Bullerjahn & Hummer 2020).

    Parameters
    ----------
    path : str or Path
        A GSD file, such as `Trajectory` writes.

    Returns
    -------
    tuple of ndarray
        Times, shape (moments,), and positions, shape (moments, particles, 3), in the units of the particles.

    Raises
    ------
    ValueError
        If there is no such file, or it is no trajectory with times of the same particles.
    RuntimeError
        If there is no package gsd.
    """
    hoomd = gsd_hoomd()
    times, positions, ids = [], [], {}
    before, crossed = (
        np.zeros((1, 3)),
        np.zeros((1, 3)),
    )  # image flags of the moment before, and the lengths of all boxes gone through
    try:
        with reading(Path(path)), hoomd.open(Path(path), "r") as frames:
            for frame in frames:
                times.append(float(np.ravel(frame.log["time"])[0]))
                ids[tuple(np.ravel(frame.log.get("ids", 0)))] = frame.configuration.step
                if len(ids) > 1:
                    first, now = ids.values()
                    raise ValueError(f"those of step {now} are others than those of step {first}")
                sides = np.asarray(frame.configuration.box[:3], dtype=float)
                crossed = crossed + (frame.particles.image - before) * sides
                before = np.asarray(frame.particles.image)
                positions.append(frame.particles.position + crossed)
        return np.array(times), np.array(positions, dtype=float)
    except (RuntimeError, KeyError, ValueError) as error:
        raise InputError(f"'{path}' is not a trajectory with times of the same particles: {error}") from None
