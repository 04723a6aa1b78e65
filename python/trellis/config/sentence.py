"""Sentences about wrong parameters: the key, its value and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args, get_origin

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


class Missing(NamedTuple):
    """A key that is not there: its name, what it is, and the sentence if no other is missing."""

    key: str
    meaning: str
    alone: str


def sentence(
    kind: type[BaseModel], details: Sequence[ErrorDetails], section: str = "", lacking: Sequence[Missing] = ()
) -> str:
    """Return a sentence about the first wrong value of a section and all keys that are missing.

    A key that is not known is named alone: it may be one that is missing, misspelt.

    Parameters
    ----------
    kind : type
        The section's class.
    details : sequence of ErrorDetails
        What pydantic has found.
    section : str
        The heading of the section; empty for a whole file.
    lacking : sequence of Missing
        Other keys that are missing.
    """
    found = [_missing(kind, detail, section) for detail in details]
    missing = [*filter(None, found), *lacking]
    wrong = [detail for detail, key in zip(details, found, strict=True) if key is None]
    if found[0] is not None and not (wrong and wrong[0]["type"] in ALLOWED):
        return about_missing(missing)
    about = _about_value(kind, wrong[0], section)
    return f"{about}; {about_missing(missing)}" if missing and wrong[0]["type"] in ALLOWED else about


def about_missing(missing: Sequence[Missing]) -> str:
    """Return a sentence about keys that are missing."""
    if len(missing) == 1:
        return missing[0].alone
    named = [f"{each.key} ({each.meaning.partition(';')[0]})" for each in missing]
    return f"missing are {', '.join(named[:-1])} and {named[-1]}"


def _missing(kind: type[BaseModel], detail: ErrorDetails, section: str) -> Missing | None:
    """Return the key whose absence pydantic has found, None if it has found something else."""
    home, inner, keys = _located(kind, detail["loc"])
    key = ".".join([section, *keys] if section else keys)
    if detail["type"] == "missing":
        meaning = home.model_fields[str(detail["loc"][-1])].description or ""
    elif detail["type"] == "union_tag_not_found" and isinstance(detail["input"], dict):
        tag, names = _names_of_kinds(inner)
        key, meaning = f"{key}.{tag}", f"known are {', '.join(names)}"
    else:
        return None
    return Missing(f"'{key}'", meaning, f"'{key}' is missing: {meaning}")


def _about_value(kind: type[BaseModel], detail: ErrorDetails, section: str) -> str:
    home, inner, keys = _located(kind, detail["loc"])
    keys = [section, *keys] if section else keys
    key, context = ".".join(keys), detail.get("ctx", {})
    if detail["type"] == "extra_forbidden":
        names = [".".join([*keys[:-1], name]) for name in home.model_fields]
        return f"unknown key '{key}': {did_you_mean(key, names)}"
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
    """Return a sentence about what is no section, or about a kind that is not known."""
    if not isinstance(given, dict):
        return f"'{key}' is {given!r}, but must be a section, [{key}]"
    tag, names = _names_of_kinds(kinds)
    return f"'{key}.{tag}' is {given[tag]!r}: {did_you_mean(str(given[tag]), names)}"


def _names_of_kinds(kinds: Sequence[type[BaseModel]]) -> tuple[str, list[str]]:
    """Return the key that names the kind of a section, and the names that are known."""
    tag = next(name for name in kinds[0].model_fields if len(_choices(kinds[0], name)) == 1)
    return tag, [str(name) for kind in kinds for name in _choices(kind, tag)]


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
