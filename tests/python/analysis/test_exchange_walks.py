"""Acceptance, round trips, flow and transitions: of deterministic walks, of random walks that are solved, and
of harmonic systems."""

from __future__ import annotations

import itertools

import harmonic
import numpy as np
import pytest

import trellis as tr

LADDER = np.geomspace(1.0, 4.0, 6)


def history(state: np.ndarray) -> tr.ExchangeHistory:
    """A history of which only the walk matters."""
    none = np.zeros(state.shape[1] - 1)
    return tr.ExchangeHistory(np.arange(1.0, state.shape[1] + 1), state, np.zeros(state.shape), none, none)


def walk(states: int, exchanges: int, chance: float, seed: int) -> np.ndarray:
    """Exchanges one pair of neighbours, any of them, with a chance: each system's is a symmetric random walk."""
    random = np.random.default_rng(seed)
    state = np.empty((exchanges, states), np.int32)
    state[0] = np.arange(states)
    for k in range(1, exchanges):
        state[k] = state[k - 1]
        if random.random() < chance:
            low = random.integers(states - 1)
            first, second = state[k] == low, state[k] == low + 1
            state[k, first], state[k, second] = low + 1, low
    return state


def all_accepted(states: int, exchanges: int) -> np.ndarray:
    """Odd and even neighbours by turns, always: each system goes up and down, in 2 x states exchanges."""
    state = np.empty((exchanges, states), np.int32)
    state[0] = np.arange(states)
    for k in range(1, exchanges):
        up = (state[k - 1] + k) % 2 == 0  # at first, systems in odd states go up
        state[k] = np.clip(np.where(up, state[k - 1] + 1, state[k - 1] - 1), 0, states - 1)
    return state


@pytest.mark.parametrize("states", [2, 4, 8])
def test_round_trips_of_a_deterministic_walk(states: int) -> None:
    period = 2 * states
    found = tr.analysis.round_trips(history(all_accepted(states, 3 * period + 1)))
    for trips in found:
        assert (trips.times == period).all()
        assert trips.count.sum() == len(trips.times)
        assert set(trips.count) <= {2, 3}
        assert (trips.mean, trips.error) == (period, 0.0)
    assert found.from_first.count[0] == 3  # began there


def test_round_trips_are_those_of_a_slow_count() -> None:
    state = walk(5, 3000, 0.9, 1)
    expected: dict[int, list[list[int]]] = {0: [], 4: []}
    for path in state.T:
        for end, other in ((0, 4), (4, 0)):
            times, began, been_away = [], None, False
            for moment, now in enumerate(path):
                if now == other:
                    been_away = True
                elif now == end and (began is None or been_away):
                    if began is not None:
                        times.append(moment - began)
                    began, been_away = moment, False
            expected[end].append(times)
    for trips, end in zip(tr.analysis.round_trips(history(state)), (0, 4), strict=True):
        assert trips.count.tolist() == [len(times) for times in expected[end]]
        assert trips.times.tolist() == [time for times in expected[end] for time in times]
        assert trips.count.min() > 0


def test_of_a_symmetric_random_walk() -> None:
    states, chance = 4, 0.6
    each = chance / (states - 1)  # chance to go up, and to go down
    walked = history(walk(states, 60_000, chance, 2))
    trips = tr.analysis.round_trips(walked)
    for part in trips:
        assert abs(part.mean - (states - 1) * states / each) < 4 * part.error < 0.1 * part.mean
    assert tr.analysis.flow(walked) == pytest.approx(np.arange(states) / (states - 1), abs=0.03)
    moves = tr.analysis.state_transitions(walked)
    exact = np.eye(states) + each * (np.eye(states, k=1) + np.eye(states, k=-1))
    exact -= np.diag(exact.sum(axis=1) - 1)
    assert moves.matrix == pytest.approx(exact, abs=0.01)
    eigenvalue = 1 - 2 * each * (1 - np.cos(np.pi / states))
    assert abs(moves.second_eigenvalue - eigenvalue) < 4 * moves.error < 0.02
    assert moves.relaxation_time == pytest.approx(1 / (1 - eigenvalue), rel=0.1)


def test_errors_of_second_eigenvalues_are_their_scatter() -> None:
    found = [tr.analysis.state_transitions(history(walk(4, 2000, 0.6, seed))) for seed in range(60)]
    scatter = np.std([each.second_eigenvalue for each in found])
    assert np.mean([each.error for each in found]) == pytest.approx(scatter, rel=0.3)


