"""The tables of parameters in python/bindings: what follows from them in Python, in its types, in files and in docs."""

from __future__ import annotations

import ast
import inspect
import math
import re
from pathlib import Path
from typing import Any, get_args

import pytest

import trellis as tr
from trellis import _core
from trellis.config import (
    EXTERNAL,
    FIELDS,
    THERMOSTATS,
    BarostatParameters,
    GravityParameters,
    LennardJonesParameters,
    Parameters,
    SphParameters,
    load,
)
from trellis.config.run import StepParameters

ROOT = Path(__file__).parents[3]
SECTIONS: dict[type, tuple[str, type[Parameters]]] = {
    tr.Gravity: ("### [gravity]", GravityParameters),
    tr.LennardJones: ("### [lennard_jones]", LennardJonesParameters),
    tr.Sph: ("### [sph]", SphParameters),
    tr.Langevin: ('### method = "langevin"', THERMOSTATS["langevin"]),
    tr.NoseHoover: ('### method = "nose-hoover"', THERMOSTATS["nose-hoover"]),
    tr.Csvr: ('### method = "csvr"', THERMOSTATS["csvr"]),
    tr.Andersen: ('### method = "andersen"', THERMOSTATS["andersen"]),
    tr.Barostat: ("## [barostat]", BarostatParameters),
    _core.DeviceOptions: ("## [run]", StepParameters),
}
SECTIONS |= {FIELDS[model]: (f'### model = "{model}"', EXTERNAL[model]) for model in FIELDS}
TABLES = [(kind, each) for kind in SECTIONS for each in _core.parameters(kind)]
LIMITS = [(kind, each, limit) for kind, each in TABLES for limit in each.limits]
BEYOND = {"gt": 0, "ge": -1, "lt": 0, "le": 1}  # from a limit to a number that it refuses

each_kind = pytest.mark.parametrize("kind", SECTIONS, ids=lambda kind: kind.__name__)
each_parameter = pytest.mark.parametrize(
    ("kind", "parameter"), TABLES, ids=[f"{kind.__name__}.{each.name}" for kind, each in TABLES]
)

each_limit = pytest.mark.parametrize(
    ("kind", "parameter", "limit"), LIMITS, ids=[f"{kind.__name__}.{each.name}-{limit}" for kind, each, limit in LIMITS]
)


def required(kind: type) -> dict[str, Any]:
    vector, needed = [1.0, 2.0, 3.0], [each for each in _core.parameters(kind) if each.default is ...]
    return {each.name: vector if "Sequence" in each.type else 1.0 for each in needed}


