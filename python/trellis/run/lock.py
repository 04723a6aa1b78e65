"""The lock of an output folder: one run at a time writes to it."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from trellis.errors import InputError, RunError, reading, writing
from trellis.parallel.sites import on_site_firsts

BEAT = 30.0  # seconds between signs of life
STALE = 300.0  # seconds without one after which a run counts as dead


@dataclass(frozen=True)
class Holder:
    """The run that holds a lock.

    Attributes
    ----------
    host, process : str, int
        Where its first rank runs.
    kernel : str
        The boot of its host, and the processes that it sees: hosts may share a name, and containers a host.
    since : str
        When it took the lock.
    heartbeat : int
        Its last sign of life by its own clock, in seconds since 1970. What counts is when the file was changed last, by
        the clock of its file system: clocks of machines differ.
    """

    host: str
    process: int
    kernel: str
    since: str
    heartbeat: int

    @classmethod
    def here(cls) -> Holder:
        """Return this process, now."""
        now = datetime.now(timezone.utc)
        return cls(socket.gethostname(), os.getpid(), _kernel(), now.isoformat(sep=" "), int(now.timestamp()))

    def is_run_of(self, other: Holder) -> bool:
        """Return whether both are the same run."""
        return replace(self, heartbeat=other.heartbeat) == other

    def gone(self, silent: float) -> bool:
        """Return whether the run has ended without a word: known at once on its host, elsewhere by its silence.

        Parameters
        ----------
        silent : float
            Seconds since its last sign of life.
        """
        here = (self.host, self.kernel) == (socket.gethostname(), _kernel())
        return (here and not _exists(self.process)) or silent > STALE

    def line(self) -> bytes:
        """Return the content of its lock, always as long."""
        return json.dumps(asdict(self)).encode() + b"\n"

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}, since {self.since[:19]} UTC"


class RunLock:
    """A file that exists while a run writes to its folder; within this context the run holds it.

    Of several ranks, which make the same calls, the first of each site holds that of its folder, and shows every half
    minute that it lives.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own: Holder | None = None
        self._ended = threading.Event()

    def check_free(self) -> None:
        """Raise a ValueError if another run holds the lock."""
        with reading(self._path):
            holder = _read(self._path)
        silent = 0.0 if holder is None else _silence(self._path)
        if holder is not None and not holder.gone(silent):
            raise InputError(
                f"a run is under way in '{self._path.parent}' ({holder}, last sign of life {silent:.0f} s ago): wait"
                " for its end or stop it there, or choose another folder with --set run.output=...; if its machine has"
                f" failed, the folder is free {STALE / 60:g} minutes after its last sign of life"
            )

    def check_held(self) -> None:
        """Raise a RuntimeError if another run has taken the lock over, since this one stood still for too long."""
        with writing(self._path):
            held = self._is_own()
        if not held:
            raise RunError(
                f"'{self._path}' is no longer that of this run, which stood still for more than {STALE / 60:g} minutes"
                " so that another took the folder over, unless the file was deleted by hand: this run has ended and"
                " written nothing more"
            )

    def __enter__(self) -> RunLock:
        on_site_firsts(self._take)
        if self._own is not None:
            threading.Thread(target=self._show_life, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        with suppress(OSError):
            if self._is_own():
                self._path.unlink()

    def _take(self) -> None:
        own = Holder.here()
        with writing(self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                _create(self._path, own)
            except FileExistsError:
                self.check_free()
                self._take_over(own)
            self._own = own
            if not self._is_own():
                raise InputError(_at_once(self._path))

    def _take_over(self, own: Holder) -> None:
        """Replace the lock of a run that is gone; of several runs that try it, one makes the file that does."""
        claim = self._path.with_name(f".{self._path.name}.claim")
        left_behind = _read(claim)
        if left_behind is not None and left_behind.gone(_silence(claim)):
            claim.unlink(missing_ok=True)
        try:
            _create(claim, own)
        except FileExistsError:
            raise InputError(_at_once(self._path)) from None
        try:
            self.check_free()  # another may have taken it over in the meantime
            claim.replace(self._path)
        finally:
            claim.unlink(missing_ok=True)

    def _is_own(self) -> bool:
        holder = None if self._own is None else _read(self._path)
        return self._own is not None and holder is not None and holder.is_run_of(self._own)

    def _show_life(self) -> None:
        while not self._ended.wait(BEAT):
            with suppress(OSError):  # a file system that is away for a moment
                self._beat()

    def _beat(self) -> None:
        with self._path.open("r+b", buffering=0) as file:
            holder = _parsed(file.read())
            if holder is not None and self._own is not None and holder.is_run_of(self._own):
                file.seek(0)
                file.write(replace(holder, heartbeat=int(time.time())).line())


def _create(path: Path, holder: Holder) -> None:
    with path.open("xb", buffering=0) as file:
        file.write(holder.line())


def _read(path: Path) -> Holder | None:
    """Return who holds a lock, if it is there; one without content is just being made."""
    try:
        content, changed = path.read_bytes(), int(path.stat().st_mtime)
    except (FileNotFoundError, NotADirectoryError):
        return None
    began = datetime.fromtimestamp(changed, timezone.utc).isoformat(sep=" ")
    return _parsed(content) or Holder("an unknown host", 0, "", began, changed)


def _silence(path: Path) -> float:
    """Return the seconds since a lock was changed last, by the clock of its file system, which dates a new file there.

    By this machine's clock where no file can be made.
    """
    probe = path.with_name(f".run.lock.{os.getpid()}.part")
    try:
        probe.write_bytes(b"now")
        now = probe.stat().st_mtime
        probe.unlink()
    except OSError:
        now = time.time()
    try:
        return max(0.0, now - path.stat().st_mtime)
    except OSError:  # it has gone in the meantime
        return 0.0


def _parsed(content: bytes) -> Holder | None:
    try:
        found = Holder(**json.loads(content))
    except (RecursionError, TypeError, ValueError):
        return None
    numbers = all(type(each) is int and 0 <= each < 2**53 for each in (found.process, found.heartbeat))
    texts = (found.host, found.kernel, found.since)
    return found if numbers and all(isinstance(text, str) for text in texts) else None


def _kernel() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # some containers hide them: the host's name has to do
        return ""


def _exists(process: int) -> bool:
    """Return whether a process of this host runs; a dead one for which its parent has not waited does not."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (ProcessLookupError, FileNotFoundError):
        return False
    except PermissionError:  # of another user
        return True
    except OverflowError:  # a number that no process has
        return False


def _at_once(path: Path) -> str:
    return f"another run is beginning in '{path.parent}' at the same moment: choose another folder for this one"
