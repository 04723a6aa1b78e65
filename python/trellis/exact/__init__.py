"""Exact solutions of the standard problems of gas dynamics, all of an ideal gas."""

from trellis.exact.gresho import gresho
from trellis.exact.noh import noh
from trellis.exact.profile import Profile
from trellis.exact.riemann import SOD_LEFT, SOD_RIGHT, State, riemann
from trellis.exact.sedov import sedov

__all__ = ["SOD_LEFT", "SOD_RIGHT", "Profile", "State", "gresho", "noh", "riemann", "sedov"]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
