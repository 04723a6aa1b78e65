"""What a parameter is, and the sentence that a wrong one is answered with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import ErrorDetails

from trellis import _core
from trellis.errors import InputError, did_you_mean
from trellis.signatures import annotation


class Parameters(BaseModel):
    """A section of parameters; no others are allowed in it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Section = TypeVar("Section", bound=Parameters)


def parameter(
    default: Any, meaning: str, *, unit: str = "", allowed: str = "", changeable: bool = False, **limits: Any
) -> Any:
    """Declare a parameter.

    The default `...` means that it must be given; `allowed` says what limits do not; a `changeable` one may be set by
    ``--change``.
    """
    extra: dict[str, Any] = {"unit": unit, "allowed": allowed, "changeable": changeable}
    return Field(default, description=meaning, json_schema_extra=extra, **limits)


def changeable_in(section: Parameters) -> list[str]:
    """Return the parameters of a section that ``--change`` may set."""
    facts = {name: field.json_schema_extra for name, field in type(section).model_fields.items()}
    return [name for name, extra in facts.items() if isinstance(extra, dict) and extra.get("changeable")]


def parameters_of(
    kind: type[_core.Force | _core.Thermostat | _core.Barostat | _core.Cosmology],
    *,
    laid_down: Collection[str] | None = None,
    **own: dict[str, Any],
) -> Callable[[type[Section]], type[Section]]:
    """Give a section the parameters of a force, thermostat, barostat or cosmology, after those that it declares itself.

    Parameters
    ----------
    kind : type
        The class of the force, thermostat, barostat or cosmology.
    laid_down : collection of str, optional
        Parameters that ``--change`` may not set, since they say what is computed, not how; if not given, all.
    own : dict
        What differs in a file, by the parameter: ``type``, ``default``, ``meaning``, ``limits`` or ``allowed``.
    """

    def field(given: _core.Parameter) -> Any:
        facts: dict[str, Any] = {"type": annotation(given), "default": given.default, "meaning": given.meaning}
        facts |= {"limits": given.limits, "allowed": "", **own.get(given.name, {})}
        # texts and lists are not empty
        length: dict[str, Any] = {"min_length": 1} if given.type.startswith(("str", "collections.abc.Sequence")) else {}
        words: dict[str, Any] = {"unit": given.unit, "allowed": facts["allowed"]}
        words["changeable"] = laid_down is not None and given.name not in laid_down
        return facts["type"], parameter(facts["default"], facts["meaning"], **words, **facts["limits"], **length)

    def complete(section: type[Section]) -> type[Section]:
        fields: dict[str, Any] = {each.name: field(each) for each in _core.parameters(kind)}
        return create_model(
            section.__name__, __base__=section, __module__=section.__module__, __doc__=section.__doc__, **fields
        )

    return complete


def checked(kind: type[Section], values: Mapping[str, object], *, source: str = "", section: str = "") -> Section:
    """Make a section from values.

    Parameters
    ----------
    kind : type
        The section's class.
    values : mapping
        Its parameters.
    source, section : str
        Where the values came from (a file's name) and under which heading, for the message.

    Raises
    ------
    ValueError
        With one sentence about the first wrong value: its name, what it is and what is allowed.
    """
    try:
        return kind(**values)
    except ValidationError as error:
        detail = error.errors()[0]
    names = [f"{section}.{name}" if section else name for name in kind.model_fields]
    key = ".".join(str(part) for part in (section, *detail["loc"]) if part != "")
    start = f"{source}: " if source else ""
    if detail["type"] == "extra_forbidden":
        raise InputError(f"{start}unknown key '{key}': {did_you_mean(key, names)}")
    if detail["type"] == "missing":
        meaning = kind.model_fields[str(detail["loc"][-1])].description
        raise InputError(f"{start}'{key}' is missing: {meaning}")
    raise InputError(f"{start}'{key}' {_complaint(detail)}")


def _complaint(detail: ErrorDetails) -> str:
    context = detail.get("ctx", {})
    allowed = {
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
        "too_short": "a list of at least one",
        "literal_error": "{expected}",
    }.get(detail["type"])
    if allowed is None:  # a check of our own: its message is the rest of the sentence
        return str(context.get("error", detail["msg"]))
    return f"is {detail['input']!r}, but must be {allowed.format(**context)}"
