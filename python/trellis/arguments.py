"""Arguments of public calls: those that are wrong are named, in one sentence."""

from __future__ import annotations

import inspect
import numbers
import os
import re
import reprlib
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from trellis.errors import InputError, did_you_mean

Function = TypeVar("Function", bound=Callable[..., Any])

VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
KINDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "Barostat": "a barostat, such as Barostat(pressure=1.0)",
    "Checkpoint": "a Checkpoint, which read_checkpoint and Simulation.state return",
    "Cosmology": "a cosmology, such as Cosmology(omega_m=0.3, H0=0.1)",
    "Ensemble": "an Ensemble",
    "ExchangeHistory": "an ExchangeHistory, which ReplicaExchange.run returns",
    "Force": "a force, such as Gravity(softening=0.01)",
    "IndividualSteps": "individual steps, such as IndividualSteps(longest=0.1)",
    "ParticleSet": "a ParticleSet, such as ParticleSet.from_columns(position=..., mass=...)",
    "HaloCatalogue": "a HaloCatalogue, which find_halos returns",
    "Path": "a path",
    "ReplicaExchange": "a ReplicaExchange",
    "Selection": "some of its particles, such as particles[:10]",
    "Simulation": "a Simulation",
    "Source": "a ParticleSet, a snapshot or a simulation",
    "State": "a State, such as State(density=1.0, velocity=0.0, pressure=1.0)",
    "Thermostat": "a thermostat, such as Langevin(temperature=1.0, relaxation_time=1.0)",
    "Units": "units, such as trellis.units.GADGET",
}
"""Types that are looked at before a call, by the last part of their names, and how a sentence describes them."""
_OF_TABLES = {**KINDS, "bool": "True or False", "dict[str, float]": "a dict of numbers"}


