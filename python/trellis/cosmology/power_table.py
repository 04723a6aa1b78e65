"""Tables of linear power: text files of CAMB, CLASS and others, and those that the package camb makes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trellis.errors import InputError, RunError, reading

if TYPE_CHECKING:
    from trellis._core import Cosmology

Floats = NDArray[np.float64]

HIGHEST = 100.0  # k of tables that camb makes, in h / Mpc


def read_power_table(path: Path) -> Floats:
    """Read the first two columns of a text file: k in h/Mpc, rising, and P in (Mpc/h)^3; # begins a comment.

    Raises
    ------
    ValueError
        If there is no such file, or no such table in it.
    """
    with reading(path):
        text = path.read_text(encoding="utf-8", errors="replace")
    rows = [line.split() for line in (each.partition("#")[0] for each in text.splitlines()) if line.strip()]
    try:
        table = np.array([[float(row[0]), float(row[1])] for row in rows])
    except (IndexError, ValueError):
        raise InputError(f"'{path}' is no table of power: each line must have k in h/Mpc and P in (Mpc/h)^3") from None
    if len(table) < 2 or not (np.isfinite(table) & (table > 0)).all() or not (np.diff(table[:, 0]) > 0).all():
        raise InputError(f"'{path}' is no table of power: k must rise, and k and P be above 0, on two lines at least")
    return table


def power_by_camb(cosmology: Cosmology, redshift: float) -> Floats:
    """Return k in h/Mpc and linear P of matter in (Mpc/h)^3 at a redshift, by CAMB (Lewis et al. 2000).

    Neutrinos have no mass, and the amplitude is that of `A_s`, or 2e-9 if sigma_8 sets it.

    Raises
    ------
    RuntimeError
        If there is no package camb.
    """
    try:
        import camb
    except ImportError:
        raise RunError("power by CAMB needs the package camb: pip install camb") from None
    h, matter, baryons = cosmology.h, cosmology.omega_m, cosmology.omega_b
    assert h is not None
    assert baryons is not None
    given = camb.CAMBparams()
    curvature = 1 - matter - cosmology.omega_lambda - cosmology.omega_r
    given.set_cosmology(
        H0=100 * h,
        ombh2=baryons * h**2,
        omch2=(matter - baryons) * h**2,
        omk=curvature,
        mnu=0.0,
        num_massive_neutrinos=0,
    )
    given.set_dark_energy(w=cosmology.w0, wa=cosmology.wa, dark_energy_model="ppf")
    given.InitPower.set_params(As=cosmology.A_s or 2e-9, ns=cosmology.n_s, pivot_scalar=0.05)
    given.set_matter_power(redshifts=[redshift], kmax=1.1 * HIGHEST * h)
    given.NonLinear = camb.model.NonLinear_none
    k, _, power = camb.get_results(given).get_matter_power_spectrum(minkh=1e-4, maxkh=HIGHEST, npoints=1000)
    return np.stack((k, power[0]), axis=1)


def interpolated(table: Floats) -> Callable[[Floats], Floats]:
    """Return P(k), straight between the lines of a table in logarithms; below it, by the slope of its first two lines.

    Beyond the table's end it raises a ValueError.
    """
    x, y = np.log(table).T
    slope = (y[1] - y[0]) / (x[1] - x[0])

    def power(k: Floats) -> Floats:
        if k.max() > table[-1, 0] * (1 + 1e-9):
            raise InputError(
                f"the table of power ends at k = {table[-1, 0]:g} h/Mpc, but {k.max():.4g} h/Mpc is needed"
            )
        logarithm = np.log(k)
        return np.asarray(np.exp(np.interp(logarithm, x, y) + slope * np.minimum(logarithm - x[0], 0.0)))

    return power
