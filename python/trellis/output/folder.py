"""The output folder of a run, and who may write to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trellis.config import RunFile, read_toml
from trellis.errors import InputError, writing
from trellis.io.atomic import write_text
from trellis.io.checkpoint import part_files

SNAPSHOT = re.compile(r"snapshot_(\d+)(?:\.(\d+))?\.hdf5")  # its number, and that of the file if it has several
EXCHANGES = re.compile(r"exchanges_(\d+)\.hdf5")
TEMPORARY = re.compile(
    r"\.(parameters\.toml|energy\.csv|rungs\.csv|energy_alarm\.json|overview\.png|run\.lock\.\d+"
    r"|sites\.csv|(checkpoint|snapshot_\d+|exchanges_\d+)(\.\d+)*\.hdf5)\.part"
)

# Parameters that may differ between a run and its continuation without changing what has been written already.
MAY_DIFFER = (
    "run.until",
    "run.output",
    "run.checkpoint_every",
    "run.files",
    "run.energy_alarm",
    "run.on_energy_alarm",
    "sites.ring",
    "sites.speeds",
    "sites.grace",
    "sites.link",
    "sites.snapshots",
)


class OutputFolder:
    """The folder of a run's files.

    Parameters
    ----------
    path : Path
        The folder; it need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parameters = path / "parameters.toml"
        self.changes = path / "changes.csv"
        self.energy_log = path / "energy.csv"
        self.rung_log = path / "rungs.csv"
        self.checkpoint = path / "checkpoint.hdf5"
        self.overview = path / "overview.png"
        self.energy_alarm = path / "energy_alarm.json"
        self.sites_log = path / "sites.csv"
        self.lock = path / "run.lock"

    def snapshot(self, number: int) -> Path:
        """Path of a snapshot, or the common name of its files."""
        return self.path / f"snapshot_{number:04d}.hdf5"

    def snapshots(self) -> list[Path]:
        """Return the snapshots that are there, in order of time; of several files the first."""
        return [path for _, part, path in self._snapshot_files() if part == 0]

    def _snapshot_files(self) -> list[tuple[int, int, Path]]:
        """Return number of the snapshot, number of the file, and path of the files that are there, in this order."""
        found = ((SNAPSHOT.fullmatch(path.name), path) for path in self.path.glob("snapshot_*.hdf5"))
        return sorted((int(match[1]), int(match[2] or 0), path) for match, path in found if match)

    def exchanges(self, number: int) -> Path:
        """Path of a part of the history of a replica exchange."""
        return self.path / f"exchanges_{number:04d}.hdf5"

    def trajectories(self, number: int) -> Path:
        """Path of the folder with the configurations of a replica exchange, since a file of its history."""
        return self.path / f"trajectories_{number:04d}"

    def exchange_files(self) -> list[Path]:
        """Return the parts of that history that are there, in order."""
        found = ((EXCHANGES.fullmatch(path.name), path) for path in self.path.glob("exchanges_*.hdf5"))
        return [path for _, path in sorted((int(match[1]), path) for match, path in found if match)]

    def written(self) -> list[Path]:
        """Return the files of a run that are there."""
        parts, snapshots = part_files(self.checkpoint), [path for *_, path in self._snapshot_files()]
        notes = [self.parameters, self.changes, self.energy_log, self.rung_log, self.sites_log, self.energy_alarm]
        moving = sorted(self.path.glob("trajectories_*/*.gsd"))
        files = [*notes, *parts, self.overview, *snapshots, *moving, *self.exchange_files(), self.checkpoint]
        return [path for path in files if path.exists()]

    def check_new(self, file: RunFile, *, overwrite: bool) -> None:
        """Raise a ValueError if a run is here, unless it may be overwritten and has no initial conditions."""
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"run.output is '{self.path}', which is a file, but must be a folder")
        if overwrite and file.initial_conditions is not None and self._holds(file.initial_conditions):
            raise InputError(
                f"initial_conditions is '{file.initial_conditions}', in the folder '{self.path}' that --overwrite"
                " clears: move it elsewhere, or choose another folder with --set run.output=..."
            )
        if self.written() and not overwrite:
            raise InputError(
                f"folder '{self.path}' holds a run already: continue it with --resume, replace it with --overwrite,"
                " or choose another folder with --set run.output=..."
            )

    def _holds(self, path: Path) -> bool:
        """Return whether a file, or the target of a link, is in the folder."""
        folder = self.path.resolve()
        return any(each.is_relative_to(folder) for each in (path.resolve(), path.parent.resolve() / path.name))

    def kept(self) -> dict[str, object]:
        """Return the parameters of the run that is here, by full names; a ValueError if no run was begun here."""
        if not self.parameters.exists():
            raise InputError(f"there is nothing to resume in '{self.path}': no run was begun there")
        return flat(read_toml(self.parameters))

    def check_resumable(self, file: RunFile, before: dict[str, object], may_differ: Sequence[str] = MAY_DIFFER) -> None:
        """Raise a ValueError if the run that is here has other parameters, but for those that may differ."""
        now = flat(file.content())
        hint = ", and others be changed by --change" if may_differ is MAY_DIFFER else ""
        for key in [*before, *now]:
            was, is_now = before.get(key, "not given"), now.get(key, "not given")
            if was != is_now and key not in may_differ:
                raise InputError(
                    f"cannot resume '{self.path}': '{key}' was {was} when it was begun, but is {is_now} now;"
                    f" only {', '.join(may_differ)} may differ{hint}"
                )

    def begin(self, file: RunFile) -> None:
        """Empty the folder of a former run, and keep the parameters in it."""
        with writing(self.path):
            # The parameters last: they say whose the other files are. The checkpoint first: none says that this run
            # has come far, should it be killed now.
            for path in reversed(self.written()):
                path.unlink()
        self.keep(file)

    def keep(self, file: RunFile) -> None:
        """Write down the parameters."""
        write_text(self.parameters, file.to_toml())

    def forget_temporary(self) -> None:
        """Delete files that a killed run had not completed."""
        for path in self.path.glob(".*.part"):
            if TEMPORARY.fullmatch(path.name):
                path.unlink()

    def forget_after(self, snapshots: int) -> None:
        """Delete the snapshots from number `snapshots` on, which a run wrote after its last checkpoint."""
        for number, _, path in self._snapshot_files():
            if number >= snapshots:
                path.unlink()


def flat(content: dict[str, Any]) -> dict[str, object]:
    """Return the content of a parameter file by full names, section.key."""
    values: dict[str, object] = {}
    for name, value in content.items():
        if isinstance(value, dict):
            values.update({f"{name}.{key}": inner for key, inner in value.items()})
        elif isinstance(value, list | tuple):  # of tables
            values.update({f"{name}.{n}.{key}": inner for n, table in enumerate(value) for key, inner in table.items()})
        else:
            values[name] = value
    for name in values:
        if name == "initial_conditions" or re.fullmatch(r"bonds\.\d+\.file|pair\.table", name):
            values[name] = Path(str(values[name])).name  # the file may have moved; those that it reads have a checksum
    return values
