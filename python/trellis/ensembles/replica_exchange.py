"""Replica exchange: systems of an ensemble that exchange their states."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trellis import _core
from trellis.arguments import checked_arguments
from trellis.ensembles.ensemble import Ensemble, EnsembleEnergies, Floats
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.interactions.forces import NeighbourInteraction
from trellis.particles.given_numbers import real_numbers

Scheme = Literal["neighbours", "all pairs", "asynchronous"]
SCHEMES = {
    "neighbours": _core.ExchangeScheme.neighbours,
    "all pairs": _core.ExchangeScheme.all_pairs,
    "asynchronous": _core.ExchangeScheme.asynchronous,
}

LARGEST_JUMP = 1e-4  # jump of a pair's energy at the cutoff over the lowest k T


class ReplicaExchange:
    """Systems that take steps and exchange their states, by turns (Sugita & Okamoto 1999).

    State k is the temperature k and what the ensemble gave system k: the Hamiltonian, which is interaction and
    container, and the pressure. In state i, a system at x has the reduced energy u_i(x) = U_i(x) / kT_i, or, with a
    barostat, [U_i(x) + P_i V(x)] / kT_i. The systems in states i and j exchange with
    the probability min{1, exp[u_i(x_i) + u_j(x_j) - u_i(x_j) - u_j(x_i)]} (Sugita, Kitao & Okamoto 2000); if only the
    temperatures differ, that is min{1, exp[(1/kT_i - 1/kT_j)(U_i - U_j)]}. Velocities are scaled by
    sqrt(T_new / T_old), and the bath's account has all energy, so each state keeps its canonical distribution. Systems
    keep their particles: states move. If Hamiltonians differ, each system is evaluated in all at every exchange.

    Parameters
    ----------
    ensemble
        With a thermostat, and as many systems as temperatures, all of the same particles, but for positions and
        velocities, in the same boxes. The energy of its interaction must not jump at the cutoff.
    temperatures
        k T of each state (energy), which may be the same if Hamiltonians or pressures differ; system k begins in state
        k. See `geometric_temperatures` and `even_temperatures`.
    exchange_every
        Steps from exchange to exchange.
    scheme
        ``"neighbours"``: each state with the next, even and odd ones by turns. ``"all pairs"``: any two, so often
        that the next state of a system hardly depends on its last (Chodera & Shirts 2011). ``"asynchronous"``:
        neighbours as soon as both have come, while other systems still move; no device waits for the slowest, but the
        bits depend on which comes first.
    seed
        Seed of the random numbers.

    Raises
    ------
    ValueError
        For what cannot be used.
    """

    @checked_arguments()
    def __init__(
        self,
        ensemble: Ensemble,
        temperatures: ArrayLike,
        *,
        exchange_every: int = 100,
        scheme: Scheme = "neighbours",
        seed: int = 0,
    ) -> None:
        if scheme not in SCHEMES:
            raise _core.InputError(f"scheme is '{scheme}': allowed are {', '.join(SCHEMES)}")
        self.ensemble = ensemble
        self.temperatures: Floats = np.array(real_numbers("temperatures", temperatures), dtype=float)
        if self.temperatures.ndim != 1:
            raise _core.InputError(f"temperatures have the shape {self.temperatures.shape}: allowed is (states,)")
        if len(self.temperatures) == 1:
            raise _core.InputError("there is one state, which has none to exchange with: allowed are 2 or more")
        for name, number, least in (("exchange_every", exchange_every, 1), ("seed", seed, 0)):
            if number != int(number) or number < least:
                raise _core.InputError(f"{name} is {number}: allowed is {least} or more, a whole number")
        lowest = float(self.temperatures.min(initial=np.inf))
        if lowest > 0:  # others are refused below, by the number of the state
            _check_continuous(ensemble, lowest)
        self._core = _core.ReplicaExchange(
            ensemble._core, self.temperatures.tolist(), int(exchange_every), SCHEMES[scheme], int(seed)
        )

    def set_temperatures(self, temperatures: ArrayLike) -> None:
        """Go on with other temperatures of the states, as many: systems keep states, and velocities are scaled."""
        self._core.set_temperatures(np.asarray(temperatures, dtype=float).tolist())
        self.temperatures = np.array(temperatures, dtype=float)

    @property
    def state_of(self) -> NDArray[np.int32]:
        """The state of each system, shape (systems,)."""
        return np.asarray(self._core.state_of)

    @property
    def hamiltonians(self) -> NDArray[np.int64]:
        """The number of the Hamiltonian of each state, shape (states,); the same where nothing but k T differs."""
        return np.asarray(self.ensemble._core.first_hamiltonian)

    @property
    def pressures(self) -> Floats:
        """The pressure of each state (energy / length^3), shape (states,); 0 without a barostat."""
        return np.asarray(self.ensemble._core.first_pressures)

    @property
    def energies(self) -> EnsembleEnergies:
        """Energies of each system at its last exchange, before it entered a state: arrays of shape (systems,).

        Their sum is conserved from exchange to exchange, but for the errors of the steps. Empty before the first.
        """
        return EnsembleEnergies(*np.asarray(self._core.energies).T)

    @property
    def exchanges(self) -> int:
        """The number of exchanges that were tried; in the asynchronous scheme, how often systems have come."""
        return self._core.exchanges

    @checked_arguments()
    def run(self, exchanges: int) -> ExchangeHistory:
        """Take steps and exchange, `exchanges` times.

        In the asynchronous scheme systems come to `exchanges` exchanges on average.

        Returns
        -------
        ExchangeHistory
            The history of these exchanges.

        Raises
        ------
        ValueError
            For a number that is not allowed.
        RuntimeError
            If an energy is not finite, or the last device has failed.
        """
        if exchanges != int(exchanges) or exchanges < 1:
            raise _core.InputError(f"exchanges is {exchanges}: allowed is 1 or more, a whole number")
        before = self._core.tried, self._core.accepted
        samples = self._core.run(int(exchanges))
        tried, accepted = self._core.tried - before[0], self._core.accepted - before[1]
        return ExchangeHistory.of_samples(
            (self.temperatures, self.hamiltonians, self.pressures),
            samples,
            (tried.astype(np.int64), accepted.astype(np.int64)),
        )

    def state(self) -> dict[str, bytes]:
        """Return all that the exchange goes on from, with the same bits but in the asynchronous scheme."""
        counts = {"exchanges": np.array([self.exchanges]), "tried": self._core.tried, "accepted": self._core.accepted}
        exchange = {"temperatures": self.temperatures, "state_of": self.state_of, **counts}
        return {**self.ensemble.state(), **{name: np.asarray(values).tobytes() for name, values in exchange.items()}}

    def restore(self, state: dict[str, bytes]) -> None:
        """Go back to a state of this exchange, or of one made with the same arguments, and to its temperatures.

        A ValueError for another one; then nothing has changed.
        """
        states = len(self.temperatures)
        sizes = {"exchanges": 1, "tried": states - 1, "accepted": states - 1}
        counts = [np.frombuffer(state.get(name, b""), dtype=np.uint64).tolist() for name in sizes]
        state_of = np.frombuffer(state.get("state_of", b""), dtype=np.int32)
        temperatures = np.frombuffer(state.get("temperatures", b""))
        if (
            [len(each) for each in counts] != list(sizes.values())
            or not np.array_equal(np.sort(state_of), np.arange(states))
            or len(temperatures) != states
        ):
            raise _core.InputError(
                "a state of other systems cannot be restored: allowed is one of an exchange with the same arguments"
            )
        self.ensemble.restore(state)
        self._core.restore(state_of.tolist(), counts[0][0], counts[1], counts[2])
        self.set_temperatures(temperatures)  # which the systems have already

    def restore_first(self, state: dict[str, bytes], places: ArrayLike) -> None:
        """Go on from a state of an exchange among fewer systems, which are the first of these: the others join.

        The first keep their states, and go on with the same bits until they exchange with one that joins. Those have
        the states that are left, in order, and their particles as they are. Counts of exchanges begin again at 0.

        Parameters
        ----------
        state
            The result of `state` there.
        places
            The number, among the states here, of each of the states there.

        Raises
        ------
        ValueError
            For another state or other places.
        """
        states, place = np.arange(len(self.temperatures)), np.asarray(places)
        left = np.setdiff1d(states, place)
        if len(place) + len(left) != len(states) or not np.isin(place, states).all():
            raise _core.InputError(f"places are {place.tolist()}: allowed are different ones of {len(states)} states")
        first = np.frombuffer(state.get("state_of", b""), dtype=np.int32)
        if not np.array_equal(np.sort(first), np.arange(len(place))) or len(state.get("exchanges", b"")) != 8:
            raise _core.InputError("a state to go on from is not one of an exchange among as many systems")
        if not np.array_equal(np.frombuffer(state.get("temperatures", b"")), self.temperatures[place]):
            raise _core.InputError("a state to go on from has other temperatures than the states at these places")
        hamiltonians = dict.fromkeys(self.hamiltonians[place].tolist())  # in the order of the numbers that they had
        self.ensemble._core.restore_first(state, list(hamiltonians))
        now = self.ensemble.temperature
        now[len(place) :] = self.temperatures[left]
        self.ensemble.temperature = now
        exchanges = int(np.frombuffer(state["exchanges"], dtype=np.uint64)[0])
        none = [0] * (len(states) - 1)
        self._core.restore(np.concatenate([place[first], left]).tolist(), exchanges, none, none)
        self.set_temperatures(self.temperatures)  # and Hamiltonians and pressures, of those that join

    def __repr__(self) -> str:
        low, high = self.temperatures[0], self.temperatures[-1]
        return f"ReplicaExchange({len(self.temperatures)} states from {low:g} to {high:g}, {self.exchanges} exchanges)"


def _check_continuous(ensemble: Ensemble, lowest: float) -> None:
    """Raise a ValueError for energies that jump at the cutoff: exchanges see the jump, but forces do not."""
    for each in ensemble.interactions:
        jump, enough = _jump(each, lowest)
        if jump > LARGEST_JUMP * lowest:
            by = f" by {jump:.2g}" if math.isfinite(jump) else ""
            raise _core.InputError(
                f"truncation is 'plain', by which the energy jumps{by} at the cutoff: in a replica exchange"
                f" allowed are 'energy-shifted', 'force-shifted' and 'switched'{enough}"
            )


def _jump(force: _core.Force, lowest: float) -> tuple[float, str]:
    """Return by how much the energy of a pair jumps at the cutoff, infinite if pairs differ, and what else is allowed.

    What a function of `trellis.interaction` does there is not known.
    """
    if not isinstance(force, (_core.LennardJones, NeighbourInteraction)) or force.settings.get("truncation") != "plain":
        return 0.0, ""
    if isinstance(force, NeighbourInteraction):
        made, given = force.interaction, force.given
        return (math.inf if made.differs else abs(made.energy(given["cutoff"], given))), ""
    epsilon, sigma, cutoff = (float(str(force.settings[name])) for name in ("epsilon", "sigma", "cutoff"))
    if force.settings["cutoff_in_sigma"]:
        cutoff *= sigma
    enough = sigma * (4 * epsilon / (LARGEST_JUMP * lowest)) ** (1 / 6)
    return 4 * epsilon * (sigma / cutoff) ** 6, f", or a cutoff of {enough:.3g} or more"