def checked_arguments(**elsewhere: str) -> Callable[[Function], Function]:
    """Have wrong arguments of a function or method answered by one sentence that names them.

    Arguments that do not fit its signature are a TypeError; a value of other types than its annotation names is an
    InputError, where these are among `KINDS`.

    Parameters
    ----------
    **elsewhere : str
        By the name of an argument that there is not, or whose value is wrong, the end of the sentence, which leads on.
    """

    def checking(call: Function) -> Function:
        signature = inspect.signature(call)

        @wraps(call)
        def checked(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError:
                raise TypeError(_why_not_bound(call, signature, args, kwargs, elsewhere)) from None
            for name, value in bound.arguments.items():
                _check(name, str(signature.parameters[name].annotation), value, elsewhere.get(name, ""))
            return call(*args, **kwargs)

        return cast(Function, checked)

    return checking


class AsMade:
    """A force that keeps the values it was made with: to assign another, which would change nothing, is an error."""

    _assigned: tuple[str, ...] = ()  # public attributes that its own code assigns

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._assigned and not name.startswith("_"):
            raise AttributeError(kept(self, name))
        super().__setattr__(name, value)


def kept(made: object, name: str) -> str:
    """Return a sentence about a value that is assigned to what keeps those that it was made with."""
    return f"{name} is assigned to {made!r}, which keeps the values that it was made with: make another"


def shown(value: object) -> str:
    """Return a value as a sentence shows it: short, arrays by their shapes."""
    if inspect.isclass(value):
        return f"the class {value.__name__} itself"
    if inspect.isroutine(value):
        return f"the function {value.__name__}"
    if has_unit(value):
        return f"{value}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if type(value).__module__.startswith("trellis") and "\n" in repr(value):
        return f"a {type(value).__name__}"
    text = reprlib.repr(value)
    return f"a {type(value).__name__}" if "\n" in text else text


def in_words(annotation: str, quantity: bool) -> str:
    """Return what a type allows, such as ``float | typing.Literal['particles']``: a number or 'particles'.

    quantity: a value with a unit was given, where a number is allowed.
    """
    if quantity and "float" in annotation:
        return "a number in the units of the particles"
    if "Sequence" in annotation:
        return re.sub(r"(collections\.abc|numpy\.typing)\.", "", annotation)
    separate = re.sub(r"typing\.Literal\[(.*?)\]", lambda found: found[1].replace(", ", " | "), annotation)
    words = [_OF_TABLES.get(kind, kind) for kind in separate.split(" | ")]
    return " or ".join([", ".join(words[:-1])] * (len(words) > 1) + words[-1:])


def is_number(value: object) -> bool:
    """Return whether a value is one real number, without a unit, and no truth value."""
    if has_unit(value) or np.ma.is_masked(value):
        return False
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def has_unit(value: object) -> bool:
    """Return whether a value has a unit: a quantity of astropy, unyt or pint."""
    unit = getattr(value, "unit", None)
    return (unit if unit is not None else getattr(value, "units", None)) is not None and (
        hasattr(value, "value") or hasattr(value, "magnitude")
    )


def _check(name: str, annotation: str, value: object, more: str) -> None:
    kinds = list(_alternatives(annotation))
    if not all(kind in KINDS or kind == "None" for kind in kinds) or any(_is(kind, value) for kind in kinds):
        return
    named = [kind for kind in kinds if kind != "None" and not (kind == "str" and "Path" in kinds)]
    without_unit = " in the units of the particles" if has_unit(value) else ""
    allowed = " or ".join(KINDS[kind] + (without_unit if kind == "float" else "") for kind in named)
    if _is("Selection", value):
        raise InputError(
            f"the particles are a selection of {len(cast(Any, value))}, but must be a set of their own: give its copy()"
        )
    if "ParticleSet" in kinds and hasattr(value, "particles"):
        allowed = "a ParticleSet: give its particles"
    raise InputError(f"{name} is {shown(value)}, but must be {allowed}" + (f": {more}" if more else ""))


def _alternatives(annotation: str) -> Iterator[str]:
    """Yield the last part of each name in an annotation such as ``_core.Thermostat | None``."""
    return (each.strip().rpartition(".")[2] if "[" not in each else each for each in annotation.split("|"))


def _is(kind: str, value: object) -> bool:
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    if kind in ("float", "int"):
        return is_number(value)
    if kind == "Path":
        return isinstance(value, os.PathLike)
    names = {base.__name__ for base in type(value).__mro__}
    return bool(names & {"ParticleSet", "Simulation", "Snapshot"}) if kind == "Source" else kind in names


def _why_not_bound(
    call: Callable[..., Any],
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    elsewhere: dict[str, str],
) -> str:
    """Return why arguments do not fit a signature."""
    name = re.sub(r"\.__init__$", "", call.__qualname__)
    own = [
        each for each in signature.parameters.values() if each.name not in ("self", "cls") and each.kind not in VARIABLE
    ]
    names = [each.name for each in own]
    by_name = [each.name for each in own if each.kind is inspect.Parameter.KEYWORD_ONLY]
    by_place = names[: len(names) - len(by_name)]
    takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature.parameters.values())
    unknown = [] if takes_any else [each for each in kwargs if each not in names]
    if unknown:
        more = elsewhere.get(unknown[0]) or did_you_mean(unknown[0], names)
        return f"{name} has no argument '{unknown[0]}': {more}"
    given = args[len(args) and next(iter(signature.parameters)) in ("self", "cls") :]
    if len(given) > len(by_place):
        if not by_name:
            return f"{name} takes {_list(by_place) or 'no arguments'}, but is given {len(given)} values"
        beyond = given[len(by_place) :]
        example = ", ".join(f"{key}={_short(value)}" for key, value in zip(by_name, beyond, strict=False))
        return f"{name} takes {_list(by_name)} by name, such as {name.rpartition('.')[2]}({example})"
    missing = [
        each.name
        for k, each in enumerate(own)
        if each.default is inspect.Parameter.empty and each.name not in kwargs and k >= len(given)
    ]
    return f"{name} is not given {_list(missing)}" if missing else f"{name} is given an argument twice"


def _list(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


def _short(value: object) -> str:
    text = reprlib.repr(value)
    return text if isinstance(value, (numbers.Number, str)) and len(text) < 20 else "..."
