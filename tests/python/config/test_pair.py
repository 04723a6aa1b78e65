"""The section of a pair potential of one's own, and runs with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import trellis as tr
from trellis import config
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint

FILE = """
[ic]
model = "plummer"
particles = 300
seed = 3

[pair]
potential = "-exp(-sqrt(r**2 + e**2) / length) / sqrt(r**2 + e**2)"
parameters = {{ e = 0.05, length = 0.5 }}
source = "mass"
accuracy = 1e-4

[run]
output = "{output}"
timestep = 0.01
until = 0.1
snapshot_every = 0.1
"""


@pytest.fixture
def screened(tmp_path: Path) -> Path:
    path = tmp_path / "screened.toml"
    path.write_text(FILE.format(output=tmp_path / "run"))
    return path


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ('pair.potential="foo(r)"', "'pair' is wrong: the potential 'foo(r)' calls foo: known are"),
        ("pair.skin=0.1", "'pair' is wrong: pair_potential, a force of long range, has no 'skin'"),
        ("pair.accuracy=2.0", "'pair.accuracy' is 2.0, but must be below 1.0"),
        ('pair.source=""', "'pair' is wrong: a pair potential without a cutoff acts by whole cells"),
        ("pair.parameters={e=0.1}", "'pair' is wrong: pair_potential is not given length, which has no default"),
        ("pair.parameters={e=0.1, length=inf}", "must be a finite number"),
        ("pair.parameters={e=0.1, length=1.0, cutoff=2.0}", "cutoff among its parameters: give it as 'pair.cutoff'"),
        ("pair.cutoff=-1.0", "'pair.cutoff' is -1.0, but must be above 0.0"),
        ('pair.method="fm"', "'pair.method' is 'fm', but must be 'tree' or 'fmm'"),
        ('pair.truncation="shifted"', "'pair.truncation' is 'shifted', but must be"),
        ('pair.source="spin"', "'pair.source' is 'spin', but must be"),
        ("thermostat.method=langevin", "missing are 'thermostat.temperature' (temperature, as an energy k T) and"),
    ],
)
def test_mistakes_are_said_in_one_sentence(screened: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(screened, [change])
    assert sentence in str(error.value)


@settings(deadline=None)  # a busy machine takes its time
@given(length=st.floats(0.01, 1e6), cutoff=st.none() | st.floats(0.1, 1e3), order=st.none() | st.integers(2, 5))
def test_sections_survive_being_written_and_read(
    tmp_path_factory: pytest.TempPathFactory, length: float, cutoff: float | None, order: int | None
) -> None:
    path = tmp_path_factory.mktemp("toml") / "a.toml"
    path.write_text(FILE.format(output="x"))
    pair = config.RunFile.model_fields["pair"].annotation.__args__[0](  # type: ignore[union-attr]
        potential="exp(-r / length) / r",
        parameters={"length": length},
        source="charge",
        cutoff=cutoff,
        order=order if cutoff is None else None,
    )
    file = load(path).model_copy(update={"pair": pair})
    path.write_text(file.to_toml())
    assert load(path) == file


def test_a_run_is_that_of_the_same_force_in_python(screened: Path, tmp_path: Path, trellis: Command) -> None:
    ended = trellis("run", screened)
    assert ended.returncode == 0, ended.stderr
    force = tr.pair_potential(
        "-exp(-sqrt(r**2 + e**2) / length) / sqrt(r**2 + e**2)", source="mass", e=0.05, length=0.5, accuracy=1e-4
    )
    sim = tr.Simulation(tr.ic.plummer(300, seed=3), [force], timestep=0.01)
    sim.run(until=0.1)
    kept = read_checkpoint(tmp_path / "run" / "checkpoint.hdf5").particles
    assert (kept.position == sim.particles.position).all()
    again = trellis("run", screened, "--resume", "--set", "run.until=0.2", "--change", "pair.accuracy=1e-3")
    assert again.returncode == 0, again.stderr
    other = trellis("run", screened, "--resume", "--set", "run.until=0.3", "--change", "pair.source=charge")
    assert other.returncode == 2
    assert "--change pair.source: it stays what it was when the run was begun" in other.stderr


def test_a_check_names_the_force(screened: Path, trellis: Command) -> None:
    shown = trellis("check", screened)
    assert shown.returncode == 0, shown.stderr
    assert "pair_potential: " in shown.stdout
    assert "accuracy = 0.0001" in shown.stdout


R = np.sqrt(np.linspace(0.64, 6.25, 800))
ATOMS = """
[ic]
model = "lennard-jones"
particles = 256
density = 0.8
temperature = 1.0

