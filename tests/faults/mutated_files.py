"""Run files in which something was changed at random: each ends in a run or in one sentence, never in a traceback.

    python tests/faults/mutated_files.py --count 2000 --seed 1

A case takes an example, changes one to three things in it (a value, a key, a section, some bytes of the text), and
begins the run with few particles: it is read, its particles and forces are made, and two steps are taken.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import tomlkit

from trellis.config import load
from trellis.errors import InputError, RunError
from trellis.run.simulation_run import SimulationRun
from trellis.simulation import Simulation

EXAMPLES = {
    "sphere": """
[ic]
model = "plummer"
particles = 64
[gravity]
softening = 0.1
[run]
until = 0.1
timestep = 0.01
snapshot_every = 0.1
output = "out"
[snapshots]
columns = ["velocity"]
fraction = 0.9
""",
    "atoms": """
[ic]
model = "lennard-jones"
particles = 108
[lennard_jones]
cutoff = 2.0
[thermostat]
method = "langevin"
temperature = 1.0
friction = 1.0
[run]
until = 0.01
timestep = 0.001
snapshot_times = [0.005, 0.01]
output = "out"
""",
    "gas": """
[ic]
model = "evrard"
particles = 200
[gravity]
softening = 0.1
[sph]
neighbours = 30
[run]
until = "0.1"
snapshot_every = 0.1
output = "out"
""",
    "space": """
[ic]
model = "cosmology"
particles = 64
box = 50000.0
redshift = 9.0
[cosmology]
omega_m = 0.3
sigma_8 = 0.8
n_s = 0.96
h = 0.7
omega_b = 0.05
steps = 3
[gravity]
softening = 100.0
[run]
until = 0.2
snapshot_redshifts = [5, 4]
output = "out"
""",
    "fields": """
[ic]
model = "sphere"
particles = 50
virial_ratio = 0.5
[units]
length = "1 kpc"
mass = "1e10 Msun"
[[external]]
model = "point-mass"
mass = 3.0
softening = "10 pc"
[[external]]
model = "harmonic"
[run]
until = "0.01 Gyr"
timestep = "1 Myr"
snapshot_steps = 2
checkpoint_every = "10 min"
output = "out"
""",
}
"""Texts of files, by name."""

VALUES: Sequence[Any] = (
    *(0, -1, 1, 3, 2**31, 2**63 - 1, 10**30, -(2**63), 1e-308, 5e-324, 1e308, -1e-300, 0.0, -0.0, 1e9, 0.5, 1e-9),
    *(float("nan"), float("inf"), -float("inf"), True, False, "", "a", "nan", "1e-308", "1 kpc", "-3 Myr", "1e400 s"),
    *("x" * 300, "\x00", "0/0", "plummer", "../..", "~none", "ü", [], [[]], [1], [1, "a"], [-1.0, float("nan")]),
    *([[1, 2], [3, 4]], {}, {"a": 1}, {"model": []}, {"method": {}}, [{}], "1979-05-27", [1e308, 1e308]),
)
"""Values that a key is given, whatever it means."""

NAMES = ("model", "method", "particles", "seed", "box", "G", "softening", "theta", "accuracy", "until", "timestep", "x")
SECTIONS = (
    "ic",
    "gravity",
    "run",
    "cosmology",
    "sph",
    "external",
    "thermostat",
    "snapshots",
    "sites",
    "units",
    "coulomb",
)
MOST = 512  # particles that are made
LONGEST = 10  # seconds of a case


class TooLongError(Exception):
    """A case takes more than its time: steps that are very many or very short, say."""


def mutated(seed: int) -> str:
    """Return the text of a file."""
    draw = random.Random(seed)
    content: Any = tomlkit.parse(draw.choice(list(EXAMPLES.values()))).unwrap()
    for _ in range(draw.choice((1, 1, 2, 3))):
        name = draw.choice(list(content) or ["ic"])
        section = content.get(name)
        section = draw.choice(section) if isinstance(section, list) and section else section
        key = draw.choice(list(section)) if isinstance(section, dict) and section else None
        what = draw.choice(("value", "value", "scale", "scale", "scale", "key", "move", "without", "section", "lost"))
        if what == "value" and key:
            section[key] = draw.choice(VALUES)
        elif what == "scale" and key and isinstance(section[key], float):
            section[key] *= draw.choice((-1.0, 0.5, 3.0)) * 10.0 ** draw.choice((-300, -30, -9, -3, 0, 0, 0, 3, 9, 200))
        elif what == "key" and isinstance(section, dict):
            section[draw.choice(NAMES)] = draw.choice(VALUES)
        elif what == "move" and key:
            content[draw.choice(SECTIONS)] = {key: section[key]}
        elif what == "without" and key:
            del section[key]
        elif what == "section":
            content[draw.choice(SECTIONS)] = draw.choice(VALUES)
        elif what == "lost":
            content.pop(name, None)
    text = tomlkit.dumps(content)
    if draw.random() < 0.15:
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(("", "\n", "[", '"', "=", "\x7f", "]]", "é")) + text[at + draw.randint(0, 3) :]
    return text


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise `TooLongError` after some seconds."""

    def end(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def begin(path: Path) -> Simulation | None:
    """Begin a run of a file as ``trellis run`` does, and take two steps; None of one with many particles or copies."""
    file = load(path)
    if file.ic is not None and file.ic.particles > MOST:
        return None
    if file.replica_exchange is not None or file.sites is not None:
        return None
    run = SimulationRun(file, overwrite=True)
    run.simulation.energies()
    for _ in range(2):
        run.simulation.step()
    return run.simulation


def failure(seed: int, folder: Path) -> str:
    """Return what is wrong with a case: a traceback, or a sentence that is not one; empty if nothing is."""
    path = folder / "run.toml"
    path.write_text(mutated(seed))
    try:
        with chdir(folder), warnings.catch_warnings(), limited(LONGEST):
            warnings.simplefilter("ignore")
            begin(path)
    except (InputError, RunError) as error:
        sentence = str(error)
        return "" if sentence and "\n" not in sentence.strip() else f"not a sentence: {sentence!r}"
    except (TooLongError, MemoryError):
        return ""
    except Exception:
        return traceback.format_exc()
    return ""


def main() -> None:
    """Print each case that fails."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--count", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(given.seed, given.seed + given.count):
            why = failure(seed, Path(folder))
            if why:
                wrong += 1
                print(f"seed {seed}:\n{mutated(seed)}\n{why}", flush=True)
    print(f"{given.count} files, {wrong} of them end in something else than a run or a sentence")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
