"""Run files from TOML files, and from other run files with other values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trellis.config.agreement import check_agreement, lacking
from trellis.config.context import FileContext
from trellis.config.overrides import keys_of, override, section_of
from trellis.config.parameters import checked
from trellis.config.run_file import RunFile
from trellis.config.toml_file import read_toml
from trellis.config.units import units_given
from trellis.paths import from_home


def load(path: Path, changes: Sequence[str] = ()) -> RunFile:
    """Read a run file.

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
        override(content, change)
    return _run_file(content, str(path), path.parent)


def with_values(file: RunFile, values: Mapping[str, object], source: str) -> RunFile:
    """Return the same parameters with other values of some, by full names, section.key; None: not given."""
    content = file.content()
    for name, value in values.items():
        keys = keys_of(name)
        home = section_of(content, keys)
        if value is None:
            home.pop(keys[-1], None)
        else:
            home[keys[-1]] = value
    return _run_file(content, source, Path())


def _run_file(content: dict[str, Any], source: str, folder: Path) -> RunFile:
    context = FileContext(folder, units_given(content, source, folder), expanding="cosmology" in content)
    file = checked(RunFile, content, source=source, context=context, lacking=lacking(content))
    file.note_texts(content)
    check_agreement(file, source)
    return file
