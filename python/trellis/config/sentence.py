"""Sentences about wrong parameters: the key, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from trellis.errors import did_you_mean

ALLOWED = {
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text in quotes",
    "string_too_short": "text of at least one letter",
    "is_instance_of": "a list",
    "sequence_str": "a list",
    "too_short": "a list of at least {least}",
    "literal_error": "{expected}",
    "model_type": "a section, [{key}]",
    "model_attributes_type": "a section, [{key}]",
}
"""What is allowed, by pydantic's type of error."""


def sentence(kind: type[BaseModel], detail: ErrorDetails, section: str = "") -> str:
    """Return a sentence about a wrong value of a section.

    Parameters
    ----------
    kind : type
        The section's class.
    detail : ErrorDetails
        What pydantic has found.
    section : str
        The heading of the section; empty for a whole file.
    """
    home, inner, keys = _located(kind, detail["loc"])
    keys = [section, *keys] if section else keys
    key, context = ".".join(keys), detail.get("ctx", {})
    if detail["type"] == "extra_forbidden":
        names = [".".join([*keys[:-1], name]) for name in home.model_fields]
        return f"unknown key '{key}': {did_you_mean(key, names)}"
    if detail["type"] == "missing":
        return f"'{key}' is missing: {home.model_fields[str(detail['loc'][-1])].description}"
    if detail["type"] in ("union_tag_not_found", "union_tag_invalid"):
        return _about_kind(key, detail["input"], inner)
    if detail["type"] in ALLOWED:
        fewest = context.get("min_length")
        allowed = ALLOWED[detail["type"]].format(**context, key=key, least="one" if fewest == 1 else fewest)
        return f"'{key}' is {detail['input']!r}, but must be {allowed}"
    if detail["type"] == "wrong_value":
        return f"'{key}.{context['key']}' {context['problem']}"
    text = str(context.get("error", detail["msg"]))  # of a check of our own: it may name the keys itself
    return text if not key or text.startswith("'") else f"'{key}' {text}"


def _about_kind(key: str, given: object, kinds: list[type[BaseModel]]) -> str:
    """Return a sentence about a section that names no kind, or one that is not known."""
    if not isinstance(given, dict):
        return f"'{key}' is {given!r}, but must be a section, [{key}]"
    tag = next(name for name in kinds[0].model_fields if len(_choices(kinds[0], name)) == 1)
    names = [str(name) for kind in kinds for name in _choices(kind, tag)]
    if given.get(tag) is None:
        return f"'{key}.{tag}' is missing: known are {', '.join(names)}"
    return f"'{key}.{tag}' is {given[tag]!r}: {did_you_mean(str(given[tag]), names)}"


def sections_in(annotation: object) -> Iterator[type[BaseModel]]:
    """Yield the sections that a parameter of this type may be, or have."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from sections_in(part)


def _located(
    kind: type[BaseModel], path: tuple[int | str, ...]
) -> tuple[type[BaseModel], list[type[BaseModel]], list[str]]:
    """Follow pydantic's path to a value, which names the chosen kinds of sections too.

    Returns
    -------
    type
        The section that has the last key.
    list of type
        The sections that the value may be.
    list of str
        The keys, without the names of kinds.
    """
    home, inner, keys, named = kind, [kind], list[str](), False
    for part in path:
        chosen = [each for each in inner if any(part in _choices(each, name) for name in each.model_fields)]
        if len(inner) > 1 and chosen:
            inner = chosen
            continue
        if not inner and not named and isinstance(part, str):
            continue  # one of the types that a value may have
        keys.append(str(part))
        if len(inner) == 1 and isinstance(part, str):
            home = inner[0]
            field = home.model_fields.get(part)
            inner = inner if field is None else list(sections_in(field.annotation))
            named = field is not None and _has_names(field.annotation)
    return home, inner, keys


def _has_names(annotation: object) -> bool:
    """Return whether a value of this type may have values by name."""
    return get_origin(annotation) in (dict, Mapping) or any(_has_names(part) for part in get_args(annotation))


def _choices(kind: type[BaseModel], name: str) -> tuple[object, ...]:
    """Return the texts that a parameter may be, if it has no other values."""
    annotation = kind.model_fields[name].annotation
    return get_args(annotation) if get_origin(annotation) is Literal else ()
