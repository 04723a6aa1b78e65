"""Basin hopping (Wales & Doye 1997) of many clusters at once, by quenches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import trellis as tr

ATOMS = tr.LennardJones(cutoff=20.0)
CONTAINER = (3.5, 100.0)
STEP = 0.42  # sigma, along each axis at most


class Search(NamedTuple):
    """Where the clusters are at the end."""

    best: tr.Minima
    found_after: np.ndarray  # quenches of each cluster until it was at the energy wanted; 0: it was not
    quenches: int  # in all


def search(atoms: int, energy: float, clusters: int, hops: int, temperature: float, enough: int, seed: int) -> Search:
    """Hop from minimum to minimum, from random places, until `enough` clusters have at most this energy.

    Each hop displaces all atoms of a cluster and quenches it; it is accepted by the energies of the minima.
    """
    random = np.random.default_rng(seed)
    starts = [tr.ic.cluster(atoms, seed=clusters * seed + k) for k in range(clusters)]
    now = tr.quenched(starts, ATOMS, tolerance=1e-3, container=CONTAINER)
    found, quenches = np.where(now.energy < energy, 1, 0), clusters
    for hop in range(2, hops + 1):
        going = np.flatnonzero(found == 0)
        if (found > 0).sum() >= enough:
            break
        tried = [now.particles[k].copy() for k in going]
        for each in tried:
            each.position = each.position + random.uniform(-STEP, STEP, (atoms, 3))
        new = tr.quenched(tried, ATOMS, tolerance=1e-3, container=CONTAINER)
        quenches += len(going)
        rise = np.maximum(new.energy - now.energy[going], 0)
        for i in np.flatnonzero(random.random(len(going)) < np.exp(-rise / temperature)):
            now.particles[going[i]], now.energy[going[i]] = new.particles[i], new.energy[i]
        found[(found == 0) & (now.energy < energy)] = hop
    return Search(now, found, quenches)
