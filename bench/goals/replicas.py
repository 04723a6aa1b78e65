"""Replica exchange of one particle each, over devices of other processes."""

from __future__ import annotations

import trellis as tr

REPLICAS = 14  # a device (Oikawa et al.)
STEPS = 100  # from exchange to exchange
SECONDS = {256: 2.58e-3, 2048: 33.6e-3}  # a replica's 100 steps on their GPU, by its atoms


def replicas(
    addresses: list[str],
    scheme: str = "neighbours",
    devices: int | None = None,
    grace: float = 30.0,
    steps: int = STEPS,
) -> tr.ReplicaExchange:
    """Return `REPLICAS` replicas of one particle for each device: an emulated device does not depend on their size.

    Parameters
    ----------
    addresses : list of str
        The devices.
    scheme : str
        Scheme of exchanges.
    devices : int, optional
        Number of devices for whose replicas there is room; else that of `addresses`.
    grace : float
        Seconds until a device that does not answer counts as lost.
    steps : int
        Steps from exchange to exchange.
    """
    particle = tr.ParticleSet(1)
    particle.mass = 1.0
    count = REPLICAS * (devices or len(addresses))
    bath = tr.Langevin(temperature=1.0, relaxation_time=1.0)
    ensemble = tr.Ensemble([particle] * count, None, timestep=0.01, thermostat=bath, device=addresses, grace=grace)
    ladder = tr.geometric_temperatures(1.0, 2.0, count)
    return tr.ReplicaExchange(ensemble, ladder, exchange_every=steps, scheme=scheme)  # type: ignore[arg-type]
