"""Forces and limits of steps that are defined in Python, and the external fields that are built in."""

from trellis.forces.external_function import External
from trellis.forces.python_force import PythonForce
from trellis.forces.step_limit import StepLimit

__all__ = [
    "External",
    "PythonForce",
    "StepLimit",
]
