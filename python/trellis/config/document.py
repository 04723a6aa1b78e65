"""The list of all parameters, as a page of Markdown (docs/parameters.md, ``trellis parameters``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from trellis.config.cosmology import CosmologyParameters
from trellis.config.external import EXTERNAL
from trellis.config.forces import (
    THERMOSTATS,
    BarostatParameters,
    CoulombParameters,
    GravityParameters,
    LennardJonesParameters,
    SphParameters,
)
from trellis.config.parameters import Parameters
from trellis.config.replicas import ContainerParameters, ReplicaExchangeParameters
from trellis.config.sections import (
    MODELS,
    RunParameters,
    Source,
)
from trellis.config.sites import LinkParameters, SitesParameters
from trellis.config.snapshots import SnapshotParameters
from trellis.config.units import UnitsParameters

KINDS = {bool: "`true` or `false`", int: "whole number", float: "number", str: "text"}
BOUNDS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}

HEAD = """# Parameters

What a parameter file of `trellis run` may hold. Every one can also be given as `--set section.key=value`, those of the
first table `[[external]]` as `--set external.0.key=value`.
In a path, `~` is the home folder. A number that has a unit may be given as text with one of its own, such as
`until = "2 Gyr"` ([units.md](units.md#in-a-parameter-file)).
What has "yes" under change can be changed at a resume with `--change section.key=value`
([reliability.md](reliability.md#changing-a-run-on-purpose)).
This page is written by `trellis parameters`.
"""


def document() -> str:
    """All parameters: name, default, range, unit and meaning."""
    parts = [HEAD, "## Above the sections\n", _table(Source), "## [ic]: one of the models\n"]
    parts += _choices(MODELS, "model")
    parts += ["## [units]: what the units of a model are\n", _table(UnitsParameters)]
    parts += [
        "## [cosmology]: if space expands\n",
        "See [cosmology.md](cosmology.md).\n",
        _table(CosmologyParameters),
        "## Forces\n",
        "Those that have a section act, and the external fields; gravity alone if there is neither.\n",
        *("### [gravity]\n", _table(GravityParameters)),
        *("### [lennard_jones]\n", _table(LennardJonesParameters)),
        *("### [sph]\n", _table(SphParameters)),
        "### [coulomb]\n",
        "Between particles with a field `charge`, in a box that is periodic along all axes; see"
        " [mesh.md](mesh.md#charges).\n",
        _table(CoulombParameters),
        "## [[external]]: any number, each one of the models\n",
        "Fields in which the particles move; see [external_forces.md](external_forces.md).\n",
        *_choices(EXTERNAL, "model"),
        "## [thermostat]: one of the methods, or none\n",
    ]
    parts += [
        *_choices(THERMOSTATS, "method"),
        "## [replica_exchange]\n",
        "Systems like the initial conditions, that exchange their states; see"
        " [replica_exchange.md](replica_exchange.md).\n",
        _table(ReplicaExchangeParameters),
        "## [container]: with [replica_exchange]\n",
        _table(ContainerParameters),
        "## [barostat]: with [replica_exchange]\n",
        "Of each system, whose box is periodic along all axes; see"
        " [replica_exchange.md](replica_exchange.md#states-of-different-pressure).\n",
        _table(BarostatParameters),
        "## [run]\n",
        _table(RunParameters),
    ]
    parts += ["## [snapshots]\n", _table(SnapshotParameters)]
    parts += ["## [sites]: if several share the run\n", "See [sites.md](sites.md).\n", _table(SitesParameters)]
    parts += ['### [sites.link."A-B"]: of the link between two of them\n', _table(LinkParameters)]
    return "\n".join(parts)


def _choices(kinds: Mapping[str, type[Parameters]], key: str) -> list[str]:
    return [part for name, kind in kinds.items() for part in (f'### {key} = "{name}"\n', _table(kind, key))]


def _table(section: type[Parameters], heading: str = "") -> str:
    extras = {name: field.json_schema_extra for name, field in section.model_fields.items()}
    facts = {name: extra if isinstance(extra, dict) else {} for name, extra in extras.items()}
    changeable = any(each.get("changeable") for each in facts.values())
    names = ["key", "default", "allowed", *(["change"] if changeable else []), "unit", "meaning"]
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for name, field in section.model_fields.items():
        if name == heading:
            continue
        change = ["yes" if facts[name].get("changeable") else ""] if changeable else []
        meaning = str(field.description).replace("|", "\\|")
        cells = [f"`{name}`", _default(field), allowed(field), *change, str(facts[name].get("unit", "")), meaning]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "(must be given)"
    return "" if field.default is None else f"`{field.default}`"


def allowed(field: FieldInfo) -> str:
    """Say in words which values the parameter takes."""
    extra = field.json_schema_extra
    if isinstance(extra, dict) and extra.get("allowed"):
        return str(extra["allowed"])
    whole = (field.annotation, *_parts(field.annotation))
    listed = next((part for part in whole if get_origin(part) is Sequence), None)
    parts = _parts(field.annotation if listed is None else get_args(listed)[0])
    choices = [value for part in parts if get_origin(part) is Literal for value in get_args(part)]
    if choices:
        return f"{'list of ' if listed else ''}{' or '.join(f'`{choice}`' for choice in choices)}"
    kind = next(KINDS[part] for part in parts if part in KINDS)
    if listed is not None:
        kind = f"list of {kind}s"
    limits = [
        f"{word} {getattr(limit, bound)}"
        for limit in field.metadata
        for bound, word in BOUNDS.items()
        if hasattr(limit, bound)
    ]
    return " ".join([kind, " and ".join(limits)]).strip()


def _parts(annotation: object) -> tuple[object, ...]:
    # X | None has the parts X and None
    return (annotation,) if get_origin(annotation) is Literal else get_args(annotation) or (annotation,)
