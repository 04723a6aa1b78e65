"""Trajectories: particles moment by moment, in a GSD file, which OVITO and MDAnalysis read. Needs the package gsd."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.errors import InputError, RunError, reading, writing
from trellis.parallel import world
from trellis.particles import ParticleSet


class Moment(Protocol):
    """A simulation at a moment: what a trajectory keeps of it."""

    @property
    def particles(self) -> ParticleSet:
        """The particles as they are now."""

    @property
    def step_count(self) -> int:
        """Steps since the start."""

    @property
    def time(self) -> float:
        """Time of the particles."""


class Trajectory:
    """A GSD file to which moments of a simulation are added, each of them whole or not at all.

    Particles are in the order of their ids, in single precision, and GSD has the centre of the box as the origin.
    Along axes that are open, its box is one about the origin that holds the particles of the moment. Each moment
    has its step, its time as ``log/time``, and a checksum of the ids as ``log/ids``. Image flags have how often
    each particle has gone around the box since the first moment, for which `write` makes the particles count
    (`ParticleSet.count_images`). Charges are those of the field ``charge``; the types of GSD are the numbers in the
    field ``kind``, as names: "0", "1", .... Under mpirun all ranks make the same calls, and the first writes.

    Parameters
    ----------
    path : str or Path
        The file.
    append : bool
        Go on with a file that is there. At the first `write`, moments from that step on are taken off it: a run resumed
        from a checkpoint has each moment once. Without, what is there is replaced.

    Raises
    ------
    ValueError
        If the file cannot be made there, or is no trajectory to go on with; at the first `write`, if the steps of the
        simulation are not those of the file, as those of a new simulation, which count from 0.
    RuntimeError
        If it cannot be written to the end, or there is no package gsd.

    Examples
    --------
    >>> import trellis as tr
    >>> sim = tr.Simulation(tr.ic.plummer(100), [tr.Gravity(softening=0.1)], timestep=0.01)
    >>> with tr.io.Trajectory("stars.gsd") as trajectory:
    ...     sim.run(until=0.1, callbacks=[(5, trajectory.write)])
    """

    @checked_arguments()
    def __init__(self, path: str | Path, *, append: bool = False) -> None:
        self._path = Path(path)
        self._file: Any = None  # on the first rank
        self._may_hold_later = append
        world.on_first(self._open)

    @world.collective
    def write(self, simulation: Moment) -> None:
        """Add the simulation's particles as they are now."""
        if isinstance(simulation, ParticleSet):
            raise InputError(
                "the simulation is a ParticleSet, but must be a Simulation, whose step and time are written, too:"
                " add(particles, step, time) takes particles alone"
            )
        particles = simulation.particles
        if np.isfinite(particles.box).any():
            particles.count_images()
        self.add(particles, simulation.step_count, simulation.time)

    @checked_arguments()
    @world.collective
    def add(
        self, particles: ParticleSet, step: int, time: float, log: Mapping[str, NDArray[Any]] | None = None
    ) -> None:
        """Add particles as a moment.

        Parameters
        ----------
        particles : ParticleSet
            The particles, for displacements the same each time; image flags are those of their column ``image``, if
            they have it.
        step, time
            Steps until then, and the time.
        log : mapping, optional
            Other values of the moment, kept as ``log/NAME``.
        """
        columns = _in_order_of_ids(particles)
        world.on_first(lambda: _check_room(self._path, columns))
        noted = {"time": np.array([time]), "ids": np.array([crc32(columns.pop("id").tobytes())]), **(log or {})}
        world.on_first(lambda: self._append(columns, particles.box, step, noted))

    def close(self) -> None:
        """Close the file; nothing can be written after that."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> None:
        hoomd = gsd_hoomd()
        try:
            with reading(self._path) if self._may_hold_later else writing(self._path):
                self._file = hoomd.open(self._path, "r+" if self._may_hold_later else "w")
        except RuntimeError as error:
            raise InputError(f"'{self._path}' is not a trajectory: {error}") from None

    def _append(
        self, columns: dict[str, NDArray[Any]], box: NDArray[np.float64], step: int, log: Mapping[str, NDArray[Any]]
    ) -> None:
        if self._may_hold_later:
            self._take_off(step, float(np.ravel(log["time"])[0]))
        positions = columns["position"]
        periodic = np.isfinite(box[0])
        centre = np.where(periodic, box, 0.0).mean(axis=0)
        sides = np.where(periodic, box[1] - box[0], 2 * np.abs(positions).max(axis=0, initial=0.5))
        frame = gsd_hoomd().Frame()
        frame.configuration.step = step
        frame.configuration.box = [*sides, 0, 0, 0]
        frame.particles.N = len(positions)
        frame.particles.position = positions - centre
        frame.particles.velocity = columns["velocity"]
        frame.particles.mass = columns["mass"]
        frame.particles.image = columns["image"]
        if "charge" in columns:
            frame.particles.charge = columns["charge"]
        if "kind" in columns:
            kinds, frame.particles.typeid = np.unique(columns["kind"], return_inverse=True)
            frame.particles.types = [f"{kind:g}" for kind in kinds]
        frame.log.update(log)
        with writing(self._path):
            self._file.append(frame)
            self._file.flush()

    def _take_off(self, step: int, time: float) -> None:
        """Leave only moments before this step: copied to a new file, which then takes the place of this one.

        ValueError for moments of this step or a later one whose time is earlier: they are of another simulation.
        """
        moments = [(frame.configuration.step, np.ravel(frame.log.get("time", time))[0]) for frame in self._file]
        others = [(each, at) for each, at in moments if each >= step and at < time]
        if others:
            raise InputError(
                f"'{self._path}' has step {others[0][0]} at the time {others[0][1]:g}, but the simulation is at step"
                f" {step} and the time {time:g}: its steps are not those of the file, of which moments would be lost;"
                " allowed is another file, or add(particles, step, time) with a later step"
            )
        kept = sum(each < step for each, _ in moments)
        if kept < len(self._file):
            part = self._path.with_name(f".{self._path.name}.part")
            with writing(self._path):
                with gsd_hoomd().open(part, "w") as new:
                    new.extend(self._file[k] for k in range(kept))
                self._file.close()
                part.replace(self._path)
                self._file = gsd_hoomd().open(self._path, "r+")
        self._may_hold_later = False

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def gsd_hoomd() -> Any:
    """Return the module gsd.hoomd; RuntimeError if the package is not there."""
    try:
        import gsd.hoomd
    except ImportError:
        raise RunError("a trajectory needs the package gsd: pip install gsd") from None
    return gsd.hoomd


def _in_order_of_ids(particles: ParticleSet) -> dict[str, NDArray[Any]]:
    """Columns of the particles of all ranks, on the first rank; empty on the others."""
    order = np.argsort(_on_first_rank(particles.id), kind="stable")
    low, high = particles.box
    within, sides = particles.wrapped_position(), np.where(np.isfinite(low), high - low, np.inf)
    images = np.round((particles.position - within) / sides)
    if "image" in particles.field_names:
        images += particles.column("image")
    columns: dict[str, NDArray[Any]] = {
        "id": particles.id,
        "position": within,
        "image": images.astype(np.int32),
        "velocity": particles.velocity,
        "mass": particles.mass,
        **{name: particles.column(name) for name in ("charge", "kind") if name in particles.field_names},
    }
    return {name: _on_first_rank(column)[order] for name, column in columns.items()}


def _check_room(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    """Raise a ValueError for a finite value that single precision has no room for."""
    for name, column in columns.items():
        beyond = column[np.isfinite(column) & (np.abs(column) > np.finfo(np.float32).max)]
        if len(beyond) > 0:
            raise InputError(
                f"'{path}': column '{name}' has {beyond[0]:g}, which single precision has no room for: a trajectory"
                " holds up to 3.4e+38"
            )


def _on_first_rank(own: NDArray[Any]) -> NDArray[Any]:
    if world.rank() > 0:
        _core.world().send(0, own.tobytes())
        return own[:0]
    others = [
        np.frombuffer(_core.world().receive(rank), own.dtype).reshape(-1, *own.shape[1:])
        for rank in range(1, world.ranks())
    ]
    return np.concatenate([own, *others])
