"""Gas: standard problems with few particles, and runs by parameter files; test_gas_full.py has more particles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command, FoundOn

import trellis as tr
from trellis.config import load
from trellis.exact import riemann
from trellis.exact import sedov as exact_sedov
from trellis.output.energy_log import read_energy_log
from trellis.run.simulation_run import SimulationRun

EXAMPLES = Path(__file__).parents[3] / "examples"
SOUND: dict[str, Any] = {
    "dimensions": 1,
    "neighbours": 6,
    "precision": "double",
}  # waves too small for single precision


def entropy(gas: tr.ParticleSet) -> np.ndarray:
    """The function of entropy P / rho^gamma."""
    return (2 / 3) * gas.internal_energy * gas.density ** (-2 / 3)


def evolved(gas: tr.ParticleSet, until: float, timestep: float, **settings: Any) -> tr.Simulation:
    sim = tr.Simulation(gas, [tr.Sph(**settings)], timestep)
    sim.run(until=until)
    return sim


def wave(size: int, amplitude: float) -> tr.ParticleSet:
    """A sound wave in a tube of length 1 and density 1, in which the speed of sound is 1, that goes to the right."""
    rest = (np.arange(size) + 0.5) / size
    gas = tr.ParticleSet.from_columns(
        position=np.stack([rest + amplitude / (2 * np.pi) * np.cos(2 * np.pi * rest), 0 * rest, 0 * rest], axis=1),
        velocity=np.stack([amplitude * np.sin(2 * np.pi * rest), 0 * rest, 0 * rest], axis=1),
        mass=1 / size,
    )
    gas.add_field("internal_energy")
    # along an adiabat, which the wave is on
    gas.internal_energy = 0.9 * (1 + amplitude * np.sin(2 * np.pi * rest)) ** (2 / 3)
    gas.box = [[0, -np.inf, -np.inf], [1, np.inf, np.inf]]
    return gas


def test_sods_tube_has_its_star_state() -> None:
    tube = riemann()
    sim = evolved(tr.ic.sod(6 * 4608), 0.2, 0.00125)
    gas = sim.particles
    x, v = gas.position[:, 0] / 0.2, gas.velocity[:, 0]
    left = (x > tube.left_wave.inner + 0.25) & (x < tube.velocity - 0.25)
    right = (x > tube.velocity + 0.25) & (x < tube.right_wave.outer - 0.25)
    for part, density in ((left, 0.47969), (right, 0.22981)):
        assert part.sum() > 400
        assert gas.pressure[part].mean() == pytest.approx(0.29395, rel=0.015)
        assert v[part].mean() == pytest.approx(0.84119, rel=0.015)
        assert gas.density[part].mean() == pytest.approx(density, rel=0.015)
    assert abs(sim.energies().error) < 1e-4
    assert np.abs(sim.momentum()).max() < 1e-8


def test_sedovs_shock_is_where_it_is_to_be() -> None:
    sim = evolved(tr.ic.sedov(16**3), 0.05, 2e-4)
    gas = sim.particles
    radius = np.linalg.norm(gas.position, axis=1)
    mass, edges = np.histogram(radius, bins=np.linspace(0.2, 0.5, 16), weights=gas.mass)
    density = mass / (4 * np.pi / 3 * np.diff(edges**3))
    front = edges[density.argmax()] + 0.01
    assert front == pytest.approx(exact_sedov().shock_radius(0.05), abs=0.02)
    assert 1.3 < density.max() < 4
    assert abs(sim.energies().error) < 2e-3
    assert np.abs(sim.momentum()).max() < 1e-4


@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_an_even_gas_stays_even_at_rest_and_in_motion(speed: float) -> None:
    gas = tr.ic.sedov(8**3)
    gas.internal_energy = 0.9
    gas.velocity[:, 0] = speed
    sim = evolved(gas, 0.5, 0.01)
    assert gas.density == pytest.approx(np.full(512, gas.density.mean()), rel=0.02)
    assert gas.density.mean() == pytest.approx(1.0, rel=0.02)
    assert gas.velocity == pytest.approx(np.tile([speed, 0, 0], (512, 1)), abs=0.04)
    assert entropy(gas) == pytest.approx(np.full(512, 0.6), rel=0.02)
    assert abs(sim.energies().error) < 1e-5


def test_a_sound_wave_arrives_as_it_left() -> None:
    gas = wave(100, 1e-3)
    start = gas.velocity[np.argsort(gas.id), 0].copy()
    evolved(gas, 1.0, 0.002, conductivity=0, **SOUND)
    end = gas.velocity[np.argsort(gas.id), 0]
    assert end == pytest.approx(start, abs=3e-5)


def test_flow_without_shocks_keeps_its_entropy() -> None:
    gas = wave(200, 0.1)
    before = entropy_of(gas)
    evolved(gas, 0.5, 0.001, conductivity=0, viscosity="constant", viscosity_strength=0, **SOUND)
    after = entropy(gas)[np.argsort(gas.id)]
    assert np.ptp(gas.density) > 0.15
    assert after == pytest.approx(before, rel=1e-4)


def entropy_of(gas: tr.ParticleSet) -> np.ndarray:
    """Entropy by id, once the density is known."""
    tr.Simulation(gas, [tr.Sph(**SOUND)], 1.0).force_error(1)
    return entropy(gas)[np.argsort(gas.id)]


def test_greshos_vortex_turns_on() -> None:
    sim = evolved(tr.ic.gresho(8192), 0.4, 0.0025, kernel="wendland-c4", neighbours=200)
    x, y, _ = sim.particles.wrapped_position().T
    radius = np.hypot(x, y)
    around = (x * sim.particles.velocity[:, 1] - y * sim.particles.velocity[:, 0]) / radius
    assert around[(radius > 0.18) & (radius < 0.22)].mean() == pytest.approx(0.88, abs=0.04)
    assert around[(radius > 0.09) & (radius < 0.11)].mean() == pytest.approx(0.5, abs=0.02)
    assert abs(sim.energies().error) < 2e-5


def test_conserves_momentum_and_energy_whatever_the_switches() -> None:
    for viscosity in ("constant", "morris-monaghan", "cullen-dehnen"):
        random = np.random.default_rng(4)
        gas = tr.ic.sedov(8**3)
        gas.internal_energy = random.uniform(0.5, 1.5, 512)
        gas.velocity = random.normal(size=(512, 3))
        sim = tr.Simulation(gas, [tr.Sph(viscosity=viscosity, precision="double")], 0.002)
        start = sim.momentum()
        sim.run(until=0.1)
        assert abs(sim.energies().error) < 1e-4
        assert sim.momentum() == pytest.approx(start, abs=1e-8)


def test_a_step_that_is_too_long_is_refused_and_the_longest_allowed_named() -> None:
    gas = tr.ic.sedov(8**3)
    gas.internal_energy = 0.9  # the speed of sound is 1
    sim = tr.Simulation(gas, [tr.Sph(courant=0.2)], 0.1)
    with pytest.raises(RuntimeError, match=r"timestep is 0.1: allowed is at most 0.03\d* now, the time") as error:
        sim.step()
    allowed = float(str(error.value).split("at most ")[1].split()[0])
    assert allowed == pytest.approx(0.2 * gas.smoothing_length.min() / 2, rel=0.02)
    evolved(tr.ic.sedov(8**3), 1e-4, 1e-4)


def test_says_what_is_allowed() -> None:
    for settings, sentence in {
        "kernel='m4'": "kernel is 'm4': allowed are cubic-spline, wendland-c2, wendland-c4",
        "viscosity='none'": "viscosity is 'none': allowed are constant, morris-monaghan, cullen-dehnen",
        "viscosity_strength=-1": "viscosity_strength is -1: allowed is 0 or more",
        "courant=0": "courant is 0: allowed is above 0",
        "neighbours=3": "neighbours is 3: allowed is above 14",
    }.items():
        with pytest.raises(ValueError, match=sentence):
            eval(f"tr.Sph({settings})")
    for gravity, dimensions, sentence in (
        (tr.Gravity(softening=0), 3, "softening is 0: allowed is above 0 with adaptive softening"),
        (tr.Gravity(softening=0.1), 2, "adaptive softening is for three dimensions: dimensions is 2"),
    ):
        with pytest.raises(ValueError, match=sentence):
            tr.Sph(adaptive_softening=gravity, dimensions=dimensions)
    with pytest.raises(ValueError, match=r"all particles are at one place along z, .* of 3 dimensions"):
        evolved(tr.ic.kelvin_helmholtz(500), 1e-4, 1e-4)
    assert tr.Sph(dimensions=2).settings["neighbours"] == pytest.approx(19.3, abs=0.05)


def job(name: str, output: Path, parts: int, *, resume: bool = False) -> SimulationRun:
    """An example with fewer particles, run for `parts` hundredths of its time."""
    path = EXAMPLES / f"{name}.toml"
    part = load(path).run.until / 100
    given = [f"run.until={parts * part}", f"run.snapshot_every={5 * part}", "ic.particles=600", "run.log_every=1"]
    return SimulationRun(load(path, [*given, f"run.output={output}"]), resume=resume)


@pytest.mark.pixels
@pytest.mark.parametrize("name", ["sod", "sedov", "evrard", "kelvin_helmholtz", "gresho"])
def test_an_example_runs_and_is_drawn(tmp_path: Path, name: str) -> None:
    job(name, tmp_path, 10).run()
    log = read_energy_log(tmp_path / "energy.csv")
    assert log["total"] == pytest.approx(log["kinetic"] + log["potential"] + log["internal"])
    assert log["internal"][0] > 1e-3
    assert np.abs(log["relative_error"]).max() < 1e-3
    assert (log["potential"][0] < -0.6) == (name == "evrard")
    assert (tmp_path / "overview.png").exists()
    if name in ("sod", "sedov", "gresho"):
        tr.plot.problem(tmp_path)


def test_gas_that_attracts_itself_resumes_bit_for_bit(tmp_path: Path) -> None:
    job("evrard", tmp_path / "whole", 10).run()
    job("evrard", tmp_path / "part", 5).run()
    job("evrard", tmp_path / "part", 10, resume=True).run()
    whole, resumed = (tr.io.read_checkpoint(tmp_path / folder / "checkpoint.hdf5") for folder in ("whole", "part"))
    assert whole.step_count == resumed.step_count > 10
    for column in ("position", "velocity", "internal_energy", "viscosity"):
        assert np.array_equal(whole.particles.column(column), resumed.particles.column(column))


def test_a_gas_is_the_same_on_any_number_of_ranks(found_on: FoundOn) -> None:
    program = """
