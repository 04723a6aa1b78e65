"""The transfer function of matter, cold and baryons together, by the formulae of Eisenstein & Hu (1998, ApJ 496, 605).

Numbers in comments are those of the paper's equations. Wave numbers are in 1 / Mpc, without h.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

T_CMB = 2.7255  # K (Fixsen 2009)
THETA = T_CMB / 2.7


def with_wiggles(k: Floats, matter: float, baryons: float) -> Floats:
    """Transfer function with acoustic oscillations, within 5 % for baryons of at most half of the matter.

    Parameters
    ----------
    k : array
        Wave numbers (1 / Mpc).
    matter, baryons : float
        Densities today, Omega h^2; baryons above 0.
    """
    share = baryons / matter
    equal_z = 2.50e4 * matter * THETA**-4  # 2
    equal_k = 7.46e-2 * matter * THETA**-2  # 3
    drag_z = _drag(matter, baryons)
    R_drag, R_equal = (31.5 * baryons * THETA**-4 * 1e3 / z for z in (drag_z, equal_z))  # 5
    sound = 2 / (3 * equal_k) * np.sqrt(6 / R_equal)  # 6
    sound *= np.log((np.sqrt(1 + R_drag) + np.sqrt(R_drag + R_equal)) / (1 + np.sqrt(R_equal)))
    q = k / (13.41 * equal_k)  # 10
    cold = _cold(k, q, sound, matter, share)
    silk = 1.6 * baryons**0.52 * matter**0.73 * (1 + (10.4 * matter) ** -0.95)  # 7
    y = (1 + equal_z) / (1 + drag_z)
    root = np.sqrt(1 + y)
    G = y * (-6 * root + (2 + 3 * y) * np.log((root + 1) / (root - 1)))  # 15
    alpha = 2.07 * equal_k * sound * (1 + R_drag) ** -0.75 * G  # 14
    beta = 0.5 + share + (3 - 2 * share) * np.sqrt((17.2 * matter) ** 2 + 1)  # 24
    node = 8.41 * matter**0.435  # 23
    x = k * sound
    shifted = x / np.cbrt(1 + (node / x) ** 3)  # 22
    damped = alpha / (1 + (beta / x) ** 3) * np.exp(-((k / silk) ** 1.4))
    light = np.sinc(shifted / np.pi) * (_pressureless(q, 1.0, 1.0) / (1 + (x / 5.2) ** 2) + damped)  # 21
    return np.asarray(share * light + (1 - share) * cold)  # 16


def without_wiggles(k: Floats, matter: float, baryons: float) -> Floats:
    """Transfer function without oscillations, as smooth as that of no baryons; arguments as of `with_wiggles`."""
    share = baryons / matter
    sound = 44.5 * np.log(9.83 / matter) / np.sqrt(1 + 10 * baryons**0.75)  # 26
    alpha = 1 - 0.328 * np.log(431 * matter) * share + 0.38 * np.log(22.3 * matter) * share**2  # 31
    shape = matter * (alpha + (1 - alpha) / (1 + (0.43 * k * sound) ** 4))  # 30, times h
    q = k * THETA**2 / shape  # 28
    log = np.log(2 * np.e + 1.8 * q)
    return np.asarray(log / (log + (14.2 + 731 / (1 + 62.5 * q)) * q**2))  # 29


def _drag(matter: float, baryons: float) -> float:
    """Redshift at which baryons are released from the drag of photons (4)."""
    b1 = 0.313 * matter**-0.419 * (1 + 0.607 * matter**0.674)
    b2 = 0.238 * matter**0.223
    return float(1291 * matter**0.251 / (1 + 0.659 * matter**0.828) * (1 + b1 * baryons**b2))


def _cold(k: Floats, q: Floats, sound: float, matter: float, share: float) -> Floats:
    """Transfer function of cold matter (17, 18)."""
    a1 = (46.9 * matter) ** 0.670 * (1 + (32.1 * matter) ** -0.532)  # 11
    a2 = (12.0 * matter) ** 0.424 * (1 + (45.0 * matter) ** -0.582)
    alpha = a1**-share * a2 ** -(share**3)
    b1 = 0.944 / (1 + (458 * matter) ** -0.708)  # 12
    b2 = (0.395 * matter) ** -0.0266
    beta = 1 / (1 + b1 * ((1 - share) ** b2 - 1))
    f = 1 / (1 + (k * sound / 5.4) ** 4)
    return np.asarray(f * _pressureless(q, 1.0, beta) + (1 - f) * _pressureless(q, alpha, beta))


def _pressureless(q: Floats, alpha: float, beta: float) -> Floats:
    """T0 of equations 19 and 20."""
    log = np.log(np.e + 1.8 * beta * q)
    return np.asarray(log / (log + (14.2 / alpha + 386 / (1 + 69.9 * q**1.08)) * q**2))
