"""Changes of a run on purpose, at a resume (``--change``): a line in its output folder for each parameter."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from pathlib import Path

from trellis.config import RunFile
from trellis.config.load import with_values
from trellis.config.overrides import value_of
from trellis.config.parameters import Parameters, changeable_in
from trellis.config.run import REDSHIFTS
from trellis.config.run_file import FORCES
from trellis.errors import InputError, reading
from trellis.io.atomic import write_text
from trellis.output.folder import MAY_DIFFER, OutputFolder, flat

ABSENT = ""  # in place of a value: not given

TIME_OF = {f"run.{redshifts}": f"run.{times}" for times, redshifts in REDSHIFTS}
"""Parameters that stand for others, whose place they take."""


@dataclass(frozen=True)
class Change:
    """A parameter with another value from a step on.

    Attributes
    ----------
    step, time : int, float
        Where the run was.
    key : str
        Full name of the parameter, section.key.
    old, new : str
        Its values in JSON; empty where it is not given.
    snapshot_shift : int
        Number added since then to those of snapshots, which would start from 0 again with other times of output.
    when : str
        When it was changed.
    """

    step: int
    time: float
    key: str
    old: str
    new: str
    snapshot_shift: int
    when: str

    def of_force(self) -> bool:
        """Return whether it changes a force."""
        return self.key.partition(".")[0] in FORCES


def read_changes(path: Path) -> list[Change]:
    """Return the changes so far; none if there is no such file."""
    if not path.exists():
        return []
    with reading(path):
        content = path.read_bytes()
    try:
        heading, *lines = csv.reader(io.StringIO(content.decode()))
        made = [
            Change(int(step), float(time), key, old, new, int(shift), when)
            for step, time, key, old, new, shift, when in lines
        ]
        [json.loads(each.new) for each in made if each.new != ABSENT]
    except ValueError:
        heading = []
    if heading != [each.name for each in fields(Change)]:
        raise InputError(f"'{path}' is not a list of a run's changes")
    return made


def write_changes(path: Path, changes: Iterable[Change]) -> None:
    """Write all changes so far."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    names = [each.name for each in fields(Change)]
    lines.writerow(names)
    lines.writerows([getattr(change, name) for name in names] for change in changes)
    write_text(path, text.getvalue())


def changes_between(before: RunFile, after: RunFile, step: int, time: float, snapshot_shift: int) -> list[Change]:
    """Return what differs between the parameters of a run until a step and those from then on."""
    old, new = flat(before.content()), flat(after.content())
    when = datetime.now(timezone.utc).isoformat(sep=" ", timespec="seconds")
    return [
        Change(step, time, key, _text(old, key), _text(new, key), snapshot_shift, when)
        for key in {**old, **new}
        if _text(old, key) != _text(new, key)
    ]


def _in_force(begun: Mapping[str, object], changes: Iterable[Change]) -> dict[str, object]:
    """Return the parameters of the folder, by full names: those that were written there last, and what was changed."""
    values = dict(begun)
    for change in changes:
        if change.new == ABSENT:
            values.pop(change.key, None)
        else:
            values[change.key] = json.loads(change.new)
    return values


def as_in_folder(
    file: RunFile, folder: OutputFolder, may_differ: Sequence[str] = MAY_DIFFER
) -> tuple[RunFile, list[Change]]:
    """Return the parameters of a run to be resumed as its folder has them, and what was changed in it so far.

    A file that still has the former values of what was changed is accepted.

    Raises
    ------
    ValueError
        If there is no run in the folder, or one of other parameters.
    """
    changes = read_changes(folder.changes)
    kept = _in_force(folder.kept(), changes)
    file = _adopted(file, kept, changes)
    folder.check_resumable(file, kept, may_differ)
    return file, changes


def changed(file: RunFile, overrides: Iterable[str]) -> RunFile:
    """Return the parameters with those changed that ``--change`` names; without a value, one is not given any more.

    Raises
    ------
    ValueError
        If one cannot be changed, or not to this value.
    """
    values: dict[str, object] = {}
    for override in overrides:
        keys, value = value_of(override, "--change", "run.timestep=0.01")
        key = ".".join(keys)
        _check_changeable(file, key)
        if key in TIME_OF:
            values[TIME_OF[key]] = None
        values[key] = None if value == "" else value
    return with_values(file, values, "--change") if values else file


def _check_changeable(file: RunFile, key: str) -> None:
    if TIME_OF.get(key, key) in MAY_DIFFER:
        raise InputError(f"--change {key}: this may differ at any resume, give it in the file or with --set")
    sections = {name: value for name, value in vars(file).items() if isinstance(value, Parameters)}
    sections |= {f"external.{number}": field for number, field in enumerate(file.external)}
    known = [f"{name}.{each}" for name, section in sections.items() for each in changeable_in(section)]
    if key not in known:
        raise InputError(
            f"--change {key}: it stays what it was when the run was begun; what may be changed in this one is"
            f" {', '.join(known)}"
        )


def _adopted(file: RunFile, now: Mapping[str, object], changes: Iterable[Change]) -> RunFile:
    """Return a user's parameters with those that have been changed since, where the file has a former value."""
    given = flat(file.content())
    former: dict[str, set[str]] = {}
    for change in changes:
        former.setdefault(change.key, set()).add(change.old)
    sections = {key.rpartition(".")[0] for key in given}
    since = {
        key: now.get(key)
        for key, values in former.items()
        if key.rpartition(".")[0] in sections and _text(given, key) in values
    }
    return with_values(file, since, "the parameters changed since") if since else file


def _text(values: Mapping[str, object], key: str) -> str:
    return json.dumps(values[key]) if key in values else ABSENT
