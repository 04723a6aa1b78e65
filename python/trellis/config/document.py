"""List of all parameters, as a page of Markdown (docs/parameters.md, ``trellis parameters``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from trellis.config.run_file import FORCES, RunFile
from trellis.config.sentence import sections_in
from trellis.config.sites import LinkParameters

KINDS: dict[Any, str] = {bool: "`true` or `false`", int: "whole number", float: "number", str: "text", Path: "text"}
BOUNDS = {"gt": "above", "ge": "at least", "lt": "below", "le": "at most"}

HEAD = """# Parameters

These are the parameters of a parameter file of `trellis run`. Each can also be given as `--set section.key=value`, one
of the first table `[[external]]` as `--set external.0.key=value`.
In a path, `~` is the home folder. A number that has a unit may be given as text with one of its own, such as
`until = "2 Gyr"` ([units.md](units.md#in-a-parameter-file)).
A parameter with "yes" under change can be changed at a resume with `--change section.key=value`
([reliability.md](reliability.md#changing-a-run-on-purpose)).
This page is written by `trellis parameters`.
"""
FORCES_ACT = "A force acts if it has a section or a table; gravity alone without any.\n"


def document() -> str:
    """Return the name, default, range, unit and meaning of all parameters."""
    fields = RunFile.model_fields
    sections = {name: list(sections_in(field.annotation)) for name, field in fields.items()}
    above = {name: field for name, field in fields.items() if not sections[name]}
    parts = [HEAD, "## Above the sections\n", _table(above)]
    for name, kinds in sections.items():
        if name == FORCES[0]:
            parts += ["## Forces\n", FORCES_ACT]
        if kinds:
            parts += _section(name, fields[name], kinds)
    parts += ['### [sites.link."A-B"]: of the link between two of them\n', _table(LinkParameters.model_fields)]
    return "\n".join(parts)


def _section(name: str, field: FieldInfo, kinds: Sequence[type[BaseModel]]) -> list[str]:
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    heading, more = str(extra["heading"]), str(extra["more"])
    several = get_origin(field.annotation) is Sequence
    mark = "##" if several or name not in FORCES else "###"
    named = f"[[{name}]]" if several else f"[{name}]"
    parts = [f"{mark} {named}{': ' if heading else ''}{heading}\n"]
    parts += [f"{more}\n"] if more else []
    if len(kinds) == 1:
        return [*parts, _table(kinds[0].model_fields)]
    for kind in kinds:
        fields = dict(kind.model_fields)
        key = next(key for key in ("model", "method") if key in fields)
        parts += [f'### {key} = "{get_args(fields.pop(key).annotation)[0]}"\n', _table(fields)]
    return parts


def _table(fields: Mapping[str, FieldInfo]) -> str:
    extras = {name: field.json_schema_extra for name, field in fields.items()}
    facts = {name: extra if isinstance(extra, dict) else {} for name, extra in extras.items()}
    changeable = any(each.get("changeable") for each in facts.values())
    names = ["key", "default", "allowed", *(["change"] if changeable else []), "unit", "meaning"]
    lines = [f"| {' | '.join(names)} |", "|" + "---|" * len(names)]
    for name, field in fields.items():
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
