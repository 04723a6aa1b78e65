"""The section of a pair potential of one's own, and runs with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given, settings
from hypothesis import strategies as st

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
        ("pair.cutoff=-1.0", "'pair.cutoff' is -1.0, but must be above 0.0"),
        ('pair.method="fm"', "'pair.method' is 'fm', but must be 'tree' or 'fmm'"),
        ('pair.truncation="shifted"', "'pair.truncation' is 'shifted', but must be"),
        ('pair.source="spin"', "'pair.source' is 'spin', but must be"),
        ("thermostat.method=langevin", "'thermostat.temperature' is missing"),
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