gravity = tr.Gravity(softening=0.05, accuracy=1e-9, precision="double")
gas = tr.Sph(precision="double", adaptive_softening=gravity)
sim = tr.Simulation(tr.ic.evrard(1000), [gravity, gas], 0.01)
sim.run(until=0.1)
found = [sim.energies().kinetic, sim.energies().potential, sim.energies().internal]
"""
    assert found_on(2, program) == pytest.approx(found_on(1, program), rel=1e-6)


def test_a_gas_softens_its_gravity_by_its_smoothing_lengths() -> None:
    def collapsed(*, adaptive: bool) -> tr.Simulation:
        gravity = tr.Gravity(softening=0.02, accuracy=1e-5)
        gas = tr.Sph(adaptive_softening=gravity if adaptive else None)
        sim = tr.Simulation(tr.ic.evrard(1000), [gravity, gas], 0.004)
        sim.run(until=0.4)
        return sim

    fixed, softer = collapsed(adaptive=False), collapsed(adaptive=True)
    assert abs(softer.energies().error) < 2e-4
    assert np.abs(softer.momentum()).max() < 1e-5
    assert softer.energies().potential > fixed.energies().potential  # what is spread is bound less
    assert softer.force_error(100)["median"] < 1e-5


def sphere_at_rest(size: int) -> tr.ParticleSet:
    """A gas with gamma = 2 that its own gravity holds (G = M = R = 1): rho = pi / 4 sin(pi r) / (pi r), u = K rho."""
    r = np.linspace(0, 1, 1001)
    mass_within = (np.sin(np.pi * r) - np.pi * r * np.cos(np.pi * r)) / np.pi
    gas = tr.ic.evrard(size)  # of the mass r^2 within r
    radius = np.linalg.norm(gas.position, axis=1)
    place = np.interp(radius**2, mass_within, r)
    gas.position *= (place / radius)[:, None]
    gas.internal_energy = 0.5 * np.sinc(place)
    return gas


def test_a_gas_that_its_gravity_holds_stays_as_it_is() -> None:
    gravity = tr.Gravity(softening=0.02)

    def density_in_the_middle(**settings: Any) -> float:
        sim = tr.Simulation(sphere_at_rest(1000), [gravity, tr.Sph(gamma=2.0, **settings)])
        sim.run(until=2.0)
        assert abs(sim.energies().error) < 1e-4
        return float(np.sort(sim.particles.density)[-20:].mean())

    assert density_in_the_middle() == pytest.approx(np.pi / 4, rel=0.15)
    assert density_in_the_middle(conduction="pressure") > 1.5 * np.pi / 4  # heat has left it


def test_conduction_is_chosen_by_the_other_forces() -> None:
    gravity, limit = tr.Gravity(softening=0.02), tr.StepLimit(lambda _: 0.1)
    field = tr.external.PointMass(mass=1.0, centre=[9, 0, 0])

    def chosen(*others: tr.Force, **settings: Any) -> object:
        sim = tr.Simulation(tr.ic.evrard(100), [tr.Sph(**settings), *others])
        return sim.forces[0].settings["conduction"]

    assert chosen() == chosen(limit) == chosen(gravity, conduction="pressure") == "pressure"
    assert chosen(gravity) == chosen(field) == chosen(conduction="flow") == "flow"
    assert tr.Sph().settings["conduction"] == "pressure"


def test_a_file_asks_for_adaptive_softening(tmp_path: Path) -> None:
    adaptive = ["ic.particles=600", "sph.adaptive_softening=true", f"run.output={tmp_path / 'out'}"]
    gas = SimulationRun(load(EXAMPLES / "evrard.toml", adaptive)).simulation
    assert "softening_weight" in gas.particles.public_fields
    with pytest.raises(ValueError, match=r"'sph.adaptive_softening' is true, but needs a section \[gravity\]"):
        load(EXAMPLES / "sod.toml", adaptive)


def test_the_command_says_how_often_lists_served(tmp_path: Path, trellis: Command) -> None:
    small = ["ic.particles=600", "run.until=0.02", f"run.output={tmp_path / 'out'}"]
    done = trellis("run", EXAMPLES / "sod.toml", *(part for change in small for part in ("--set", change)))
    assert done.returncode == 0, done.stderr
    assert re.search(r"lists made \d+ times \(\d of them early\), reused [1-9]\d* times", done.stdout)


def with_others(gas: tr.ParticleSet, kind: int) -> tr.ParticleSet:
    """The gas, and as many of another type at the same places."""
    both = tr.ParticleSet(2 * len(gas))
    both.add_field("type")
    both.add_field("internal_energy")
    for name in ("position", "velocity", "mass", "internal_energy"):
        both.column(name)[:] = np.concatenate([gas.column(name)] * 2)
    both.type[len(gas) :] = kind
    return both


def test_gas_is_what_types_say() -> None:
    gas = tr.ic.evrard(300)
    alone = tr.Simulation(gas, [tr.Sph(precision="double")], 0.01)
    both = tr.Simulation(with_others(gas, 4), [tr.Sph(precision="double")], 0.01)
    alone.run(until=0.1)
    both.run(until=0.1)
    found, exact = both.particles, alone.particles
    by_id, exact_by_id = np.argsort(found.id), np.argsort(exact.id)
    assert found.velocity[by_id[:300]] == pytest.approx(exact.velocity[exact_by_id], abs=1e-7)
    assert found.density[by_id[:300]] == pytest.approx(exact.density[exact_by_id], rel=1e-6)
    assert not found.velocity[by_id[300:]].any()
    assert not found.density[by_id[300:]].any()


@pytest.mark.parametrize("types", [[4], [0, 4]])
def test_gas_may_be_of_other_types(types: list[int]) -> None:
    sim = tr.Simulation(with_others(tr.ic.evrard(100), 4), [tr.Sph(types=types)], 0.01)
    sim.run(until=0.02)
    assert ((sim.particles.density > 0) == np.isin(sim.particles.type, types)).all()


def test_a_halo_around_gas_comes_from_a_file_and_goes_on(tmp_path: Path) -> None:
    start = tmp_path / "start.hdf5"
    tr.io.write_snapshot(start, with_others(tr.ic.evrard(200), 1))
    text = f"""initial_conditions = "{start}"
