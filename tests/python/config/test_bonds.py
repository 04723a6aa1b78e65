"""Tables of bonds, angles and dihedrals in a run file, and runs with them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command
from numpy.typing import NDArray

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.io import read_checkpoint

CHAINS, BEADS = 8, 10
CUTOFF = 2 ** (1 / 6)
FILE = f"""
initial_conditions = "melt.hdf5"

[lennard_jones]
cutoff = {CUTOFF}
truncation = "energy-shifted"
exclude = [[0, 79, 0.5]]

[[bonds]]
potential = "harmonic"
parameters = {{ k = 200, length = 1.0 }}
chains_of = 10
exclude = true

[[bonds]]
potential = "k * (1 + cos(theta))"
parameters = {{ k = 2.0 }}
file = "angles.txt"

[run]
timestep = 0.002
until = 0.1
snapshot_every = 0.1
"""
ANGLES = np.array([[k, k + 1, k + 2] for k in range(20)])


def melt(first: int = 0) -> tr.ParticleSet:
    """Return chains along x in a periodic box, with velocities; ids begin at `first`."""
    chain, bead = np.divmod(np.arange(CHAINS * BEADS), BEADS)
    positions = np.stack([bead * 1.0, chain % 4 * 1.3, chain // 4 * 1.3], axis=1)
    random = np.random.default_rng(1)
    beads = tr.ParticleSet.from_columns(
        position=positions + random.uniform(-0.05, 0.05, positions.shape),
        mass=np.ones(len(bead)),
        id=first + np.arange(len(bead)),
        box=[BEADS * 1.1, 5.2, 5.2],
    )
    beads.velocity[:] = random.normal(size=(len(bead), 3))
    return beads


def bonds(first: int = 0) -> NDArray[np.int64]:
    pairs = [pair for k in range(CHAINS) for pair in pairwise(range(k * BEADS, (k + 1) * BEADS))]
    return np.array(pairs) + first


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    path = tmp_path / "melt.toml"
    path.write_text(FILE.replace("[run]", f'[run]\noutput = "{tmp_path / "run"}"'))
    write_start(tmp_path)
    return path


def write_start(folder: Path, first: int = 0) -> None:
    lines = [" ".join(map(str, row)) for row in ANGLES + first]
    (folder / "angles.txt").write_text("\n".join(["# bent", *lines, ""]))
    tr.io.write_snapshot(folder / "melt.hdf5", melt(first))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("bonds.0.potential=fenne", "'bonds.0.potential' is 'fenne', but must be harmonic, fene, cosine-angle,"),
        ("bonds.0.potential=r * theta", "or an expression of one of r, theta, phi"),
        ("bonds.0.potential=(r", "or an expression of one of r, theta, phi"),
        ("bonds.1.potential=k * foo(theta)", "'bonds.1' is wrong: the potential 'k * foo(theta)' calls foo: known are"),
        ("bonds.0.potential=q * r", "'bonds.0' is wrong: bond_potential of 'q * r' has no 'k': known are q"),
        ("bonds.0.parameters={k=3}", "'bonds.0' has no parameters.length, which harmonic needs"),
        ("bonds.0.parameters={k=3, length=1, q=2}", "'bonds.0' has parameters.q, which harmonic has not: known are k"),
        ("bonds.0.parameters={k=inf}", "'bonds.0.parameters.k' is inf, but must be a finite number"),
        ("bonds.0.chains_of=1", "'bonds.0.chains_of' is 1, but must be at least 2"),
        ("bonds.0.file=angles.txt", "'bonds.0.file' is wrong: there is no file '"),
        ("bonds.0.exclude=1", "'bonds.0.exclude' is 1, but must be true or false"),
        ("bonds.1.chains_of=10", "'bonds.1' must have one of file and chains_of"),
        ("bonds.1.potential=r", "angles.txt': line 2 is '0 1 2', but must be 2 ids"),
        ("bonds.1.checksum=0", "'bonds.1.checksum' is 0, but must be text in quotes"),
        ("bonds.1.checksum=abc", "'bonds.1.checksum' is 'abc', but the numbers in '"),
        ("bonds=3", "'bonds' must be one or several tables, [[bonds]]"),
        ("bonds.2.potential=r", "there is no bonds.2: the tables [[bonds]] of the file count from 0"),
    ],
)
def test_mistakes_are_said_in_one_sentence(run_file: Path, change: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        load(run_file, [change])
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", "0 1 2\n3 4\n", "line 2 is '3 4', but must be 3 ids"),
        ("a.txt", "0 1 2.5\n", "line 1 is '0 1 2.5', but must be 3 ids"),
        ("a.txt", "0 1 -2\n", "line 1 is '0 1 -2', but must be 3 ids"),
        ("a.txt", f"0 1 {2**63}\n", "line 1 is '0 1 9223372036854775808', but must be 3 ids"),
        ("a.txt", "# none\n", "is empty, but must have 3 ids on each line"),
        ("a.txt", "0 1 1\n", "'bonds.1' is wrong: row 0 of triples has particle 1 twice"),
        ("a.txt", b"\xff\xfe\x00", "is not a text file, but must have 3 ids on each line"),
        ("a.npy", "0 1 2\n", "is no file of NumPy"),
        (
            "a.npy",
            np.zeros((4, 2), dtype=int),
            "has an array of int64 of shape (4, 2), but must have 3 ids in each row",
        ),
        ("a.npy", np.zeros((4, 3)), "has an array of float64 of shape (4, 3), but must have 3 ids in each row"),
        ("a.npy", np.array([[0, 1, 2], [3, -1, 4]]), "row 1 is [3, -1, 4], but must be 3 ids"),
    ],
)
def test_files_without_tuples_are_refused_with_their_line(
    run_file: Path, name: str, content: Any, sentence: str
) -> None:
    path = run_file.parent / name
    if isinstance(content, np.ndarray):
        np.save(path, content)
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        load(run_file, [f"bonds.1.file={path}"])
    assert sentence in str(error.value)


def test_excluding_bonds_need_a_force_that_can_leave_them_out(run_file: Path) -> None:
    run_file.write_text(run_file.read_text().replace("[lennard_jones]", "[gravity]").replace("cutoff", "#cutoff"))
    text = "\n".join(
        line for line in run_file.read_text().splitlines() if not line.startswith(("trunc", "exclude = ["))
    )
    run_file.write_text(text)
    with pytest.raises(InputError, match=r"'bonds.0.exclude' is true, but needs a section \[lennard_jones\]"):
        load(run_file)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("cosmology.omega_m=0.3", "[bonds] does not go with [cosmology]: expanding space knows gravity alone"),
    ],
)
def test_bonds_are_refused_where_they_would_not_act(run_file: Path, change: str, sentence: str) -> None:
    text = run_file.read_text()
    begin, end = text.index("[lennard_jones]"), text.index("[[bonds]]")
    text = text[:begin] + text[end:].replace("exclude = true", "")
    run_file.write_text(text)
    with pytest.raises(InputError) as error:
        load(run_file, [change])
    assert sentence in str(error.value)


def test_sections_survive_being_written_and_read(run_file: Path) -> None:
    file = load(run_file)
    again = run_file.parent / "again.toml"
    again.write_text(file.to_toml())
    assert load(again) == file
    np.save(run_file.parent / "angles.npy", ANGLES)  # the same tuples have the same checksum
    other = load(run_file, [f"bonds.1.file={run_file.parent / 'angles.npy'}"])
    assert other.bonds[1].checksum == file.bonds[1].checksum
    assert len(str(file.bonds[1].checksum)) == 16


@pytest.mark.parametrize("first", [0, 1])
def test_a_run_is_that_of_the_same_forces_in_python(run_file: Path, trellis: Command, first: int) -> None:
    write_start(run_file.parent, first)
    ended = trellis("run", run_file, "--set", f"lennard_jones.exclude=[[{first}, {first + 79}, 0.5]]")
    assert ended.returncode == 0, ended.stderr
    left_out = [[*pair, 0.0] for pair in bonds(first)] + [[first, first + 79, 0.5]]
    forces = [
        tr.LennardJones(cutoff=CUTOFF, truncation="energy-shifted", exclude=np.array(left_out)),
        tr.HarmonicBonds(bonds(first), k=200, length=1),
        tr.angle_potential("k * (1 + cos(theta))", triples=ANGLES + first, k=2.0),
    ]
    sim = tr.Simulation(melt(first), forces, timestep=0.002)
    sim.run(until=0.1)
    assert np.array_equal(end_of(run_file), sim.particles.position)
    heading = (run_file.parent / "run" / "energy.csv").read_text().partition("\n")[0]
    assert heading.endswith(",temperature,pressure")


def end_of(run_file: Path) -> NDArray[np.float64]:
    kept = read_checkpoint(run_file.parent / "run" / "checkpoint.hdf5").particles
    return np.asarray(kept.position[np.argsort(kept.id)])


def test_a_run_goes_on_bit_for_bit_with_the_same_tuples_and_with_no_others(run_file: Path, trellis: Command) -> None:
    folder = run_file.parent
    assert trellis("run", run_file, "--set", "run.until=0.2").returncode == 0
    whole = end_of(run_file)
    assert trellis("run", run_file, "--overwrite").returncode == 0
    angles = (folder / "angles.txt").read_text()
    (folder / "angles.txt").write_text(angles.replace("3 4 5", "5 4 6"))
    other = trellis("run", run_file, "--resume", "--set", "run.until=0.2")
    assert other.returncode == 2
    assert "cannot resume" in other.stderr
    assert "'bonds.1.checksum' was" in other.stderr
    (folder / "moved").mkdir()
    (folder / "moved" / "angles.txt").write_text(angles)  # the file may have another place
    moved = f"bonds.1.file={folder / 'moved' / 'angles.txt'}"
    resumed = trellis("run", run_file, "--resume", "--set", "run.until=0.2", "--set", moved)
    assert resumed.returncode == 0, resumed.stderr
    assert np.array_equal(end_of(run_file), whole)


def test_ranks_make_the_same_run(run_file: Path, mpirun: Command, trellis: Command) -> None:
    assert trellis("run", run_file).returncode == 0
    alone = end_of(run_file)
    ended = mpirun(2, "-m", "trellis", "run", run_file, "--overwrite")
    assert ended.returncode == 0, ended.stderr
    assert np.abs(end_of(run_file) - alone).max() < 1e-5  # [lennard_jones] in single precision


def test_a_check_says_which_tuples_there_are(run_file: Path, trellis: Command) -> None:
    shown = trellis("check", run_file)
    assert shown.returncode == 0, shown.stderr
    assert "HarmonicBonds: pairs = 72, k = 200, length = 1" in shown.stdout
    assert "BondedForce: potential = 'k * (1 + cos(theta))', triples = 20, k = 2" in shown.stdout
    assert "exclude = 73 pairs" in shown.stdout
    assert "80, reduced units" in shown.stdout
    wrong = trellis("check", run_file, "--set", "bonds.0.chains_of=7")
    assert wrong.returncode == 2
    assert "'bonds.0.chains_of' is 7, but 80 particles are no whole number of such chains" in wrong.stderr


def test_a_pair_potential_leaves_bonded_pairs_out(run_file: Path, trellis: Command) -> None:
    wca = "4 * ((1 / r)**12 - (1 / r)**6)"
    own = "\n".join(["[pair]", f'potential = "{wca}"', f"cutoff = {CUTOFF}", 'truncation = "energy-shifted"'])
    text = run_file.read_text()
    begin, end = text.index("[lennard_jones]"), text.index("[[bonds]]")
    run_file.write_text(f"{text[:begin]}{own}\n\n{text[end:]}")
    assert trellis("run", run_file).returncode == 0
    forces = [
        tr.pair_potential(wca, cutoff=CUTOFF, truncation="energy-shifted", exclude=bonds()),
        tr.HarmonicBonds(bonds(), k=200, length=1),
        tr.angle_potential("k * (1 + cos(theta))", triples=ANGLES, k=2.0),
    ]
    sim = tr.Simulation(melt(), forces, timestep=0.002)
    sim.run(until=0.1)
    assert np.array_equal(end_of(run_file), sim.particles.position)


def test_chains_need_ids_in_sequence_and_tuples_need_particles(run_file: Path, trellis: Command) -> None:
    beads = melt()
    beads.id[-1] = 1000
    tr.io.write_snapshot(run_file.parent / "melt.hdf5", beads)
    gap = trellis("run", run_file)
    assert gap.returncode == 2
    assert "'bonds.0.chains_of' is given, but the ids of the 80 particles, 0 to 1000, are not in sequence" in gap.stderr
    tr.io.write_snapshot(run_file.parent / "melt.hdf5", melt())
    (run_file.parent / "angles.txt").write_text("0 1 80\n")
    none = trellis("run", run_file, "--overwrite")
    assert none.returncode == 2
    assert "triples name particle 80, but no particle has this id" in none.stderr
