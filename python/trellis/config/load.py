"""From a parameter file and ``--set`` to checked parameters, and back to text."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from trellis.config.cosmology import CosmologyParameters, check_expanding, with_header
from trellis.config.external import EXTERNAL, ExternalParameters
from trellis.config.forces import (
    THERMOSTATS,
    BarostatParameters,
    CoulombParameters,
    GravityParameters,
    LennardJonesParameters,
    SphParameters,
    ThermostatParameters,
)
from trellis.config.parameters import Section, checked
from trellis.config.replicas import ContainerParameters, ReplicaExchangeParameters, check_replicas
from trellis.config.sections import (
    MODELS,
    ModelParameters,
    RunParameters,
    Source,
)
from trellis.config.sites import SitesParameters, check_sites
from trellis.config.snapshots import SnapshotParameters, check_scheduled, read_times
from trellis.config.units import UnitsOfRun, UnitsParameters, checked_with_units, texts_of_numbers, units_of_run
from trellis.errors import InputError, did_you_mean, reading
from trellis.paths import from_home

toml: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

FORCES = ("gravity", "lennard_jones", "sph", "coulomb")
SECTIONS = (
    "ic",
    "units",
    "cosmology",
    *FORCES,
    "thermostat",
    "container",
    "barostat",
    "replica_exchange",
    "run",
    "snapshots",
    "sites",
)
TABLES = ("external",)  # [[external]]: any number


@dataclass(frozen=True)
class RunFile:
    """The parameters of a run: either a file to start from or a model, the forces that have a section, and so on.

    Attributes
    ----------
    written : dict
        Texts with a unit that were given instead of numbers, by full names, section.key.
    """

    initial_conditions: Path | None
    ic: ModelParameters | None
    gravity: GravityParameters | None
    lennard_jones: LennardJonesParameters | None
    sph: SphParameters | None
    coulomb: CoulombParameters | None
    external: tuple[ExternalParameters, ...]
    thermostat: ThermostatParameters | None
    run: RunParameters
    snapshots: SnapshotParameters = field(default_factory=SnapshotParameters)
    units: UnitsParameters | None = None
    container: ContainerParameters | None = None
    barostat: BarostatParameters | None = None
    replica_exchange: ReplicaExchangeParameters | None = None
    cosmology: CosmologyParameters | None = None
    sites: SitesParameters | None = None
    written: dict[str, str] = field(default_factory=dict, compare=False)

    def with_model(self, model: ModelParameters) -> RunFile:
        """Return the same run, of another model of initial conditions."""
        return replace(self, ic=model)

    def to_dict(self) -> dict[str, Any]:
        """All parameters that have a value, defaults included, as the content of a parameter file."""
        content: dict[str, Any] = {}
        if self.initial_conditions is not None:
            content["initial_conditions"] = str(self.initial_conditions)
        if self.ic is not None:
            content["ic"] = self.ic.model_dump(exclude_none=True)
        if self.units is not None:
            content["units"] = self.units.model_dump(exclude_none=True)
        if self.cosmology is not None:
            content["cosmology"] = self.cosmology.model_dump(exclude_none=True)
        if self.gravity is not None:
            content["gravity"] = self.gravity.model_dump(exclude_none=True)
            if self.gravity.theta is not None:
                del content["gravity"]["accuracy"]  # not in force, and a file with both is refused
        if self.lennard_jones is not None:
            content["lennard_jones"] = self.lennard_jones.model_dump(exclude_none=True)
        if self.sph is not None:
            content["sph"] = self.sph.model_dump(exclude_none=True)
        if self.coulomb is not None:
            content["coulomb"] = self.coulomb.model_dump(exclude_none=True)
        if self.external:
            content["external"] = [each.model_dump(exclude_none=True) for each in self.external]
        if self.thermostat is not None:
            content["thermostat"] = self.thermostat.model_dump()
        if self.container is not None:
            content["container"] = self.container.model_dump()
        if self.barostat is not None:
            content["barostat"] = self.barostat.model_dump(exclude_none=True)
        if self.replica_exchange is not None:
            content["replica_exchange"] = self.replica_exchange.model_dump(exclude_none=True)
        content["run"] = self.run.model_dump(exclude_none=True)
        content["snapshots"] = self.snapshots.model_dump(exclude_none=True)
        if self.sites is not None:
            content["sites"] = self.sites.model_dump(exclude_none=True)
        return content

    def to_toml(self) -> str:
        """Return the same as the text of a parameter file."""
        lines: list[str] = []
        for name, value in self.to_dict().items():
            if name in TABLES:
                for table in value:
                    lines += [f"\n[[{name}]]", *(_line(key, inner) for key, inner in table.items())]
            elif isinstance(value, dict):
                notes = {key: self.written.get(f"{name}.{key}") for key in value}
                lines += [f"\n[{name}]", *(_line(key, inner, notes[key]) for key, inner in value.items())]
            else:
                lines.append(_line(name, value))
        return "\n".join(lines).lstrip("\n") + "\n"


def _line(key: str, value: object, note: str | None = None) -> str:
    return f"{key} = {_text(value)}" + (f"  # {_text(note)}" if note is not None else "")


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(_line(_key(key), inner) for key, inner in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)  # numbers and strings are written alike in JSON and TOML


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key)


def load(path: Path, changes: Sequence[str] = ()) -> RunFile:
    """Read a parameter file.

    Parameters
    ----------
    path : Path
        The TOML file; `~` in its path, and in those that it has, is the home folder.
    changes : sequence of str
        Parameters that differ from the file, each as ``section.key=value``; those of the first [[external]] as
        ``external.0.key=value``, and so on.

    Raises
    ------
    ValueError
        With one sentence naming the file, the key, its value and what is allowed.
    """
    path = from_home(path)
    content = read_toml(path)
    for change in changes:
        _apply(content, change)
    return from_content(content, str(path), path.parent)


def from_content(content: dict[str, Any], source: str, folder: Path) -> RunFile:
    """Return the parameters that the content of a file has; `source` names it, and relative paths begin in `folder`."""
    for name, value in content.items():
        if name in SECTIONS and not isinstance(value, dict):
            raise InputError(f"{source}: '{name}' is {value!r}, but must be a section, [{name}]")
    _check_tables(content, source)
    top = {name: value for name, value in content.items() if name not in (*SECTIONS, *TABLES)}
    unknown = next((name for name in top if name not in Source.model_fields), None)
    if unknown is not None:
        known = [*Source.model_fields, *SECTIONS, *TABLES]
        raise InputError(f"{source}: unknown key '{unknown}': {did_you_mean(unknown, known)}")
    start = checked(Source, top, source=source).initial_conditions
    if (start is None) == ("ic" not in content):
        both = "neither" if start is None else "both"
        raise InputError(f"{source}: {both} of 'initial_conditions' and [ic] given, but a run starts from one of them")
    path = None if start is None else (folder / from_home(start)).absolute()
    if "units" in content and start is not None:
        raise InputError(
            f"{source}: [units] is for a model of [ic], but a file of initial conditions has its own units"
        )
    of_model = (
        checked(UnitsParameters, content["units"], source=source, section="units") if "units" in content else None
    )
    units = units_of_run(path, str(content.get("ic", {}).get("model", "")), of_model)
    if "cosmology" in content:
        content = {**content, "cosmology": with_header(content["cosmology"], path, source)}
    file = RunFile(
        initial_conditions=path,
        ic=None if start is not None else _one_of(MODELS, content["ic"], source, "ic.model", units),
        gravity=_force(GravityParameters, "gravity", content, source, units),
        lennard_jones=_force(LennardJonesParameters, "lennard_jones", content, source, units),
        sph=_force(SphParameters, "sph", content, source, units),
        coulomb=_force(CoulombParameters, "coulomb", content, source, units),
        external=tuple(
            _one_of(EXTERNAL, values, source, f"external.{number}.model", units)
            for number, values in enumerate(content.get("external", []))
        ),
        thermostat=_one_of(THERMOSTATS, content["thermostat"], source, "thermostat.method", units)
        if "thermostat" in content
        else None,
        run=checked_with_units(RunParameters, _with_times(content.get("run", {}), folder), source, "run", units),
        snapshots=checked(SnapshotParameters, content.get("snapshots", {}), source=source, section="snapshots"),
        units=of_model,
        container=_section(ContainerParameters, "container", content, source, units),
        barostat=_section(BarostatParameters, "barostat", content, source, units),
        replica_exchange=_section(ReplicaExchangeParameters, "replica_exchange", content, source, units),
        cosmology=_section(CosmologyParameters, "cosmology", content, source, units),
        sites=_section(SitesParameters, "sites", content, source, units),
    )
    file.written.update(texts_of_numbers(content, file.to_dict()))
    _check_same_gas(file, source)
    check_expanding(file, content.get("run", {}), source)
    _check_limited_steps(file, source)
    _check_resident_device(file, source)
    check_replicas(file, source)
    check_sites(file.sites, file.run, source, replicas=file.replica_exchange is not None)
    if file.replica_exchange is None:
        check_scheduled(file.run, source)
    if file.gravity is None and file.sph is not None and file.sph.adaptive_softening:
        raise InputError(f"{source}: 'sph.adaptive_softening' is true, but needs a section [gravity]")
    return file


def _with_times(run: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the section with the times of snapshots in place of the name of a file that has them."""
    times = run.get("snapshot_times")
    return {**run, "snapshot_times": read_times(folder / from_home(times))} if isinstance(times, str) else run


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; a ValueError names the file and what is wrong with it."""
    with reading(path):
        try:
            return _parsed(path.read_text(encoding="utf-8-sig"))  # with a byte-order mark or without
        except (toml.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"'{path}' is not a TOML file: {error}") from None
        except RecursionError:
            raise InputError(f"'{path}' has values within values, too deep to be read") from None


def _parsed(text: str) -> dict[str, Any]:
    content: dict[str, Any] = toml.loads(text)
    repr(content)  # RecursionError if no sentence could show its values
    return content


def with_values(file: RunFile, values: Mapping[str, object], source: str) -> RunFile:
    """Return the same parameters with other values of some, by full names, section.key; None: not given."""
    content = file.to_dict()
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        tables, dot, number = section.partition(".")
        home = content[tables][int(number)] if dot else content[section]
        if value is None:
            home.pop(name, None)
        else:
            home[name] = value
    return from_content(content, source, Path())


def value_of(change: str, option: str, example: str) -> tuple[str, Any]:
    """Return what ``section.key=value`` means: the key, and the value, which is text if it is nothing else."""
    key, equals, text = (part.strip() for part in change.partition("="))
    if not equals or not key:
        raise InputError(f"{option} {change}: must be section.key=value, such as {example}")
    if "\n" in text:
        raise InputError(f"{option} {key}: must be one line")
    try:
        return key, _parsed(f"value = {text}")["value"]
    except toml.TOMLDecodeError:
        return key, text  # text needs no quotes here
    except RecursionError:
        raise InputError(f"{option} {key}: has values within values, too deep to be read") from None


def _apply(content: dict[str, Any], change: str) -> None:
    key, value = value_of(change, "--set", "ic.particles=1000")
    section, dot, name = key.rpartition(".")
    if key in ("initial_conditions", "run.snapshot_times") and isinstance(value, str):
        value = str(from_home(value).absolute())  # a path that was typed starts where it was typed
    home = _table(content, section, change) if dot else content
    if not isinstance(home, dict):
        raise InputError(f"--set {change}: '{section}' is not a section")
    home[name] = value


def _table(content: dict[str, Any], section: str, change: str) -> object:
    """Return the section of a parameter, which is added where it is missing, or one of several tables."""
    tables, dot, number = section.partition(".")
    if not dot or tables not in TABLES:
        return content.setdefault(section, {})
    there = content.get(tables, [])
    if not isinstance(there, list) or not number.isdecimal() or int(number) >= len(there):
        raise InputError(f"--set {change}: there is no {section}: the tables [[{tables}]] of the file count from 0")
    return there[int(number)]


def _check_tables(content: dict[str, Any], source: str) -> None:
    """Raise a ValueError if what should be several tables is something else."""
    for name in TABLES:
        value = content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise InputError(f"{source}: '{name}' must be one or several tables, [[{name}]]")


def _force(kind: type[Section], name: str, content: dict[str, Any], source: str, units: UnitsOfRun) -> Section | None:
    """Make a force's section if the file has it; gravity also if there is no other force."""
    if name == "gravity" and not any(force in content for force in (*FORCES, *TABLES)):
        content = {**content, name: {}}
    return _section(kind, name, content, source, units)


