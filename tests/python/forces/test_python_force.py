"""Forces that are functions of whole columns: what they are given, what becomes of their results, and mistakes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from numpy.typing import NDArray

import trellis as tr

Array = NDArray[np.float64]


def to_the_middle(position: Array) -> tuple[float, Array]:
    """Return energy and forces of springs between each particle and the mean of all."""
    d = position - position.mean(axis=0)
    return 0.5 * float((d**2).sum()), -d


def springs() -> tr.PythonForce:
    return tr.PythonForce(to_the_middle, needs=["position"], gives=["energy", "force"])


def test_energy_and_forces_move_the_particles_and_keep_the_total() -> None:
    sim = tr.Simulation(tr.ic.plummer(300, seed=1), [springs()], timestep=0.001)
    energy, force = to_the_middle(np.asarray(sim.particles.position))
    assert sim.energies().potential == pytest.approx(energy, rel=1e-12)
    before = sim.energies().total
    sim.run(steps=200)
    assert abs(sim.energies().total / before - 1) < 1e-4
    assert np.abs(sim.momentum()).max() < 1e-14
    _, force = to_the_middle(np.asarray(sim.particles.position))
    assert np.allclose(sim.particles.acceleration * sim.particles.mass[:, None], force, rtol=1e-12, atol=1e-15)
    assert sim.force_error(30)["maximum"] < 1e-14


def test_a_function_is_given_the_columns_themselves_which_it_cannot_write_to() -> None:
    seen: dict[str, Any] = {}

    def look(position: Array, ids: Array, kind: Array, time: float, box: Array) -> Array:
        seen.update(position=position, id=ids, kind=kind, time=time, box=box)
        return np.zeros((len(position), 3))

    particles = tr.ParticleSet.from_columns(position=[[0.1, 0.2, 0.3], [0.5, 0.5, 0.5]], mass=[1, 2], box=[1, 1, 1])
    particles.add_field("kind", values=[3, 4])
    force = tr.PythonForce(look, needs=["position", "id", "kind", "time", "box"], gives=["acceleration"])
    sim = tr.Simulation(particles, [force], timestep=0.25)
    sim.run(steps=1)
    assert np.shares_memory(seen["position"], sim.particles.position)
    assert not seen["position"].flags.writeable
    assert seen["id"].dtype == np.uint64
    assert sorted(seen["kind"]) == [3, 4]
    assert seen["time"] == 0.25
    assert seen["box"].tolist() == [[0, 0, 0], [1, 1, 1]]


def test_velocities_are_those_at_the_time_of_the_positions() -> None:
    def turned(timestep: float) -> float:
        """Return by how much ten turns in a magnetic field change the speed."""
        charge = tr.ParticleSet.from_columns(position=[[0, 0, 0]], velocity=[[1, 0, 0]], mass=2)
        field = tr.PythonForce(lambda v: np.cross(v, [0, 0, 1]), needs=["velocity"], gives=["acceleration"])
        sim = tr.Simulation(charge, [field], timestep)
        sim.run(until=20 * np.pi)
        return float(np.linalg.norm(sim.particles.velocity)) - 1

    assert abs(turned(0.02)) < 2e-4  # 0.87 with velocities of half a step before
    assert abs(turned(0.01)) < 3e-5


def test_fixed_particles_have_the_velocity_that_they_keep() -> None:
    seen: list[Array] = []

    def look(velocity: Array) -> Array:
        seen.append(velocity.copy())
        return np.ones_like(velocity)

    wall = tr.ParticleSet.from_columns(position=[[0, 0, 0]], velocity=[[1, 0, 0]], mass=1)
    wall.add_field("fixed", values=[1])
    sim = tr.Simulation(wall, [tr.PythonForce(look, needs=["velocity"], gives=["acceleration"])], timestep=0.25)
    sim.run(steps=2)
    assert sim.particles.acceleration.tolist() == [[1, 1, 1]]
    assert [each.tolist() for each in seen] == [[[1, 0, 0]]] * 3


def test_a_force_by_velocities_acts_once_in_each_longest_step() -> None:
    def slowed(longest: float) -> float:
        particles = tr.ic.plummer(20, seed=1)
        fast = tr.StepLimit(lambda particles: np.where(particles.column("id") % 2, longest / 4, longest))
        drag = tr.PythonForce(lambda v: -v, needs=["velocity"], gives=["acceleration"], of_each=True)
        before = particles.velocity.copy()
        sim = tr.Simulation(particles, [drag, fast], tr.IndividualSteps(longest=longest))
        sim.run(until=1)
        return float(np.abs(sim.particles.velocity - np.exp(-1) * before).max())

    assert slowed(1 / 32) < 1e-3
    assert slowed(1 / 32) / slowed(1 / 64) == pytest.approx(4, abs=0.3)


def test_potentials_and_virials_are_added_to_those_of_other_forces() -> None:
    particles = tr.ic.lennard_jones(108, density=0.8, temperature=1.0)
    lj = tr.LennardJones(cutoff=2.0)
    alone = tr.Simulation(particles.copy(), [lj], timestep=0.001)

    def constant(mass: Array) -> tuple[Array, Array, Array]:
        return np.full((len(mass), 3), 0.5), np.full(len(mass), 2.0), np.full(len(mass), 6.0)

    force = tr.PythonForce(constant, needs=["mass"], gives=["acceleration", "potential", "virial"], of_each=True)
    both = tr.Simulation(particles.copy(), [lj, force], timestep=0.001)
    assert both.energies().potential == pytest.approx(alone.energies().potential + 108.0)
    volume = 108 / 0.8
    assert both.pressure() == pytest.approx(alone.pressure() + 108 * 6 / 2 / 3 / volume)


def test_ranks_call_a_function_of_each_particle_with_their_own(found_on: Callable[[int, str], list[float]]) -> None:
    program = """
