"""What a step costs on machines that we have, and on those that we do not.

The performance model of Iwasawa et al. (2020), PASJ 72, 13, section 6 and appendices: a function for each equation,
Table 3 as data, and for the CPU path of Trellis equations of the same form with coefficients measured by `calibrate`.
"""

from trellis.model.coefficients import Coefficients
from trellis.model.document import symbols
from trellis.model.systems import BUILT_IN, System, find_system
from trellis.model.work import Work

__all__ = ["BUILT_IN", "Coefficients", "System", "Work", "find_system", "symbols"]