def _section(kind: type[Section], name: str, content: dict[str, Any], source: str, units: UnitsOfRun) -> Section | None:
    """Make a section if the file has it."""
    return checked_with_units(kind, content[name], source, name, units) if name in content else None


def _check_same_gas(file: RunFile, source: str) -> None:
    """Raise a ValueError if the gas of the model and that of the force are different ones."""
    for name in ("dimensions", "gamma"):
        begun, moved = getattr(file.ic, name, None), getattr(file.sph, name, None)
        if begun is not None and moved is not None and begun != moved:
            raise InputError(f"{source}: 'sph.{name}' is {moved}, but must be 'ic.{name}', which is {begun}")


def _check_limited_steps(file: RunFile, source: str) -> None:
    """Raise a ValueError if neither a time step is given nor a force limits it."""
    if file.cosmology is not None:
        return
    softened = file.gravity is not None and file.gravity.is_softened()
    if file.run.timestep is None and file.sph is None and not softened:
        raise InputError(f"{source}: 'run.timestep' is missing: only [sph] and [gravity] with a softening do without")


def _check_resident_device(file: RunFile, source: str) -> None:
    """Raise a ValueError if particles are to stay on a device, and none is named."""
    on = file.gravity.device if file.gravity is not None and file.gravity.device is not None else file.run.device
    if file.run.resident and on == "host":
        raise InputError(
            f"{source}: 'run.resident' is true, but the device is host: particles stay on cpu, cuda:0, ..."
        )


def _one_of(
    kinds: Mapping[str, type[Section]], values: dict[str, Any], source: str, key: str, units: UnitsOfRun
) -> Section:
    """Make a section of one of several kinds, named by its parameter `key`."""
    section, _, parameter = key.rpartition(".")
    name = values.get(parameter)
    if name is None:
        raise InputError(f"{source}: '{key}' is missing: known are {', '.join(kinds)}")
    if name not in kinds:
        raise InputError(f"{source}: '{key}' is {name!r}: {did_you_mean(str(name), kinds)}")
    return checked_with_units(kinds[name], values, source, section, units)
