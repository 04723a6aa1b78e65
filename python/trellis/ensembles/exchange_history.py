"""The history of a replica exchange: the state of each system, its energy, and the exchanges that were made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError
from trellis.io.checked_columns import new_column, read_rows
from trellis.io.hdf5 import new_hdf5, open_hdf5

FORMAT = b"trellis exchange history 1"
COLUMNS = {
    "temperatures": np.float64,
    "state": np.int32,
    "potential": np.float64,
    "tried": np.int64,
    "accepted": np.int64,
}
OF_HAMILTONIANS = {"hamiltonian": np.int64, "potential_in_all": np.float64}  # columns, where there are several
OF_PRESSURES = {"pressure": np.float64, "volume": np.float64}  # columns, where boxes change


@dataclass(frozen=True)
class ExchangeHistory:
    """The history of a replica exchange, in which each state is held by one system at a time.

    Attributes
    ----------
    temperatures : array, shape (states,)
        k T of each state (energy).
    state : array of int, shape (exchanges, systems)
        The state in which each system was until each of its exchanges: in each row every state once, but in the
        asynchronous scheme, where systems exchange at times of their own; -1 behind the last of a system that has had
        fewer.
    potential : array, shape (exchanges, systems)
        Potential energy of each system just before each exchange (energy); not a number where the state is -1.
    tried, accepted : array of int, shape (states - 1,)
        Exchanges between a state and the next that were tried, and those that were made, in the whole of a run.
    hamiltonian : array of int, shape (states,)
        The number of each state's Hamiltonian; all 0 if states differ by temperature alone.
    potential_in_all : array, shape (exchanges, systems, Hamiltonians)
        The same in each Hamiltonian.
    pressure : array, shape (states,)
        Pressure of each state (energy / length^3); 0 where boxes stay as they are.
    volume : array, shape (exchanges, systems)
        Volume of each system just before each exchange (length^3); 0 where boxes stay as they are.

    Raises
    ------
    ValueError
        For shapes that do not fit each other, temperatures that are not above 0, or a state or Hamiltonian that there
        is not.
    """

    temperatures: NDArray[np.float64]
    state: NDArray[np.int32]
    potential: NDArray[np.float64]
    tried: NDArray[np.int64]
    accepted: NDArray[np.int64]
    hamiltonian: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    potential_in_all: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    pressure: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    volume: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if len(self.hamiltonian) == 0:
            object.__setattr__(self, "hamiltonian", np.zeros(np.shape(self.temperatures)))
            object.__setattr__(self, "potential_in_all", np.asarray(self.potential)[..., None])
        if len(self.pressure) == 0:
            object.__setattr__(self, "pressure", np.zeros(np.shape(self.temperatures)))
            object.__setattr__(self, "volume", np.zeros(np.shape(self.potential)))
        for name, dtype in (COLUMNS | OF_HAMILTONIANS | OF_PRESSURES).items():
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=dtype))
        if self.temperatures.ndim != 1 or not (np.isfinite(self.temperatures) & (self.temperatures > 0)).all():
            raise InputError("temperatures must be one list of numbers above 0")
        states = self.states
        if self.state.ndim != 2 or self.state.shape[1] != states:
            raise InputError(
                f"state has the shape {self.state.shape}, but must have (exchanges, {states}), a system each"
            )
        for name in ("potential", "volume"):
            if (shape := getattr(self, name).shape) != self.state.shape:
                raise InputError(f"{name} has the shape {shape}, but must have that of state, {self.state.shape}")
        if self.pressure.shape != (states,) or not np.isfinite(self.pressure).all():
            raise InputError(f"pressure must have a finite number for each of the {states} states")
        for name, counts in {"tried": self.tried, "accepted": self.accepted}.items():
            if counts.shape != (max(0, states - 1),):
                raise InputError(
                    f"{name} has the shape {counts.shape}, but must have ({states - 1},), one less than states"
                )
        if self.state.size > 0 and not -1 <= self.state.min() <= self.state.max() < states:
            raise InputError(
                f"a state is {self.state.min()} or {self.state.max()}, but must be 0 to {states - 1}, or -1"
            )
        if self.hamiltonian.shape != (states,) or self.hamiltonian.min(initial=0) < 0:
            raise InputError(f"hamiltonian must have a number for each of the {states} states")
        if self.potential_in_all.shape != (*self.state.shape, self.hamiltonians):
            raise InputError(
                f"potential_in_all has the shape {self.potential_in_all.shape}, but must have (exchanges, systems,"
                f" {self.hamiltonians})"
            )

    @property
    def exchanges(self) -> int:
        """The number of exchanges."""
        return len(self.state)

    @property
    def systems(self) -> int:
        """The number of systems."""
        return self.states

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.temperatures)

    @property
    def hamiltonians(self) -> int:
        """The number of Hamiltonians."""
        return 1 + int(self.hamiltonian.max(initial=0))

    @property
    def constant_pressure(self) -> bool:
        """True if boxes change."""
        return bool((self.volume != 0).any())

    @property
    def together(self) -> bool:
        """True if all systems exchange at the same times, so that each row has every state once."""
        return not (np.sort(self.state, axis=1) != np.arange(self.states)).any()

    def check_together(self, what: str) -> None:
        """Raise a ValueError if systems exchange at times of their own, as `what` does not allow."""
        if not self.together:
            raise InputError(
                f"{what} need systems that exchange at the same times, not those of the asynchronous scheme"
            )

    def walk(self) -> NDArray[np.int64]:
        """Return the system that was in each state until each exchange: shape (exchanges, states).

        Raises
        ------
        ValueError
            Of the asynchronous scheme.
        """
        self.check_together("the systems in each state")
        return np.argsort(self.state, axis=1)

    def energies(self) -> NDArray[np.float64]:
        """Return the potential energies of systems in each state before exchanges: shape (exchanges, states).

        In the asynchronous scheme, in the order in which systems came to that state, as many as of the rarest state.
        """
        return self._by_state(self.potential[..., None])[..., 0]

    def energies_in_all(self) -> NDArray[np.float64]:
        """Return `energies` in each Hamiltonian: shape (exchanges, states, Hamiltonians)."""
        return self._by_state(self.potential_in_all)

    def volumes(self) -> NDArray[np.float64]:
        """Return the volumes of systems in each state, as `energies`: shape (exchanges, states)."""
        return self._by_state(self.volume[..., None])[..., 0]

    def reduced_energies(self) -> NDArray[np.float64]:
        """Return u[e, k, l], the reduced energy in state l of the system that was in state k.

        That is (U_l + P_l V) / kT_l, without P_l V where boxes stay as they are: shape (exchanges, states, states).
        """
        energies = self.energies_in_all()[..., self.hamiltonian]
        if self.constant_pressure:
            energies = energies + self.volumes()[..., None] * self.pressure
        return np.asarray(energies / self.temperatures)

    def _by_state(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of systems, of shape (exchanges, systems, any), in the order of states."""
        if self.together:
            return np.take_along_axis(values, self.walk()[..., None], axis=1)
        of_states = [values[self.state == k] for k in range(self.states)]
        rows = min(map(len, of_states))
        return np.stack([each[:rows] for each in of_states], axis=1)

    def after(self, exchanges: int) -> ExchangeHistory:
        """Return the history without its first `exchanges` exchanges, as those before equilibrium.

        `tried` and `accepted` stay those of the whole: the history does not note when each was.
        """
        if not 0 <= exchanges <= self.exchanges:
            raise InputError(f"{exchanges} exchanges are to be left out: allowed is 0 to {self.exchanges}")
        return replace(
            self,
            state=self.state[exchanges:],
            potential=self.potential[exchanges:],
            potential_in_all=self.potential_in_all[exchanges:],
            volume=self.volume[exchanges:],
        )

    def joined(self, others: Iterable[ExchangeHistory]) -> ExchangeHistory:
        """Return one history of this and of others that went on from it, in their order.

        Raises
        ------
        ValueError
            If they are not of the same states.
        """
        parts = [self, *others]
        for name, what in {
            "temperatures": "temperatures",
            "hamiltonian": "Hamiltonians",
            "pressure": "pressures",
        }.items():
            if any(not np.array_equal(getattr(part, name), getattr(self, name)) for part in parts):
                raise InputError(f"histories of different {what} cannot be joined")
        return ExchangeHistory(
            self.temperatures,
            np.concatenate([part.state for part in parts]),
            np.concatenate([part.potential for part in parts]),
            sum((part.tried for part in parts), np.zeros_like(self.tried)),
            sum((part.accepted for part in parts), np.zeros_like(self.accepted)),
            self.hamiltonian,
            np.concatenate([part.potential_in_all for part in parts]),
            self.pressure,
            np.concatenate([part.volume for part in parts]),
        )

    @classmethod
    def of_samples(
        cls,
        states: tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]],
        samples: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]],
        counts: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> ExchangeHistory:
        """Return the history of systems that came to exchanges.

        Parameters
        ----------
        states
            temperatures, hamiltonian and pressure, as above.
        samples
            System, state, potential energies in all Hamiltonians, and volume of each that came, those of one system in
            their order; no volumes where boxes stay as they are.
        counts
            tried and accepted, as above.
        """
        temperatures, hamiltonian, pressure = states
        system, state, potential, volume = samples
        order = np.argsort(system, kind="stable")
        had = np.bincount(system, minlength=len(temperatures))
        row = np.arange(len(system)) - np.repeat(np.cumsum(had) - had, had)
        shape = (int(had.max(initial=0)), len(temperatures))
        held, energies = np.full(shape, -1, np.int32), np.full((*shape, potential.shape[1]), np.nan)
        held[row, system[order]] = state[order]
        energies[row, system[order]] = potential[order]
        own = np.take_along_axis(energies, hamiltonian[held][..., None], axis=2)[..., 0]
        if len(volume) == 0:
            return cls(temperatures, held, own, *counts, hamiltonian, energies)
        volumes = np.full(shape, np.nan)
        volumes[row, system[order]] = volume[order]
        return cls(temperatures, held, own, *counts, hamiltonian, energies, pressure, volumes)

    def write(self, path: str | Path) -> None:
        """Write an HDF5 file, which appears whole or not at all, with a dataset for each attribute.

        Raises
        ------
        ValueError
            If it cannot be made there.
        RuntimeError
            If it cannot be written to the end.
        """
        with new_hdf5(Path(path), checked=True) as file:
            file.attrs["format"] = np.bytes_(FORMAT)
            of_hamiltonians = OF_HAMILTONIANS if self.hamiltonians > 1 or self.constant_pressure else {}
            for name in COLUMNS | of_hamiltonians | (OF_PRESSURES if self.constant_pressure else {}):
                values = getattr(self, name)
                new_column(file, name, values.shape, values.dtype)[...] = values

    @classmethod
    def read(cls, path: str | Path | Iterable[str | Path]) -> ExchangeHistory:
        """Read a file that `write` has made, or several in their order as one history.

        Raises
        ------
        ValueError
            If a file is missing, damaged or no such history, or if they do not belong together.
        """
        if not isinstance(path, str | Path):
            parts = [cls.read(each) for each in path]
            if not parts:
                raise InputError("a history is to be read from no files: allowed is one or more")
            return parts[0].joined(parts[1:])
        path = Path(path)
        with open_hdf5(path) as file:
            if "format" not in file.attrs or file.attrs["format"] != FORMAT:
                raise InputError(f"'{path}' is not an exchange history of this version of trellis")
            names = [*COLUMNS, *(name for name in OF_HAMILTONIANS | OF_PRESSURES if name in file)]
            return cls(*(read_rows(path, name, file[name], slice(None)) for name in names))
