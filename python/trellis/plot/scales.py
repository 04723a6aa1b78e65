"""The units in which pictures show lengths, surface densities and times."""

from __future__ import annotations

from dataclasses import dataclass, replace

from trellis.units import GIGAYEAR, KPC, NBODY, SOLAR_MASS, Units

LENGTHS = {"Mpc": 1e3 * KPC, "kpc": KPC, "pc": 1e-3 * KPC, "AU": 1.495979e13}  # cm
TIMES = {"Gyr": GIGAYEAR, "Myr": 1e-3 * GIGAYEAR, "yr": 1e-9 * GIGAYEAR}  # s


@dataclass(frozen=True)
class Scales:
    """Factors by which values are multiplied to be shown, and the units of the result; N-body units have no name."""

    length: float = 1.0
    length_unit: str = ""
    surface: float = 1.0
    surface_unit: str = "mass / length²"
    time: float = 1.0
    time_unit: str = ""
    expanding: bool = False  # lengths are comoving, and the time is the scale factor

    def axis(self, name: str) -> str:
        """Label of an axis of space."""
        return f"{name} [{self.length_unit}]" if self.length_unit else name

    @property
    def time_axis(self) -> str:
        """Label of an axis of time."""
        if self.expanding:
            return "scale factor"
        return f"time [{self.time_unit}]" if self.time_unit else "time"

    def moment(self, time: float, decimals: int | None = None) -> str:
        """Return a time of the particles, in words: with `decimals` decimals, or three digits; or a redshift."""
        if self.expanding:
            return f"z = {1 / time - 1:.2f}"
        value = self.time * time
        shown = f"{value:.3g}" if decimals is None else f"{value:.{decimals}f}"
        return f"t = {shown} {self.time_unit}".rstrip()


def scales_of(units: Units | None) -> Scales:
    """Return the scales for particles in these units; those of N-body units, or of none, have no size."""
    if units is None or (units.length_in_cm, units.mass_in_g) == (NBODY.length_in_cm, NBODY.mass_in_g):
        return Scales(expanding=units is not None and units.comoving)
    length, centimetres = _largest(LENGTHS, units.length_in_cm)
    time, seconds = _largest(TIMES, units.length_in_cm / units.velocity_in_cm_per_s)
    lengths = units.length_in_cm / centimetres
    scales = Scales(
        length=lengths,
        length_unit=length,
        surface=units.mass_in_g / SOLAR_MASS / lengths**2,
        surface_unit=rf"$\mathrm{{M}}_\odot\,/\,\mathrm{{{length}}}^2$",
    )
    if units.comoving:
        surface = rf"$h\,\mathrm{{M}}_\odot\,/\,\mathrm{{{length}}}^2$, comoving"
        return replace(scales, length_unit=f"{length}/h", surface_unit=surface, expanding=True)
    return replace(scales, time=units.length_in_cm / units.velocity_in_cm_per_s / seconds, time_unit=time)


def _largest(sizes: dict[str, float], unit: float) -> tuple[str, float]:
    """Return the largest of the sizes that is not much above the unit, or the smallest of all."""
    fitting = [(name, size) for name, size in sizes.items() if size <= 2 * unit]
    return fitting[0] if fitting else list(sizes.items())[-1]
