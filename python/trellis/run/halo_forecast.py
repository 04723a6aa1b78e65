"""Steps of a run in expanding space as they shrink in the halos that are expected to form."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from trellis._core import Cosmology
from trellis.config import CosmologyModel, RunFile
from trellis.cosmology import LinearPower
from trellis.cosmology.halo_steps import HaloSteps
from trellis.errors import InputError
from trellis.parallel import world
from trellis.simulation import Simulation
from trellis.units import Units

Floats = NDArray[np.float64]

POINTS = 60  # scale factors at which steps are estimated
TOO_LONG = 3.0  # given steps over those that halos allow, above which there is a note


class HaloForecast:
    """The steps that softened gravity is expected to allow in the densest halos of a run; all ranks make it.

    That is known in a periodic box, with a softening that is not each particle's own, and of a cosmology with all that
    a power spectrum needs.

    Parameters
    ----------
    file : RunFile
        The parameters of the run.
    simulation : Simulation
        Its particles, as they are now.
    cosmology : Cosmology or None
        The cosmology.
    units : Units
        Units of the particles.
    """

    def __init__(self, file: RunFile, simulation: Simulation, cosmology: Cosmology | None, units: Units) -> None:
        self._file, self._begin, self._G = file, simulation.time, units.G
        self._power = None if cosmology is None else _power(file, cosmology, units)
        box = simulation.particles.box
        self._volume = float(np.ptp(box, axis=0).prod())
        self._softening = _softening(file)
        self.known = self._power is not None and math.isfinite(self._volume) and self._softening > 0
        self._particle = min(world.gather(float(simulation.particles.mass.min(initial=math.inf))))

    def allowed(self, factors: Floats) -> Floats:
        """Return the steps in ln a that are expected to be allowed at some scale factors."""
        assert self._power is not None
        gravity = self._file.gravity
        most = None if gravity is None else gravity.softening_max_physical
        halos = HaloSteps(self._power, self._volume, self._particle, self._G)
        return np.array([halos.allowed(min(self._softening, (most or math.inf) / a), a) for a in factors])

    def steps(self) -> int | None:
        """Return the number of chosen steps from now to the end of the run; None if it is not known, or given."""
        section, until = self._file.cosmology, self._file.run.until
        given = self._file.steps is not None or (section is not None and section.steps is not None)
        if not self.known or section is None or given or until <= self._begin:
            return None
        factors = np.geomspace(self._begin, until, POINTS)
        return math.ceil(math.log(until / self._begin) * float(np.mean(1 / self.allowed(factors))))

    def note_long_steps(self) -> str | None:
        """Return a note if steps of a given number are far longer than what halos will allow, or None."""
        section, until = self._file.cosmology, self._file.run.until
        if not self.known or section is None or section.steps is None or until <= self._begin:
            return None
        factors = np.geomspace(self._begin, until, POINTS)
        given, allowed = math.log(until / self._begin) / section.steps, self.allowed(factors)
        long = factors[given > TOO_LONG * allowed]
        if len(long) == 0:
            return None
        enough = math.ceil(section.steps * given / float(allowed.min()) / TOO_LONG)
        return (
            f"cosmology.steps = {section.steps} are {given:.2g} in ln a each, but from redshift {1 / long[0] - 1:.2g}"
            f" on the softening {self._softening:g} is expected to allow less than {given / TOO_LONG:.1g} in the"
            " densest halo, and the energy alarm may end the run: take some"
            f" {enough:,} steps, a longer softening, or no number, so that steps are chosen"
        )


def _softening(file: RunFile) -> float:
    """Return the shortest softening; 0 if each particle has its own, or none."""
    given = 0.0 if file.gravity is None else file.gravity.softening
    if isinstance(given, dict):
        return min(given.values())
    return 0.0 if isinstance(given, str) else float(given)


def _power(file: RunFile, cosmology: Cosmology, units: Units) -> LinearPower | None:
    model = file.ic
    source, redshift = (model.power, model.redshift) if isinstance(model, CosmologyModel) else ("eisenstein-hu", 0.0)
    try:
        return LinearPower(cosmology, source, redshift=redshift, units=units)
    except InputError:  # the cosmology lacks what the spectrum needs
        return None
