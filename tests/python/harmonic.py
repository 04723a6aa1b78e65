"""Harmonic systems of D dimensions: their energies in equilibrium, alone and in a replica exchange, without dynamics.

The potential energy at temperature T has a gamma distribution, of shape D / 2 and scale T.
"""

from __future__ import annotations

import numpy as np

import trellis as tr


def independent(temperatures: np.ndarray, moments: int, dimensions: int, seed: int) -> np.ndarray:
    """Potential energies (moments, states), independent of each other."""
    return np.random.default_rng(seed).gamma(dimensions / 2, temperatures, (moments, len(temperatures)))


def remembering(temperatures: np.ndarray, moments: int, dimensions: int, memory: float, seed: int) -> np.ndarray:
    """Potential energies (moments, states) of coordinates that are autoregressive, of a factor `memory` a moment.

    Those of the energies is its square: their autocorrelation time is (1 + memory^2) / (1 - memory^2) / 2.
    """
    random = np.random.default_rng(seed)
    x = random.normal(size=(len(temperatures), dimensions))
    found = np.empty((moments, len(temperatures)))
    for k in range(moments):
        found[k] = 0.5 * temperatures * (x**2).sum(axis=1)
        x = memory * x + np.sqrt(1 - memory**2) * random.normal(size=x.shape)
    return found


def exchange(
    temperatures: np.ndarray, exchanges: int, dimensions: int, seed: int, memory: float = 0.0, factor: float = 1.0
) -> tr.ExchangeHistory:
    """A replica exchange between neighbours, even and odd by turns, of coordinates that are autoregressive.

    `factor` multiplies the energies in the rule of acceptance: any but 1 is wrong.
    """
    random = np.random.default_rng(seed)
    states = len(temperatures)
    b = 1 / temperatures
    held_by = np.arange(states)  # the system in each state
    state, potential = np.empty((exchanges, states), np.int32), np.empty((exchanges, states))
    tried, accepted = np.zeros(states - 1, np.int64), np.zeros(states - 1, np.int64)
    x = np.sqrt(temperatures)[:, None] * random.normal(size=(states, dimensions))  # of the system in each state
    for k in range(exchanges):
        x = memory * x + np.sqrt((1 - memory**2) * temperatures)[:, None] * random.normal(size=x.shape)
        energy = 0.5 * (x**2).sum(axis=1)
        state[k, held_by], potential[k, held_by] = np.arange(states), energy
        pairs = np.arange(k % 2, states - 1, 2)
        exponents = factor * (b[pairs] - b[pairs + 1]) * (energy[pairs] - energy[pairs + 1])
        made = pairs[np.log(random.random(len(pairs))) < exponents]
        tried[pairs] += 1
        accepted[made] += 1
        now = np.arange(states)
        now[made], now[made + 1] = made + 1, made
        held_by, x = held_by[now], x[now]
    return tr.ExchangeHistory(temperatures, state, potential, tried, accepted)


def kolmogorov_smirnov(samples: np.ndarray, temperature: float, dimensions: int) -> float:
    """Chance that independent potential energies at a temperature are as far from their distribution; D is even."""
    x = np.sort(samples) / temperature
    terms = np.cumprod([np.ones_like(x), *(x / k for k in range(1, dimensions // 2))], axis=0)
    cumulative = 1 - np.exp(-x) * terms.sum(axis=0)
    n = len(x)
    steps = np.arange(n + 1) / n
    distance = max(np.abs(cumulative - steps[1:]).max(), np.abs(cumulative - steps[:-1]).max())
    scaled = distance * (np.sqrt(n) + 0.12 + 0.11 / np.sqrt(n))  # Stephens (1970)
    k = np.arange(1, 101)
    return float(min(1.0, 2 * np.sum((-1.0) ** (k - 1) * np.exp(-2 * (k * scaled) ** 2))))


def exchange_of_wells(
    stiffness: np.ndarray, exchanges: int, dimensions: int, seed: int, memory: float, *, cross: bool
) -> np.ndarray:
    """Potential energies (exchanges, states) at k T = 1 of wells that exchange what they hold, as `exchange` does.

    cross: whether the rule has the energies of each in the other well, as it must; else those of each in its own alone.
    """
    random = np.random.default_rng(seed)
    states = len(stiffness)
    width = 1 / np.sqrt(stiffness)[:, None]
    x = width * random.normal(size=(states, dimensions))
    found = np.empty((exchanges, states))
    for k in range(exchanges):
        x = memory * x + np.sqrt(1 - memory**2) * width * random.normal(size=x.shape)
        in_all = 0.5 * (x**2).sum(axis=1)[:, None] * stiffness  # of what state i holds, in state j
        found[k] = np.diagonal(in_all)
        for i in range(k % 2, states - 1, 2):
            j = i + 1
            change = in_all[j, i] + in_all[i, j] - in_all[i, i] - in_all[j, j] if cross else 0.0
            if random.random() < np.exp(min(0.0, -change)):
                x[[i, j]] = x[[j, i]]
    return found
