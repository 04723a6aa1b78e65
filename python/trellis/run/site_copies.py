"""Copies, at each site of a run, of what it is resumed from: so any of the sites can go on without the others."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from trellis import _core
from trellis.errors import InputError, reading, writing
from trellis.io.atomic import replacing, write_all
from trellis.io.hdf5 import open_hdf5
from trellis.output.folder import OutputFolder
from trellis.parallel import world
from trellis.parallel.sites import is_site_first, site_firsts

BLOCK = 4 << 20  # bytes of a message
ON_THE_WAY = 4  # blocks at most, which a message of a step may have to wait for
BETWEEN_LOOKS = 0.01  # seconds
BETWEEN_RELAYS = 0.001  # seconds


class SiteCopies:
    """The files of a checkpoint, from the folder of one site to those of the others, while the run goes on.

    All ranks make the same calls. Nothing happens in a run on one site.

    Parameters
    ----------
    folder : OutputFolder
        This site's.
    """

    def __init__(self, folder: OutputFolder) -> None:
        self._folder = folder
        self._firsts = site_firsts()
        self._under_way: Thread | None = None
        self._began = 0.0
        self._longest = 0.0
        self._failure: Exception | None = None

    def send(self) -> None:
        """Begin to copy the checkpoint that the first site has just written to the others, once the last is there."""
        self.finish()
        if len(self._firsts) > 1:
            self._begin(0, list(range(1, len(self._firsts))))

    def finish(self) -> None:
        """Wait until the copies are complete, here or, at the site that sends them, everywhere.

        Meanwhile this site relays messages between others, which may need them to begin their copies.
        """
        if self._under_way is not None:
            while self._under_way.is_alive():
                _core.move_messages_along()
                self._under_way.join(BETWEEN_RELAYS)
            self._under_way = None
        if self._failure is not None:
            _core.move_messages_along()  # says why, if a site has ended the run
            raise self._failure

    def seconds(self) -> float:
        """Return how long copies have taken at most; one that is under way, until now."""
        now = time.monotonic() - self._began if self._under_way is not None and self._under_way.is_alive() else 0.0
        return max(self._longest, now)

    def agree(self) -> None:
        """Copy the newest checkpoint that any site has to those that have another, or none."""
        if len(self._firsts) == 1:
            return
        steps = world.gather(self.step() if is_site_first() else -1)
        newest = max(steps)
        if newest >= 0:
            of_sites = [steps[first] for first in self._firsts]
            self._begin(of_sites.index(newest), [site for site, step in enumerate(of_sites) if step < newest])
            self.finish()

    def step(self) -> int:
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
        logs = [folder.energy_log, folder.sites_log, folder.energy_alarm]
        return [folder.parameters, folder.changes, *logs, folder.checkpoint]

    def _begin(self, source: int, targets: list[int]) -> None:
        here = self._firsts.index(world.rank()) if is_site_first() else -1
        if here == source and targets:
            copying = _Sending([path for path in self._files() if path.exists()], targets).send
        elif here in targets:
            copying = _Fetching(self._files(), source, keeps=self._folder.parameters).fetch
        else:
            return

        def copy() -> None:
            try:
                copying()
            except (InputError, _core.RunError) as failure:
                self._failure = failure
            self._longest = max(self._longest, time.monotonic() - self._began)

        self._began = time.monotonic()
        self._under_way = Thread(target=copy, name="copies of a checkpoint")
        self._under_way.start()


class _Sending:
    """Sends files as they are when this is made, even if they are replaced or deleted later."""

    def __init__(self, paths: Iterable[Path], targets: list[int]) -> None:
        self._targets = targets
        self._open = ExitStack()
        self._files: list[tuple[Path, BinaryIO, int]] = []
        for path in paths:
            with reading(path):
                file = self._open.enter_context(path.open("rb"))
                self._files.append((path, file, os.fstat(file.fileno()).st_size))
        self._unanswered = 0

    def send(self) -> None:
        with self._open:
            self._to_all(json.dumps([(path.name, size) for path, _, size in self._files]).encode())
            for path, file, size in self._files:
                for begin in range(0, size, BLOCK):
                    with reading(path):
                        block = file.read(min(BLOCK, size - begin))
                    self._to_all(block)
            self._unanswered += 1  # the last answer says that all is in place
            self._wait_for_answers(0)

    def _to_all(self, block: bytes) -> None:
        for target in self._targets:
            _core.send_to_site(target, block)
        self._unanswered += 1
        self._wait_for_answers(ON_THE_WAY - 1)

    def _wait_for_answers(self, left: int) -> None:
        while self._unanswered > left:
            for target in self._targets:
                _next_from(target)
            self._unanswered -= 1


class _Fetching:
    """Takes files that another site sends; answers each message, and again when all files are complete."""

    def __init__(self, paths: Iterable[Path], source: int, *, keeps: Path) -> None:
        self._paths = {path.name: path for path in paths}
        self._source = source
        self._keeps = keeps

    def fetch(self) -> None:
        for name, size in json.loads(self._next()):
            path = self._paths[name]
            blocks = (self._next() for _ in range(0, size, BLOCK))
            if path == self._keeps and path.exists():
                for _ in blocks:
                    pass
                continue
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                for block in blocks:
                    write_all(file, block)
        _core.send_to_site(self._source, b"")

    def _next(self) -> bytes:
        message = _next_from(self._source)
        _core.send_to_site(self._source, b"")
        return message


def _next_from(site: int) -> bytes:
    while (message := _core.take_from_site(site)) is None:
        time.sleep(BETWEEN_LOOKS)
    return message
