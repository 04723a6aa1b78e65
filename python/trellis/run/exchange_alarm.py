"""Alarm of a replica exchange: the run ends if the energy of a system is lost in its steps."""

from __future__ import annotations

import numpy as np

from trellis.ensembles.ensemble import EnsembleEnergies, Floats
from trellis.run.energy_alarm import ALARM
from trellis.run.stop import Stop


class ExchangeAlarm:
    """Looks at the energies of all systems between exchanges.

    Potential, kinetic and bath energy of a system are conserved together, but for the errors of its steps. These add up
    over a long run, so they count from look to look.

    Parameters
    ----------
    limit : float
        Largest change of that sum from look to look, over the sizes of potential and kinetic energy.
    folder : str
        Where the run is, for the sentence.
    """

    def __init__(self, limit: float, folder: str) -> None:
        self._limit, self._folder = limit, folder
        self._before: Floats | None = None
        self.stop: Stop | None = None

    def look(self, energies: EnsembleEnergies, exchange: int) -> bool:
        """Look at the energies after an exchange of this number; return whether the run has to end."""
        conserved = np.sum(energies, axis=0)
        if self._before is not None:
            size = np.abs(energies.potential) + np.abs(energies.kinetic)
            change = np.abs(conserved - self._before)
            lost = ~(change <= self._limit * size) & (change > 0)
            if lost.any():
                self.stop = self._stop_at(int(np.argmax(np.where(lost, change, -1.0))), change, size, exchange)
        self._before = conserved
        return self.stop is not None

    def _stop_at(self, system: int, change: Floats, size: Floats, exchange: int) -> Stop:
        error = change[system] / size[system]
        kept = f"; the last checkpoint in '{self._folder}' is of before" if exchange > 0 else ""
        when = f"before exchange {exchange}" if exchange > 0 else "on the way to equilibrium"
        return Stop(
            f"the run has ended, since the energy of system {system} changed by {error:.2g} of itself"
            f" {when}, beyond run.energy_alarm = {self._limit:g} (a shorter run.timestep may help, with"
            f" --overwrite{kept})",
            ALARM,
        )
