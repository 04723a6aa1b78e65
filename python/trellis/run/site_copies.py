"""Copies, at each site of a run, of what it is resumed from: so any of the sites can go on without the others."""

from __future__ import annotations

from pathlib import Path

from trellis import _core, world
from trellis.errors import InputError, reading, writing
from trellis.io.atomic import replacing, write_all
from trellis.io.hdf5 import open_hdf5
from trellis.run.folder import OutputFolder


class SiteCopies:
    """The files of a checkpoint, from the folder of one site to those of the others.

    All ranks make the same calls. Nothing happens in a run on one site.

    Parameters
    ----------
    folder : OutputFolder
        This site's.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self._folder = folder
        self._firsts = world.site_firsts()

    def send(self) -> None:
        """Copy the checkpoint that the first site has just written to the others."""
        if len(self._firsts) > 1:
            self._copy(self._firsts[0], self._firsts[1:])

    def agree(self) -> None:
        """Copy the newest checkpoint that any site has to those that have another, or none."""
        if len(self._firsts) == 1:
            return
        steps = world.gather(self._step() if world.is_site_first() else -1)
        newest = max(steps)
        if newest >= 0:
            source = steps.index(newest)
            self._copy(source, [first for first in self._firsts if steps[first] < newest])

    def _step(self) -> int:
        """Return the step of the checkpoint that is here; -1 without one."""
        if not self._folder.checkpoint.exists():
            return -1
        with open_hdf5(self._folder.checkpoint) as file:
            if "step_count" not in file.attrs:
                raise InputError(f"'{self._folder.checkpoint}' is not a checkpoint")
            return int(file.attrs["step_count"])

    def _files(self) -> list[Path]:
        """Return what travels, the checkpoint last: it relies on the others."""
        folder = self._folder
        return [folder.parameters, folder.changes, folder.energy_log, folder.energy_alarm, folder.checkpoint]

    def _copy(self, source: int, targets: list[int]) -> None:
        world.meet("SiteCopies.copy")
        if world.rank() == source:
            for path in self._files():
                with reading(path):
                    content = path.read_bytes() if path.exists() else b""
                for target in targets:
                    _core.world().send(target, content)
        if world.rank() in targets:
            for path in self._files():
                content = _core.world().receive(source)
                if content and not (path == self._folder.parameters and path.exists()):
                    with writing(path):
                        path.parent.mkdir(parents=True, exist_ok=True)
                    with replacing(path) as file:
                        write_all(file, content)
