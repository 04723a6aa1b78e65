"""Trajectories of a replica exchange: one for each system, or one for each state, whichever system is in it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.io.trajectory import Trajectory
from trellis.particles import ParticleSet


class Systems(Protocol):
    """An ensemble: what trajectories keep of its systems."""

    @property
    def systems(self) -> int:
        """The number of systems."""

    @property
    def step_counts(self) -> NDArray[np.uint64]:
        """The number of steps that each system has taken, shape (systems,)."""

    @property
    def time(self) -> NDArray[np.float64]:
        """The time of each system (time)."""

    def all_particles(self, *, images: bool = False) -> list[ParticleSet]:
        """Return copies of the particles of all systems, with the column ``image`` on request."""


class Exchange(Protocol):
    """A replica exchange: its systems, and the state of each."""

    @property
    def ensemble(self) -> Systems:
        """The systems."""

    @property
    def state_of(self) -> NDArray[np.int32]:
        """The state of each system."""


class ReplicaTrajectories:
    """GSD files to which moments of a replica exchange are added: ``state_000.gsd`` or ``replica_000.gsd`` and so on.

    Parameters
    ----------
    folder : str or Path
        Folder of the files; made if it is not there.
    exchange : ReplicaExchange
        The exchange whose systems are written.
    by : str
        ``"state"``: a file has what was in one state, always at its temperature; systems change there. ``"replica"``:
        a file has one system, which goes from state to state.
    append : bool
        Go on with files that are there, as a `Trajectory` does; others are made.

    Raises
    ------
    ValueError
        If a file cannot be made there.
    RuntimeError
        If it cannot be written to the end, or there is no package gsd.
    """

    @checked_arguments()
    def __init__(
        self,
        folder: str | Path,
        exchange: Exchange,
        *,
        by: Literal["state", "replica"] = "state",
        append: bool = False,
    ) -> None:
        if by not in ("state", "replica"):
            raise InputError(f"by is '{by}': allowed are state and replica")
        self._exchange, self._by_state = exchange, by == "state"
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            self._files = [
                stack.enter_context(Trajectory(path, append=append and path.exists()))
                for path in (folder / f"{by}_{k:03d}.gsd" for k in range(exchange.ensemble.systems))
            ]
            self._stack = stack.pop_all()

    def write(self) -> None:
        """Add the systems as they are now, after an exchange; each moment has the state as ``log/state``."""
        ensemble = self._exchange.ensemble
        states, steps, times = self._exchange.state_of, ensemble.step_counts, ensemble.time
        for system, particles in enumerate(ensemble.all_particles(images=True)):
            state = int(states[system])
            file = self._files[state if self._by_state else system]
            file.add(particles, int(steps[system]), float(times[system]), {"state": np.array([state])})

    def __enter__(self) -> ReplicaTrajectories:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