def stub_of(kind: type) -> ast.FunctionDef:
    """The constructor in the file of types that the build makes."""
    module = ast.parse(Path(_core.__file__).with_name("_core.pyi").read_text())
    found = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)
    return next(node for node in found.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")


@each_parameter
def test_help_shows_a_parameter(kind: type, parameter: _core.Parameter) -> None:
    shown = inspect.signature(kind).parameters[parameter.name]
    assert shown.kind is inspect.Parameter.KEYWORD_ONLY
    assert shown.default == (inspect.Parameter.empty if parameter.default is ... else parameter.default)
    assert (type(None) in get_args(shown.annotation)) == (parameter.default is None)
    text = " ".join((inspect.getdoc(kind) or "").split())
    meaning = parameter.meaning[0].upper() + parameter.meaning[1:] + "."
    unit = f" Unit: {parameter.unit}." if parameter.unit else ""
    _, named, described = text.partition(f" {parameter.name} : ")
    assert named
    assert f"{meaning}{unit}" in described
    assert text.isascii()


@each_parameter
def test_the_types_of_the_module_have_a_parameter(kind: type, parameter: _core.Parameter) -> None:
    taken = stub_of(kind).args
    names = [argument.arg for argument in taken.kwonlyargs]
    at = names.index(parameter.name)
    annotation, default = taken.kwonlyargs[at].annotation, taken.kw_defaults[at]
    assert annotation is not None
    assert ast.unparse(annotation) in re.sub(r"(?<!numpy\.)\b(typing|collections\.abc)\.", "", parameter.type)
    assert (... if default is None else ast.literal_eval(default)) == parameter.default


@each_parameter
def test_a_file_has_a_parameter(kind: type, parameter: _core.Parameter) -> None:
    heading, section = SECTIONS[kind]
    field = section.model_fields[parameter.name]
    described = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8").rpartition(heading)[2].partition("##")[0]
    assert f"| `{parameter.name}` |" in described
    if parameter.name in ("G", "adaptive_softening"):
        return  # G is that of the units, and a file can name no force
    assert field.is_required() == (parameter.default is ...)
    assert field.is_required() or field.default == parameter.default
    assert f"| {parameter.unit} | {parameter.meaning} |" in described


@each_kind
def test_a_section_has_no_others_and_keeps_their_order(kind: type) -> None:
    of_file = {"method"} if issubclass(kind, tr.Thermostat) else {"model"} if kind in FIELDS.values() else set()
    of_file |= {"until", "until_redshift", "timestep"} if kind is _core.DeviceOptions else set()
    named = [name for name in SECTIONS[kind][1].model_fields if name not in of_file]
    assert named == [each.name for each in _core.parameters(kind)] == list(inspect.signature(kind).parameters)


@each_limit
def test_a_number_beyond_a_limit_is_refused(
    kind: type, parameter: _core.Parameter, limit: str, parameter_file: Path
) -> None:
    value = (math.ceil if limit[0] == "l" else math.floor)(parameter.limits[limit] + BEYOND[limit])
    with pytest.raises(tr.InputError, match=rf"^{parameter.name} is {value}: allowed is [^\n]*\d[^\n]*$"):
        kind(**{**required(kind), parameter.name: value})
    heading, _ = SECTIONS[kind]
    section = heading.strip("# []")
    changes = []
    if issubclass(kind, tr.Thermostat):
        section, changes = "thermostat", [f"thermostat.method={heading.split()[-1]}"]
    if kind in FIELDS.values():
        section = "external.0"
        parameter_file.write_text(f"{parameter_file.read_text()}\n[[external]]\n{heading.strip('# ')}\n")
    changes += [f"{section}.{name}={value}" for name, value in required(kind).items()]
    with pytest.raises(tr.InputError, match=rf"'{section}.{parameter.name}' is {value}(.0)?, but must be [^\n]*\d$"):
        load(parameter_file, [*changes, f"{section}.{parameter.name}={value}"])


@each_parameter
def test_a_number_is_finite_and_fits(kind: type, parameter: _core.Parameter) -> None:
    if parameter.type.startswith("float"):
        for value in (math.nan, math.inf):
            with pytest.raises(tr.InputError, match=rf"^{parameter.name} is {value}: allowed is "):
                kind(**{**required(kind), parameter.name: value})
    if parameter.type.startswith("int"):
        with pytest.raises(tr.InputError, match=rf"^{parameter.name} is {2**70}: allowed is [^\n]*\d$"):
            kind(**{**required(kind), parameter.name: 2**70})


@each_parameter
def test_a_value_of_another_type_is_refused(kind: type, parameter: _core.Parameter) -> None:
    with pytest.raises((TypeError, tr.InputError), match=rf"^{parameter.name} is .*object.*: allowed (is|are) \S"):
        kind(**{**required(kind), parameter.name: object()})
    if parameter.default is not None:
        with pytest.raises((TypeError, tr.InputError), match=rf"^{parameter.name} is '?None'?: allowed (is|are) \S"):
            kind(**{**required(kind), parameter.name: None})


@each_kind
def test_a_wrong_name_and_a_missing_parameter_are_named(kind: type) -> None:
    with pytest.raises(TypeError, match=r"^there is no parameter 'sofetning': known are \w+"):
        kind(sofetning=1)
    for name in required(kind):
        given = {key: value for key, value in required(kind).items() if key != name}
        with pytest.raises(TypeError, match=f"^{name} is not given: it has no default$"):
            kind(**given)


@each_kind
def test_repr_is_what_one_would_type(kind: Any) -> None:
    made = kind(**required(kind))
    assert repr(made) == f"{kind.__name__}({', '.join(f'{name}={value}' for name, value in required(kind).items())})"
    assert repr(eval(repr(made), {**vars(tr), **vars(tr.external), "DeviceOptions": _core.DeviceOptions})) == repr(made)


@each_kind
def test_settings_have_all_parameters_and_the_defaults_that_are_not_chosen(kind: Any) -> None:
    used = kind(**required(kind)).settings
    assert list(used) == [each.name for each in _core.parameters(kind)]
    chosen = {"reuse_steps"} if kind is tr.Gravity else set()  # one, where lists are made at each step
    for each in _core.parameters(kind):
        if each.default not in (..., None) and each.name not in chosen:
            assert used[each.name] == each.default


def test_settings_know_a_force_that_another_was_given() -> None:
    gravity = tr.Gravity(softening=0.1)
    gas = tr.Sph(adaptive_softening=gravity)
    assert gas.settings["adaptive_softening"] is gravity
    assert repr(gas) == "Sph(adaptive_softening=Gravity(softening=0.1))"