def test_transitions_are_those_of_a_slow_count() -> None:
    # whole permutations: exchanges of pairs alone are as many to and fro
    state = np.random.default_rng(4).permuted(np.tile(np.arange(5, dtype=np.int32), (60, 1)), axis=1)
    counts = np.zeros((5, 5))
    for path in state.T:
        for now, then in itertools.pairwise(path):
            counts[now, then] += 0.5
            counts[then, now] += 0.5
    found = tr.analysis.state_transitions(history(state))
    assert found.matrix == pytest.approx(counts / 59)
    assert found.second_eigenvalue == pytest.approx(np.sort(np.linalg.eigvals(counts / 59).real)[-2])


def test_flow_is_that_of_a_slow_count() -> None:
    state = walk(5, 400, 0.9, 3)
    seen, from_last = np.zeros(5), np.zeros(5)
    for path in state.T:
        came_from = None
        for now in path:
            came_from = now if now in (0, 4) else came_from
            if came_from is not None:
                seen[now] += 1
                from_last[now] += came_from == 4
    assert tr.analysis.flow(history(state)) == pytest.approx(from_last / seen)
    at_rest = tr.analysis.flow(history(np.tile(np.arange(3, dtype=np.int32), (10, 1))))
    assert np.array_equal(at_rest, [0.0, np.nan, 1.0], equal_nan=True)


def test_second_eigenvalue_and_acceptance_of_harmonic_systems() -> None:
    # two dimensions: acceptance is 2 P(E1 > E2) = 2 T1 / (T1 + T2), the same for all pairs of this ladder
    exact = 2 / (1 + LADDER[1] / LADDER[0])
    made = harmonic.exchange(LADDER, 20_000, dimensions=2, seed=1)
    found = tr.analysis.acceptance(made)
    assert found.tried.tolist() == [10_000] * 5
    assert (np.abs(found.rate - exact) < 4 * found.error).all()
    assert found.error == pytest.approx(np.sqrt(exact * (1 - exact) / 10_000), rel=0.05)
    assert found.expected == pytest.approx(exact, abs=0.01)
    moves = tr.analysis.state_transitions(made)
    # each pair is tried every other time
    eigenvalue = 1 - exact * (1 - np.cos(np.pi / len(LADDER)))
    assert abs(moves.second_eigenvalue - eigenvalue) < 4 * moves.error < 0.01


def test_a_wrong_rule_of_acceptance_is_not_what_the_energies_say() -> None:
    found = tr.analysis.acceptance(harmonic.exchange(LADDER, 4000, dimensions=8, seed=2, factor=0.5))
    assert (found.rate - found.expected > 10 * found.error).all()


def test_tables() -> None:
    made = harmonic.exchange(LADDER, 3000, dimensions=2, seed=3)
    lines = str(tr.analysis.acceptance(made)).splitlines()
    assert lines[0].split() == ["states", "temperatures", "tried", "accepted", "rate", "+-", "expected"]
    assert lines[2].split()[:5] == ["1,", "2", "1.3195,", "1.7411", "1500"]
    assert len(lines) == 6
    trips = tr.analysis.round_trips(made)
    lines = str(trips).splitlines()
    assert lines[1].split()[:3] == ["from", "first", str(len(trips.from_first.times))]
    assert lines[2].split()[-3:-1] == [f"{trips.from_last.mean:.5g}", "+-"]


def test_without_exchanges_there_are_no_numbers() -> None:
    empty = harmonic.exchange(LADDER, 0, dimensions=2, seed=1)
    found = tr.analysis.acceptance(empty)
    assert np.isnan(found.rate).all()
    assert np.isnan(found.expected).all()
    trips = tr.analysis.round_trips(empty)
    assert trips.from_first.count.tolist() == [0] * 6
    assert np.isnan([trips.from_first.mean, trips.from_last.error]).all()


def test_say_what_is_allowed() -> None:
    one = harmonic.exchange(np.array([1.0]), 50, dimensions=2, seed=1)
    for function in (tr.analysis.round_trips, tr.analysis.flow, tr.analysis.state_transitions):
        with pytest.raises(ValueError, match="at least two"):
            function(one)
    few = harmonic.exchange(LADDER, 40, dimensions=2, seed=1)
    with pytest.raises(ValueError, match=r"transitions between states of 39 moments: .* at least 40"):
        tr.analysis.state_transitions(few)