import numpy as np
called = []
def trap(position):
    called.append(len(position))
    return -position, 0.5 * (position**2).sum(axis=1)
own = tr.ic.plummer(300, seed=1)
force = tr.PythonForce(trap, needs=["position"], gives=["acceleration", "potential"], of_each=True)
sim = tr.Simulation(own, [force], timestep=0.01)
sim.run(steps=20)
found = [sum(world.gather(called[-1])), sim.energies().potential, sim.force_error(20)["maximum"]]
"""
    one, three = found_on(1, program), found_on(3, program)
    assert one[0] == three[0] == 300
    assert three[1] == pytest.approx(one[1], rel=1e-12)
    assert three[2] < 1e-14


def test_a_function_of_all_particles_is_refused_on_ranks(tmp_path: Any, mpirun: Callable[..., Any]) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import trellis as tr\n"
        "force = tr.PythonForce(lambda x: -x, needs=['position'], gives=['acceleration'])\n"
        "tr.Simulation(tr.ic.plummer(30), [force], timestep=0.01).run(steps=1)\n"
    )
    done = mpirun(2, program)
    assert done.returncode == 2
    assert (
        "PythonForce(<lambda>) computes from the columns of all particles, but 2 ranks have them: allowed are one rank,"
        " or a function of each particle alone (of_each=True)" in done.stderr
    )


def test_forces_are_copied_and_shown() -> None:
    force = springs()
    for each in (copy.deepcopy(force), pickle.loads(pickle.dumps(force))):
        assert repr(each) == "PythonForce(to_the_middle)"
        assert each.settings["gives"] == ["energy", "force"]


def given(value: Any, gives: list[str], needs: list[str] | None = None) -> None:
    stars = tr.ParticleSet.from_columns(position=[[0, 0, 0], [1, 0, 0]], mass=[1, 1])
    force = tr.PythonForce(lambda *_: value, needs=["position"] if needs is None else needs, gives=gives)
    tr.Simulation(stars, [force], timestep=0.1).run(steps=1)


FORCE = np.zeros((2, 3))
BROKEN = np.array([[0, 0, 0], [0, np.nan, 0]])
NOTHING: Any = None
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: given(None, ["force"]), "has returned as force None, but must be real numbers of shape (2, 3)"),
    (lambda: given(np.zeros((3, 3)), ["force"]), "as force an array of shape (3, 3), but must be real numbers"),
    (lambda: given(FORCE, ["energy", "force"]), "but must return energy, force"),
    (lambda: given((1.0, BROKEN), ["energy", "force"]), "as force nan for the particle of id 1"),
    (lambda: given((np.inf, FORCE), ["energy", "force"]), "as energy inf for the particle of id 0"),
    (lambda: given(FORCE * 1j, ["force"]), "as force an array of complex128"),
    (lambda: given(FORCE, ["force"], ["position", "spin"]), "'spin'"),
    (lambda: given(FORCE, ["forces"]), "gives has 'forces': did you mean 'force'?"),
    (lambda: given(FORCE, ["force", "acceleration"]), "allowed are one of force and acceleration"),
    (lambda: given(FORCE, []), "allowed are one of force and acceleration"),
    (lambda: tr.PythonForce(NOTHING, needs=[], gives=["force"]), "function is None, but must be a function"),
    (lambda: tr.PythonForce(len, needs="position", gives=["force"]), "needs is 'position': allowed is a list of names"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), WRONG, ids=[said for _, said in WRONG])
def test_wrong_ones_are_said_in_one_sentence(make: Callable[[], Any], said: str) -> None:
    is_refused(make, said)


def test_what_a_function_raises_ends_the_step() -> None:
    def broken(position: Array) -> Array:
        raise OSError(f"no weights for {len(position)} particles")

    force = tr.PythonForce(broken, needs=["position"], gives=["force"])
    with pytest.raises(OSError, match="no weights for 10 particles"):
        tr.Simulation(tr.ic.plummer(10), [force], timestep=0.1).run(steps=1)


@pytest.mark.parametrize("call", ["energies", "step", "add", "remove"])
def test_a_function_that_calls_its_simulation_is_an_error(call: str) -> None:
    """It called itself without end; particles that it added were read from memory that had been given back."""
    more = tr.ic.plummer(5, seed=2)
    more.id += 100
    arguments: dict[str, list[Any]] = {"add": [more], "remove": [3]}
    known: dict[str, tr.Simulation] = {}
    busy = False

    def asks(position: Array) -> Array:
        assert len(known["sim"].particles) == len(position)  # to read is allowed
        if busy:
            getattr(known["sim"], call)(*arguments.get(call, []))
        return -position

    force = tr.PythonForce(asks, needs=["position"], gives=["acceleration"])
    sim = known["sim"] = tr.Simulation(tr.ic.plummer(50, seed=1), [force], timestep=0.01)
    sim.step()
    busy = True
    with pytest.raises(ValueError, match=rf"^{call}\(\) is called by a function that the forces of this simulation"):
        sim.step()
    busy = False
    sim.step()
    assert len(sim.particles) == 50


@pytest.mark.filterwarnings("error")
def test_a_force_on_a_particle_without_mass_is_one_sentence_and_no_warning() -> None:
    particles = tr.ic.plummer(20, seed=1)
    particles.mass[4] = 0
    force = tr.PythonForce(lambda position: -position, needs=["position"], gives=["force"])
    with pytest.raises(ValueError, match="for the particle of id 4, but must return finite numbers, for masses above"):
        tr.Simulation(particles, [force], timestep=0.01).step()
