"""Performance models: seconds of a step on this machine and on machines that are not at hand.

The performance model of Iwasawa et al. (2020), PASJ 72, 13, section 6 and appendices: a function for each equation,
Table 3 as data, and for Trellis itself equations of the same form, whose coefficients `calibrate` measures.
"""

from trellis.model.coefficients import Coefficients
from trellis.model.systems import BUILT_IN, System, find_system, symbols
from trellis.model.work import Work

__all__ = ["BUILT_IN", "Coefficients", "System", "Work", "find_system", "symbols"]


def __dir__() -> list[str]:
    """Return the public names, without modules that this one imports."""
    return sorted(__all__)
