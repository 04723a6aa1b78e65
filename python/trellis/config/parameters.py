"""Parameters and sections of them as models of pydantic, declared by hand or derived from the tables of bindings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, TypeVar, Union, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    create_model,
    model_validator,
)

from trellis import _core
from trellis.config.context import FileContext, with_numbers
from trellis.config.sentence import Missing, sentence
from trellis.errors import InputError
from trellis.signatures import annotation


class Parameters(BaseModel):
    """A section of parameters; no others are allowed in it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    _with_numbers = model_validator(mode="before")(cast(Any, classmethod(with_numbers)))


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
    kind: type[
        _core.Force | _core.Thermostat | _core.Barostat | _core.Cosmology | _core.IndividualSteps | _core.DeviceOptions
    ],
    *,
    laid_down: Collection[str] | None = None,
    left_out: Collection[str] = (),
    optional: bool = False,
    **own: dict[str, Any],
) -> Callable[[type[Section]], type[Section]]:
    """Give a section the parameters of a class with a table, such as a force, after those that it declares itself.

    Parameters
    ----------
    kind : type
        The class of a force, thermostat, barostat or cosmology, or `DeviceOptions`.
    laid_down : collection of str, optional
        Parameters that ``--change`` may not set, since they say what is computed, not how; if not given, all.
    left_out : collection of str
        Parameters that a file has not.
    optional : bool
        No parameter must be given or has a default: what makes the force has those.
    own : dict
        What differs in a file, by the parameter: ``type``, ``default``, ``meaning``, ``limits`` or ``allowed``.
    """

    def field(given: _core.Parameter) -> Any:
        facts: dict[str, Any] = {"type": annotation(given), "default": given.default, "meaning": given.meaning}
        if optional:
            facts |= {"type": facts["type"] | None, "default": None}
        facts |= {"limits": given.limits, "allowed": "", **own.get(given.name, {})}
        # texts and lists are not empty, but for a list that is by default
        has_length = given.type.startswith(("str", "collections.abc.Sequence")) and given.default != []
        length: dict[str, Any] = {"min_length": 1} if has_length else {}
        words: dict[str, Any] = {"unit": given.unit, "allowed": facts["allowed"]}
        words["changeable"] = laid_down is not None and given.name not in laid_down
        return facts["type"], parameter(facts["default"], facts["meaning"], **words, **facts["limits"], **length)

    def complete(section: type[Section]) -> type[Section]:
        fields: dict[str, Any] = {
            each.name: field(each) for each in _core.parameters(kind) if each.name not in left_out
        }
        return create_model(
            section.__name__, __base__=section, __module__=section.__module__, __doc__=section.__doc__, **fields
        )

    return complete


def one_of(kinds: Mapping[str, type[Parameters]], key: str) -> Any:
    """Return the type of a section of one of several kinds, which its parameter `key` names."""
    return Annotated[Union[tuple(kinds.values())], Field(discriminator=key)]  # noqa: UP007


def checked(
    kind: type[Section],
    values: Mapping[str, object],
    *,
    source: str = "",
    section: str = "",
    context: FileContext | None = None,
    lacking: Sequence[Missing] = (),
) -> Section:
    """Make a section from values.

    Parameters
    ----------
    kind : type
        The section's class.
    values : mapping
        Its parameters.
    source, section : str
        Where the values came from (a file's name) and under which heading, for the message.
    context : FileContext, optional
        Given for the values of a file, among which texts with a unit may stand for numbers.
    lacking : sequence of Missing
        Keys that are named beside others that are missing.

    Raises
    ------
    ValueError
        With one sentence about the first wrong value: its name, what it is and what is allowed; or about all keys that
        are missing.
    """
    try:
        return kind.model_validate(dict(values), context=context)
    except ValidationError as error:
        wrong = sentence(kind, error.errors(), section, lacking)
    raise InputError(f"{source}: {wrong}" if source else wrong)