[pair]
table = "lj.txt"
cutoff = 2.5

[run]
timestep = 0.002
until = 0.04
snapshot_every = 0.02
"""


@pytest.fixture
def tabulated(tmp_path: Path) -> Path:
    write_table(tmp_path / "lj.txt", 4 * (R**-12 - R**-6))
    path = tmp_path / "lj.toml"
    path.write_text(f'{ATOMS}output = "{tmp_path / "run"}"\n')
    return path


def write_table(path: Path, energies: NDArray[np.float64]) -> None:
    lines = [f"{r:.17g} {u:.17g}  # {k}" for k, (r, u) in enumerate(zip(R, energies, strict=True))]
    path.write_text("\n".join(["# r and u", *lines]))


def test_a_run_by_a_table_goes_on_with_the_same_table_alone(tabulated: Path, trellis: Command) -> None:
    ended = trellis("run", tabulated)
    assert ended.returncode == 0, ended.stderr
    force = tr.pair_potential(tr.table(R, 4 * (R**-12 - R**-6)), cutoff=2.5)
    sim = tr.Simulation(tr.ic.lennard_jones(256, density=0.8, temperature=1.0), [force], timestep=0.002)
    sim.run(until=0.04)
    kept = read_checkpoint(tabulated.parent / "run" / "checkpoint.hdf5").particles
    assert (kept.position == sim.particles.position).all()
    more = ["--resume", "--set", "run.until=0.08"]
    write_table(tabulated.parent / "lj.txt", 2 * (R**-12 - R**-6))
    other = trellis("run", tabulated, *more)
    assert other.returncode == 2
    assert "'pair.checksum' was" in other.stderr
    write_table(tabulated.parent / "lj.txt", 4 * (R**-12 - R**-6))
    assert "pair_potential: " in trellis("check", tabulated, *more).stdout
    assert trellis("run", tabulated, *more).returncode == 0
    sim.run(until=0.08)
    kept = read_checkpoint(tabulated.parent / "run" / "checkpoint.hdf5").particles
    assert (kept.position == sim.particles.position).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("pair.potential=1 / r**6", "'pair' must have one of potential and table"),
        ("pair.table=none.txt", "'pair.table' is wrong: there is no file '"),
        ("pair.cutoff=3.0", "'pair' is wrong: cutoff of pair_potential is 3, but its table ends at 2.5"),
        ("pair.checksum=abc", "'pair.checksum' is 'abc', but the numbers in '"),
        ("pair.parameters={a=1}", "'pair' is wrong: pair_potential, a force of short range, has no 'a'"),
    ],
)
def test_mistakes_of_a_table_are_said_in_one_sentence(tabulated: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(tabulated, [change])
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("1 2\n1.5 2 3\n", "line 2 is '1.5 2 3', but must be a distance and an energy"),
        ("1 2\n\n1.5 inf\n", "line 3 is '1.5 inf', but must be a distance and an energy"),
        ("1 x\n", "line 1 is '1 x', but must be a distance and an energy"),
        ("", "is empty, but must have a distance and an energy on each line"),
        ("1 0\n2 0\n3 0\n", "'pair.table' is wrong: a table has 3 r and 3 values"),
        ("1 0\n2 0\n3 0\n5 0\n6 0\n", "'pair.table' is wrong: r of a table is uniform neither itself nor"),
    ],
)
def test_files_without_a_table_are_refused_with_their_line(tabulated: Path, content: str, sentence: str) -> None:
    (tabulated.parent / "lj.txt").write_text(content)
    with pytest.raises(InputError) as error:
        load(tabulated)
    assert sentence in str(error.value)
