from __future__ import annotations

import shutil
import struct
from contextlib import AbstractContextManager
from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import FlipBit

import trellis as tr
from trellis.errors import InputError
from trellis.io import Checkpoint, checkpoint, read_checkpoint, read_snapshot, write_checkpoint
from trellis.io.checked_columns import new_column
from trellis.units import GADGET, NBODY


def simulation(particles: tr.ParticleSet) -> tr.Simulation:
    return tr.Simulation(particles, [tr.Gravity(softening=0.05)], timestep=0.01, keep_order=False)


def test_one_that_is_read_as_a_snapshot_is_called_a_checkpoint(tmp_path: Path) -> None:
    stars = tr.ic.plummer(20, seed=1)
    write_checkpoint(tmp_path / "c.hdf5", tr.Simulation(stars, [tr.Gravity(softening=0.1)], timestep=0.1).state())
    with pytest.raises(ValueError, match=r"c.hdf5' is a checkpoint, not a snapshot: read_checkpoint reads those"):
        read_snapshot(tmp_path / "c.hdf5")


def bits(particles: tr.ParticleSet) -> dict[str, bytes]:
    return {name: particles.column(name).tobytes() for name in particles.field_names}


# the framework reorders rows now and then: stop before and after it does
@pytest.mark.parametrize("steps_before", [0, 1, 63, 64, 65])
def test_a_resumed_simulation_has_the_same_bits(tmp_path: Path, steps_before: int) -> None:
    # enough of them that cells act as superparticles, by the last acceleration
    unbroken, broken = (simulation(tr.ic.plummer(3000, seed=3)) for _ in range(2))
    for _ in range(75):
        unbroken.step()
    for _ in range(steps_before):
        broken.step()
    write_checkpoint(tmp_path / "c.hdf5", broken.state())
    state = read_checkpoint(tmp_path / "c.hdf5")
    resumed = tr.Simulation.resume(state, [tr.Gravity(softening=0.05)], timestep=0.01, keep_order=False)
    assert (resumed.time, resumed.step_count) == (broken.time, steps_before)
    while resumed.step_count < 75:
        resumed.step()
    assert bits(resumed.particles) == bits(unbroken.particles)
    assert (resumed.time, resumed.energies().error) == (unbroken.time, unbroken.energies().error)


OTHERS: dict[str, list[tr.Force]] = {
    "a softening": [tr.Gravity(softening=0.5)],
    "none": [],
    "another beside it": [tr.Gravity(softening=0.1), tr.external.HarmonicTrap(frequency=[1.0, 1.0, 1.0])],
    "bonds": [tr.HarmonicBonds([[0, 1]], k=10, length=1.0)],
}


@pytest.mark.parametrize("forces", OTHERS.values(), ids=OTHERS)
def test_other_forces_act_from_the_first_step_on(tmp_path: Path, forces: list[tr.Force]) -> None:
    sim = tr.Simulation(tr.ic.plummer(20, seed=1), [tr.Gravity(softening=0.1)], timestep=1e-3)
    sim.run(steps=3)
    write_checkpoint(tmp_path / "c.hdf5", sim.state())
    new = tr.Simulation(sim.particles.copy(), forces, timestep=1e-3)
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "c.hdf5"), forces, timestep=1e-3)
    assert resumed.energies().potential == new.energies().potential
    for each in (resumed, new):
        each.step()
    assert np.array_equal(resumed.particles.velocity, new.particles.velocity)
    assert resumed.step_count == 4
    assert abs(resumed.energies().error) < 1e-3


def test_a_force_that_is_computed_otherwise_is_no_other_force(tmp_path: Path) -> None:
    sim = tr.Simulation(tr.ic.plummer(20, seed=1), [tr.Gravity(softening=0.1)], timestep=1e-3)
    sim.run(steps=3)
    potential = sim.particles.potential.copy()
    write_checkpoint(tmp_path / "c.hdf5", sim.state())
    otherwise = tr.Gravity(softening=0.1, method="tree", theta=1.5, order=1)
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "c.hdf5"), [otherwise], timestep=1e-3)
    assert np.array_equal(resumed.particles.potential, potential)


def test_everything_comes_back(tmp_path: Path) -> None:
    particles = tr.ic.plummer(30)
    particles.add_field("spin", 3, "1 / time", "spin")
    particles.spin = np.random.default_rng(1).random((30, 3))
    particles.velocity[0] = [-0.0, 5e-324, 1e308]
    particles.box = [[-1 / 3, -np.inf, 0.1], [5e-324, np.inf, 0.1 + 0.2]]
    state = Checkpoint(particles, 0.1 + 0.2, 2**40, 0.7, -1 / 3, GADGET, thermostat=[0.1, -5e-324], step_allowed=1e-9)
    write_checkpoint(tmp_path / "c.hdf5", state)
    read = read_checkpoint(tmp_path / "c.hdf5")
    assert bits(read.particles) == bits(particles)
    assert read.particles.box.tobytes() == particles.box.tobytes()
    assert read.particles.field_info("spin") == ("1 / time", "spin")
    assert (read.time, read.step_count, read.initial_energy, read.units) == (0.1 + 0.2, 2**40, -1 / 3, GADGET)
    assert (read.initial_time, read.thermostat, read.step_allowed) == (0.7, [0.1, -5e-324], 1e-9)
    write_checkpoint(tmp_path / "c.hdf5", Checkpoint(particles, 0.0, 0, 0.0, 0.0, NBODY))
    assert read_checkpoint(tmp_path / "c.hdf5").units == NBODY
    assert read_checkpoint(tmp_path / "c.hdf5").thermostat == []
    assert read_checkpoint(tmp_path / "c.hdf5").step_allowed == np.inf


