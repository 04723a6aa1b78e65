"""The section [steps]: individual time steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trellis._core import IndividualSteps
from trellis.config.parameters import Parameters, parameters_of


@parameters_of(IndividualSteps, laid_down=())
class StepsParameters(Parameters):
    """The longest step, and how each particle's own follows from it."""

    if TYPE_CHECKING:  # what is read by name, for mypy
        order: int
