"""Replica exchange written out plainly over an ensemble: the oracle, and rules that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import trellis as tr

Rule = Callable[[float], float]
MASK = 0xFFFFFFFF


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x32-10 (Salmon et al. 2011)."""
    for _ in range(10):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & MASK, (a >> 32) ^ counter[3] ^ key[1], a & MASK]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return counter


def uniform(number: int, which: int, seed: int) -> float:
    words = philox([number & MASK, number >> 32, which, 1 << 31], [seed & MASK, seed >> 32])
    return ((words[0] << 32) | words[1] | 1) * 2.0**-64


def exchange(
    ensemble: tr.Ensemble,
    temperatures: np.ndarray,
    exchanges: int,
    every: int,
    seed: int,
    *,
    rule: Rule = lambda exponent: exponent,
    scale: bool = True,
) -> tr.ExchangeHistory:
    """Exchange between neighbours, even and odd by turns.

    `rule` has the exponent (b_i - b_j)(U_i - U_j), and returns the one of which the exponential function is the chance
    that an exchange is made; `scale`: whether velocities follow the temperature.
    """
    states = len(temperatures)
    held_by = list(range(states))
    ensemble.temperature = temperatures
    state, potential = np.empty((exchanges, states), np.int32), np.empty((exchanges, states))
    tried, accepted = np.zeros(states - 1, np.int64), np.zeros(states - 1, np.int64)
    for number in range(exchanges):
        energy = ensemble.advance(every).potential
        state[number, held_by], potential[number] = np.arange(states), energy
        before = ensemble.temperature
        for k in range(number % 2, states - 1, 2):
            i, j = held_by[k], held_by[k + 1]
            exponent = (1 / temperatures[k] - 1 / temperatures[k + 1]) * (energy[i] - energy[j])
            tried[k] += 1
            if rule(exponent) >= 0 or uniform(number, k, seed) < np.exp(rule(exponent)):
                accepted[k] += 1
                held_by[k], held_by[k + 1] = j, i
        now = np.empty(states)
        now[held_by] = temperatures
        ensemble.temperature = now
        if scale:
            ensemble.scale_velocities(np.sqrt(now / before))
    return tr.ExchangeHistory(temperatures, state, potential, tried, accepted)