[gravity]
softening = 0.1
[sph]
[run]
timestep = 0.005
until = 0.05
snapshot_every = 0.05
output = "OUT"
"""
    finals = []
    for name, ends in (("whole", [0.05]), ("part", [0.035, 0.05])):
        path = tmp_path / f"{name}.toml"
        path.write_text(text.replace("OUT", str(tmp_path / name)))
        for end in ends:
            SimulationRun(load(path, [f"run.until={end}"]), resume=end != ends[0]).run()
        finals.append(tr.io.read_checkpoint(tmp_path / name / "checkpoint.hdf5").particles)
    whole, resumed = finals
    for column in ("position", "velocity", "internal_energy", "density"):
        assert np.array_equal(whole.column(column), resumed.column(column))
    assert (whole.density[whole.type == 0] > 0).all()
    assert not whole.density[whole.type == 1].any()
    assert whole.velocity[whole.type == 1].any()


def test_snapshots_know_gas_as_gadget_does(tmp_path: Path) -> None:
    tr.io.write_snapshot(tmp_path / "gas.hdf5", tr.ic.evrard(50))
    assert (tr.io.read_snapshot(tmp_path / "gas.hdf5").particles.type == 0).all()


def test_a_gas_needs_internal_energy() -> None:
    sentence = r"^the particles have no internal energy, .* field 'internal_energy', or .* PartType0/InternalEnergy$"
    with pytest.raises(tr.InputError, match=sentence):
        tr.Simulation(tr.ic.plummer(10), [tr.Gravity(softening=0.1), tr.Sph()], 0.01)


def test_a_gas_needs_particles_of_its_types() -> None:
    particles = tr.ic.evrard(10)
    particles.add_field("type")
    particles.type = [1.0] * 5 + [4.0] * 5
    with pytest.raises(tr.InputError, match=r"^no particle is gas .* types \[0\]: there are those of type 1, 4$"):
        tr.Simulation(particles, [tr.Sph()], 0.01)
    tr.Simulation(particles, [tr.Sph(types=[4])], 0.01)
