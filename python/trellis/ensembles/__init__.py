"""Ensembles: many small systems, and the exchange of their states."""

from trellis.ensembles.ensemble import Ensemble, EnsembleEnergies
from trellis.ensembles.exchange_history import ExchangeHistory
from trellis.ensembles.minimize import Minima, quenched
from trellis.ensembles.replica_exchange import ReplicaExchange
from trellis.ensembles.temperature_ladder import even_temperatures, geometric_temperatures, tuned_temperatures

__all__ = [
    "Ensemble",
    "EnsembleEnergies",
    "ExchangeHistory",
    "Minima",
    "ReplicaExchange",
    "even_temperatures",
    "geometric_temperatures",
    "quenched",
    "tuned_temperatures",
]