def test_a_resumed_simulation_is_in_the_same_box(tmp_path: Path) -> None:
    def flying() -> tr.Simulation:
        particles = tr.ic.plummer(100, seed=3)
        particles.box = [[-2, -2, -np.inf], [2, 2, np.inf]]
        return tr.Simulation(particles, [], timestep=0.1)

    unbroken, broken = flying(), flying()
    for _ in range(40):
        unbroken.step()
    for _ in range(11):
        broken.step()
    write_checkpoint(tmp_path / "c.hdf5", broken.state())
    resumed = tr.Simulation.resume(read_checkpoint(tmp_path / "c.hdf5"), [], timestep=0.1)
    while resumed.step_count < 40:
        resumed.step()
    assert bits(resumed.particles) == bits(unbroken.particles)
    assert np.abs(resumed.particles.position[:, :2]).max() <= 2.0


def test_files_that_are_no_checkpoints(tmp_path: Path) -> None:
    path = tmp_path / "c.hdf5"
    with pytest.raises(InputError, match="there is no file"):
        read_checkpoint(path)
    tr.io.write_snapshot(path, tr.ic.plummer(5))
    with pytest.raises(InputError, match=r"c.hdf5' is not a checkpoint of this version"):
        read_checkpoint(path)
    write_checkpoint(path, simulation(tr.ic.plummer(5)).state())
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"c.hdf5' is truncated"):
        read_checkpoint(path)
    for column in ("id", "mass", "velocity"):
        write_checkpoint(path, simulation(tr.ic.plummer(5)).state())
        with h5py.File(path, "r+") as file:
            del file[f"fields/{column}"]
        with pytest.raises(InputError, match=rf"c.hdf5' is damaged: it lacks the column {column}"):
            read_checkpoint(path)


@pytest.mark.parametrize("count", [5, 40_000, 100_001])  # one chunk of rows, two and four
def test_a_bit_that_has_changed_is_found_in_its_column(tmp_path: Path, flip_bit: FlipBit, count: int) -> None:
    path = tmp_path / "c.hdf5"
    particles = tr.ParticleSet(count)
    particles.velocity = np.random.default_rng(1).random((count, 3))
    write_checkpoint(path, Checkpoint(particles, 0.0, 0, 0.0, 0.0, NBODY))
    assert bits(read_checkpoint(path).particles) == bits(particles)
    flip_bit(path, "fields/velocity")
    with pytest.raises(InputError, match=r"^'.*c.hdf5' is damaged: the checksum of 'velocity' is wrong$"):
        read_checkpoint(path)


@pytest.mark.parametrize("value", [0.4375, 0.015625, -0.34375, 0.21875, 1.0625, 2.125, 3.1875])
def test_a_bit_that_has_changed_elsewhere_is_found(tmp_path: Path, value: float) -> None:
    path = tmp_path / "c.hdf5"
    domains, thermostat = ([1.0625], [2.125]), [3.1875]
    particles = tr.ParticleSet(10)
    state = Checkpoint(particles, 0.4375, 7, 0.015625, -0.34375, NBODY, [], domains, thermostat, 0.21875)
    write_checkpoint(path, state)
    content = bytearray(path.read_bytes())
    place = content.index(struct.pack("<d", value))
    content[place + 5] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"c.hdf5' is damaged: .*checksum"):
        read_checkpoint(path)


@pytest.mark.parametrize("text", [b"trellis checkpoint", b"of a cat", b"lives"])
def test_a_letter_that_has_changed_is_found(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "c.hdf5"
    particles = tr.ParticleSet(10)
    particles.add_field("lives", 1, "", "of a cat")
    write_checkpoint(path, Checkpoint(particles, 0.0, 7, 0.0, 0.0, NBODY))
    assert read_checkpoint(path).particles.field_info("lives") == ("", "of a cat")
    content = bytearray(path.read_bytes())
    content[content.index(text) + 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"c.hdf5' is damaged: "):
        read_checkpoint(path)


def test_columns_without_checksums_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.hdf5"
    particles = tr.ic.plummer(30)
    write_checkpoint(path, Checkpoint(particles, 0.0, 0, 0.0, 0.0, NBODY))
    with h5py.File(path, "r+") as file:
        for name, dataset in dict(file["fields"]).items():
            values, facts = dataset[()], dict(dataset.attrs)
            del file["fields"][name]
            file["fields"].create_dataset(name, data=values).attrs.update(facts)
            assert file["fields"][name].chunks is None
    assert bits(read_checkpoint(path).particles) == bits(particles)


def test_a_checkpoint_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several files: the ones that the first names are gone once the second is complete."""
    path, part, newer = (tmp_path / name for name in ("checkpoint.hdf5", "checkpoint.1.0.hdf5", "newer.hdf5"))
    write_checkpoint(path, simulation(tr.ic.plummer(9)).state())
    shutil.copy(path, part)
    with h5py.File(path, "r+") as file:
        del file["ranks/parts"]
        new_column(file, "ranks/parts", (1,), np.dtype("S30"))[...] = [part.name.encode()]
    assert len(read_checkpoint(path).particles) == 9
    write_checkpoint(newer, simulation(tr.ic.plummer(12)).state())
    open_file = checkpoint.open_hdf5

    def open_late(opened: Path) -> AbstractContextManager[h5py.File]:
        if opened == part:
            part.unlink(missing_ok=True)
            if newer.exists():
                newer.replace(path)
        return open_file(opened)

    monkeypatch.setattr(checkpoint, "open_hdf5", open_late)
    assert len(read_checkpoint(path).particles) == 12
