"""The run that a case disturbs: its parameters, its folder, and the processes that it takes, one after another."""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from conftest import MPI, contents, logged_lines

KINDS = {
    "gravity": """
[ic]
model = "sphere"
particles = 200
virial_ratio = 0.3
[gravity]
softening = 0.05
lists = "reuse"
[run]
until = 0.8
timestep = 0.02
snapshot_every = 0.2
""",
    "gas": """
[ic]
model = "evrard"
particles = 200
[gravity]
softening = 0.05
[sph]
[run]
until = 0.6
snapshot_every = 0.2
""",
    "molecules": """
[ic]
model = "lennard-jones"
particles = 500
temperature = 1.0
[lennard_jones]
[thermostat]
method = "langevin"
temperature = 1.0
relaxation_time = 2.0
[run]
until = 0.2
timestep = 0.002
snapshot_every = 0.05
""",
}
PART = re.compile(r"checkpoint\.\d+\.(\d+\.hdf5)")
PATIENCE = 300.0  # seconds after which a process counts as one that hangs


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it printed."""

    code: int
    output: str
    errors: str


@dataclass
class DisturbedRun:
    """A run, and what has happened to it.

    Attributes
    ----------
    place : Path
        Where its parameter file and its folder are.
    kind : str
        Its parameters, of `KINDS`.
    ranks : int
        Its ranks; with several it writes as many files.
    checkpoint_every : float, optional
        The parameter; its default if not given.
    reference : Path
        Folder of the same run that nothing disturbed.
    draw : random.Random
        What all that is random is drawn from.
    story : list of str
        What has happened so far.
    more : str
        Further lines of its section [run].
    """

    place: Path
    kind: str
    ranks: int
    checkpoint_every: float | None
    reference: Path
    draw: random.Random
    story: list[str] = field(default_factory=list)
    more: str = ""

    def __post_init__(self) -> None:
        self.folder = self.place / "out"
        self._started: list[Process] = []
        self.file = parameter_file(self.place, self.kind, self.ranks, self.checkpoint_every, self.more)

    @property
    def steps(self) -> int:
        """Steps of the whole run."""
        return logged_lines(self.reference) - 1

    def how_to_go_on(self) -> list[str]:
        """As the job script in docs/reliability.md decides."""
        return ["--resume"] if (self.folder / "parameters.toml").exists() else []

    def start(self, how: list[str] | None = None, *, largest_file: int = resource.RLIM_INFINITY) -> Process:
        """Start a process, with options or as the run has to go on, and with a limit that stands for a full disk."""
        how = self.how_to_go_on() if how is None else how
        self.story.append(f"starts {' '.join(how) or 'from the start'}")
        self._started.append(Process(self, command(self.file, self.ranks, how), largest_file))
        return self._started[-1]

    def end_all(self) -> None:
        """End the processes that a fault which did not go as expected has left."""
        for process in self._started:
            if process.alive():
                for each in (*process.processes(), process.popen.pid):
                    os.kill(each, signal.SIGKILL)
                process.popen.communicate()

    def checkpoints(self) -> list[Path]:
        """Return the files of the checkpoint that are there."""
        return sorted(self.folder.glob("checkpoint*.hdf5"))


def unbroken(place: Path, kind: str, ranks: int, more: str = "") -> Path:
    """Do a run that nothing disturbs; return its folder."""
    file = parameter_file(place, kind, ranks, None, more)
    subprocess.run(command(file, ranks, []), env=environment(ranks), capture_output=True, check=True)
    return place / "out"


def parameter_file(place: Path, kind: str, ranks: int, checkpoint_every: float | None, more: str) -> Path:
    """Write the parameters of a run into a folder of their own."""
    place.mkdir(parents=True)
    text = KINDS[kind] + f'output = "{place / "out"}"\nfiles = {ranks}\n{more}'
    if checkpoint_every is not None:
        text += f"checkpoint_every = {checkpoint_every}\n"
    (place / "run.toml").write_text(text)
    return place / "run.toml"


def command(file: Path, ranks: int, options: list[str]) -> list[str]:
    """Return the command line of a run."""
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    return [*launcher, sys.executable, "-m", "trellis", "run", str(file), *options]


def environment(ranks: int) -> dict[str, str]:
    """Return the environment of a run."""
    return {**os.environ, **(MPI if ranks > 1 else {}), "NO_COLOR": "1", "COLUMNS": "200"}


def written(folder: Path) -> dict[str, object]:
    """Return the content of a run's files, but for the number that the parts of a checkpoint have in their names."""
    found = {PART.sub(r"checkpoint.*.\1", name): content for name, content in contents(folder).items()}
    head = found.get("checkpoint.hdf5")
    if head is not None:
        head[1].pop("ranks/parts")
    return found


class Process:
    """A process of a run; on several ranks, mpirun."""

    def __init__(self, run: DisturbedRun, started: list[str], largest_file: int) -> None:
        self.run = run
        self._former_log = self._log()
        self._since = time.time()
        self.popen = subprocess.Popen(
            started,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(run.ranks),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY)),
        )

    def _log(self) -> int | None:
        """Return what tells a log from that of the process before."""
        try:
            return (self.run.folder / "energy.csv").stat().st_ino
        except FileNotFoundError:
            return None

    def alive(self) -> bool:
        return self.popen.poll() is None

    def processes(self) -> list[int]:
        """Return the processes that compute: its ranks."""
        if self.run.ranks == 1:
            return [self.popen.pid]
        try:
            children = Path(f"/proc/{self.popen.pid}/task/{self.popen.pid}/children").read_text()
        except FileNotFoundError:
            return []
        return [int(rank) for rank in children.split()]

    def wait(self, reached: Callable[[], bool]) -> bool:
        """Wait for something, or for the end of the process; whether it came to pass."""
        end = time.monotonic() + PATIENCE
        while self.alive():
            if reached():
                return True
            assert time.monotonic() < end, "the run hangs"
            time.sleep(0.0005)
        return False

    def logged(self, lines: int) -> bool:
        """Return whether this process's log has at least `lines` lines."""
        return self._log() not in (None, self._former_log) and logged_lines(self.run.folder) >= lines

    def writes(self, name: str) -> bool:
        """Whether this process has such a file under its temporary name."""
        try:
            return any(path.stat().st_mtime >= self._since for path in self.run.folder.glob(f".{name}*.part"))
        except FileNotFoundError:
            return False

    def ended(self) -> Ended:
        """Wait for its end."""
        output, errors = self.popen.communicate(timeout=PATIENCE)
        self.run.story.append(f"  ended with {self.popen.returncode}")
        return Ended(self.popen.returncode, output, errors)
