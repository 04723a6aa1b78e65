"""A gas of one temperature: against direct sums, exact waves and shocks, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import trellis as tr
from trellis.output.energy_log import read_energy_log

C = 0.5
ON_A_LINE: dict[str, Any] = {"dimensions": 1, "neighbours": 6, "precision": "double", "sound_speed": C}
SMOOTH: dict[str, Any] = {**ON_A_LINE, "viscosity": "constant", "viscosity_strength": 0.0}


def on_a_line(x: np.ndarray, velocity: np.ndarray, mass: float, box: tuple[float, float]) -> tr.ParticleSet:
    none = 0 * x
    return tr.ParticleSet.from_columns(
        position=np.stack([x, none, none], axis=1),
        velocity=np.stack([velocity, none, none], axis=1),
        mass=mass,
        box=[[box[0], -np.inf, -np.inf], [box[1], np.inf, np.inf]],
    )


def wave(amplitude: float, size: int = 100) -> tr.ParticleSet:
    """A sound wave of length 1 that goes to the right."""
    rest = (np.arange(size) + 0.5) / size
    x = rest + amplitude / (2 * np.pi) * np.cos(2 * np.pi * rest)
    return on_a_line(x, C * amplitude * np.sin(2 * np.pi * rest), 1 / size, (0.0, 1.0))


def tube(size: int = 600) -> tr.ParticleSet:
    """Density 1 at x < 0 and 0.2 at x > 0."""
    dense = size * 5 // 6
    left = -1 + (np.arange(dense) + 0.5) / dense
    right = (np.arange(size - dense) + 0.5) / (size - dense)
    x = np.concatenate([left, right])
    return on_a_line(x, 0 * x, 1 / dense, (-1.0, 1.0))


def star_state(left: float, right: float, c: float) -> tuple[float, float]:
    """Density and velocity between the waves of an isothermal tube that begins at rest (left is denser)."""
    low, high = right, left
    for _ in range(100):
        rho = (low + high) / 2
        behind_rarefaction, behind_shock = c * np.log(left / rho), c * (rho - right) / np.sqrt(rho * right)
        low, high = (rho, high) if behind_rarefaction > behind_shock else (low, rho)
    return rho, behind_shock


def ball(size: int = 300) -> tr.ParticleSet:
    random = np.random.default_rng(5)
    return tr.ParticleSet.from_columns(
        position=random.random((size, 3)), velocity=random.normal(size=(size, 3)), mass=random.uniform(0.5, 1, size)
    )


def pressure_forces(gas: tr.ParticleSet, c: float) -> np.ndarray:
    """Accelerations by Wendland's kernel C2, from all pairs."""
    h, rho, m = gas.smoothing_length, gas.density, gas.mass
    d = gas.position[:, None] - gas.position
    r = np.sqrt(np.sum(d**2, axis=2))
    q = np.minimum(r / h[:, None], 1)  # by the length of the first
    norm = 21 / (2 * np.pi * h**3)
    slope = -20 * q * (1 - q) ** 3
    np.testing.assert_allclose(norm * np.sum(m * (1 - q) ** 4 * (1 + 4 * q), axis=1), rho, rtol=1e-6)
    omega = -norm / (3 * rho) * np.sum(m * q * slope, axis=1)  # 1 + h / (3 rho) drho/dh
    of_each = (c**2 * norm / (omega * rho * h))[:, None] * slope
    over_r = np.divide(1, r, out=np.zeros_like(r), where=r > 0)
    return -np.einsum("ij,ijk->ik", m * (of_each + of_each.T) * over_r, d)


def test_pressure_and_acceleration_are_those_of_all_pairs() -> None:
    gas = ball()
    inviscid = {"viscosity": "constant", "viscosity_strength": 0.0, "precision": "double"}
    sim = tr.Simulation(gas, [tr.Sph(sound_speed=C, **inviscid)], timestep=1e-5)
    energies = sim.energies()
    gas = sim.particles
    assert "internal_energy" not in gas.field_names
    assert "internal_energy_rate" not in gas.field_names
    np.testing.assert_allclose(gas.pressure, C**2 * gas.density, rtol=1e-14)
    assert (gas.sound_speed == C).all()
    expected = pressure_forces(gas, C)
    assert np.abs(gas.acceleration - expected).max() < 1e-6 * np.abs(expected).max()
    assert energies.internal == pytest.approx(np.sum(gas.mass * C**2 * np.log(gas.density)), rel=1e-12)
    assert sim.force_error()["maximum"] < 1e-5


def test_internal_energies_that_are_there_stay() -> None:
    gas = wave(0.01)
    gas.internal_energy = np.linspace(1, 2, len(gas))
    plain = wave(0.01)
    ends = []
    for each in (gas, plain):
        sim = tr.Simulation(each, [tr.Sph(**ON_A_LINE, conductivity=5.0)])
        sim.run(until=0.2)
        ends.append(sim.particles)
    order = np.argsort(ends[0].id)
    assert (ends[0].internal_energy[order] == np.linspace(1, 2, len(gas))).all()
    assert ends[0].position[order].tobytes() == ends[1].position[np.argsort(ends[1].id)].tobytes()


def test_a_sound_wave_travels_at_c() -> None:
    sim = tr.Simulation(wave(1e-3), [tr.Sph(**SMOOTH)])
    period = 1 / C
    sim.run(until=period)
    phase = np.exp(-2j * np.pi * (np.arange(100) + 0.5) / 100)
    velocity = sim.particles.velocity[np.argsort(sim.particles.id), 0]
    late = np.angle(np.sum(velocity * phase)) + np.pi / 2  # of sin, which it was
    assert abs(late) < 0.01 * 2 * np.pi
    assert np.abs(velocity).max() == pytest.approx(C * 1e-3, rel=0.02)


@pytest.mark.parametrize("device", ["host", "cpu"])
def test_a_shock_tube_has_its_star_state(device: str) -> None:
    rho, v = star_state(1.0, 0.2, C)
    sim = tr.Simulation(tube(), [tr.Sph(**ON_A_LINE)], device=device)
    sim.run(until=0.2)
    formed = sim.energies().conserved
    sim.run(until=0.4)
    gas = sim.particles
    x = gas.wrapped_position()[:, 0]
    shock = v * rho / (rho - 0.2) * 0.4
    between = (x > (v - C) * 0.4 + 0.04) & (x < shock - 0.04)
    assert between.sum() > 50
    assert gas.density[between].mean() == pytest.approx(rho, rel=0.01)
    assert gas.velocity[between, 0].mean() == pytest.approx(v, rel=0.01)
    ahead, behind = (gas.density[np.abs(x - shock - off) < 0.02].mean() for off in (0.05, -0.05))
    assert ahead == pytest.approx(0.2, rel=0.03)
    assert behind == pytest.approx(rho, rel=0.03)
    fan = (x > -C * 0.4 + 0.02) & (x < (v - C) * 0.4 - 0.02)
    assert gas.velocity[fan, 0] == pytest.approx(C + x[fan] / 0.4, abs=0.03 * C)
    lost = formed - sim.energies().conserved
    mass_rate = 0.2 * shock / 0.4  # through the shock, and its mirror image at the ends of the tube
    ratio = rho / 0.2
    exact = 2 * 0.2 * mass_rate * C**2 * ((ratio - 1 / ratio) / 2 - np.log(ratio))
    assert lost == pytest.approx(exact, rel=0.03)


def test_the_energy_of_a_smooth_flow_falls_with_courant() -> None:
    errors = []
    for courant in (0.4, 0.2, 0.1):
        sim = tr.Simulation(wave(0.1), [tr.Sph(**SMOOTH, courant=courant)])
        sim.run(until=0.5)
        energies = sim.energies()
        errors.append(abs(energies.conserved - energies.initial) / energies.kinetic)
    assert errors[0] < 1e-5
    assert errors[1] < 0.5 * errors[0]
    assert errors[2] < 0.5 * errors[1]


def test_individual_steps_are_those_of_all() -> None:
    ends = []
    for steps in (tr.IndividualSteps(longest=0.02), None):
        sim = tr.Simulation(tube(), [tr.Sph(**ON_A_LINE)], timestep=steps)
        sim.run(until=0.4)
        ends.append(sim.particles[np.argsort(sim.particles.id)])
        assert steps is None or sum(count > 0 for count in sim.rung_use["particles"]) >= 2
    own, plain = ends
    apart = own.position[:, 0] - plain.position[:, 0]
    apart = np.abs(apart - 2 * np.round(apart / 2)) / plain.smoothing_length
    assert apart.max() < 0.1
    assert np.sqrt(np.mean(apart**2)) < 0.01
    assert own.isothermal_energy.mean() == pytest.approx(plain.isothermal_energy.mean(), rel=0.01)


@pytest.mark.parametrize("steps", [None, tr.IndividualSteps(longest=0.02)])
def test_a_checkpoint_goes_on_bit_for_bit(steps: tr.IndividualSteps | None, tmp_path: Path) -> None:
    sims = [tr.Simulation(tube(), [tr.Sph(**ON_A_LINE)], timestep=steps)]
    sims[0].run(until=0.1)
    tr.io.write_checkpoint(tmp_path / "state.hdf5", sims[0].state())
    state = tr.io.read_checkpoint(tmp_path / "state.hdf5")
    sims.append(tr.Simulation.resume(state, [tr.Sph(**ON_A_LINE)], steps))
    assert sims[1].energies() == sims[0].energies()
    for sim in sims:
        sim.run(until=0.2)
    for name in ("position", "velocity", "density", "isothermal_energy"):
        assert sims[0].particles.column(name).tobytes() == sims[1].particles.column(name).tobytes(), name
    assert sims[1].energies() == sims[0].energies()


def test_a_gas_that_gravity_holds_and_stars_beside_it() -> None:
    """The types choose the gas; particles of both join without internal energies."""
    both = ball(600)
    both.type = np.where(np.arange(600) < 500, 0, 4)
    sim = tr.Simulation(both, [tr.Gravity(softening=0.1), tr.Sph(sound_speed=20.0)])
    sim.run(steps=5)
    more = ball(4)
    more.id += 1000
    more.type = "gas"
    sim.add(more)
    sim.run(steps=5)
    gas = sim.particles.type == 0
    assert (sim.particles.isothermal_energy[~gas] == 0).all()
    assert (sim.particles.pressure[gas] > 0).all()
    assert abs(sim.energies().error) < 1e-3


def test_fixed_particles_do_not_limit_steps() -> None:
    """A dense clump of them has shorter limits than all others."""
    gas = ball()
    gas.position[:100] = 0.5 + 0.02 * (gas.position[:100] - 0.5)
    gas.position[100:, 0] += 2
    gas.velocity[:] = 0
    gas.fixed = np.arange(300) < 100
    sim = tr.Simulation(gas, [tr.Sph(sound_speed=C)])
    sim.run(steps=30)
    h, fixed = sim.particles.smoothing_length, sim.particles.fixed != 0
    assert h[~fixed].min() > 5 * h[fixed].min()
    assert (sim.particles.velocity[~fixed] != 0).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"sound_speed": 0.0}, "sound_speed is 0: allowed is above 0"),
        ({"sound_speed": -1}, "sound_speed is -1: allowed is above 0"),
        ({"sound_speed": float("inf")}, "sound_speed is inf: allowed is .*"),
        (
            {"sound_speed": 1.0, "gamma": 1.4},
            "gamma is 1.4, but sound_speed is given: a gas of one temperature has no gamma",
        ),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        tr.Sph(**settings)


@pytest.mark.parametrize("softened", [False, True])
def test_a_barostat_is_refused(softened: bool) -> None:
    gas, gravity = ball(), tr.Gravity(softening=0.02)
    gas.box = 1.0
    sph = tr.Sph(sound_speed=C, adaptive_softening=gravity if softened else None)
    bath = {"thermostat": tr.Langevin(temperature=1.0, relaxation_time=0.1), "barostat": tr.Barostat(pressure=1.0)}
    with pytest.raises(ValueError, match=r"^a barostat is given, .* no gas or external field$"):
        tr.Simulation(gas, [gravity, sph], timestep=1e-4, **bath)


def test_expanding_space_and_resident_particles_are_refused() -> None:
    gas = tr.Sph(sound_speed=C)
    with pytest.raises(ValueError, match=r"^Sph\(sound_speed=0.5\) acts, but in expanding space allowed is Gravity"):
        tr.Simulation(ball(), [gas], log_step=0.01, cosmology=tr.Cosmology(omega_m=0.3), scale_factor=0.1)
    with pytest.raises(
        ValueError, match=r"^the first force is Sph.*: particles that stay on a device move under gravity"
    ):
        tr.Simulation(ball(), [gas], timestep=1e-3, resident=True, device="cpu")


def test_a_run_goes_by_its_file(tmp_path: Path, trellis: Command) -> None:
    file, out = tmp_path / "tube.toml", tmp_path / "out"
    file.write_text(
        f"[run]\nuntil = 0.02\noutput = '{out}'\nlog_every = 1\nsnapshot_every = 0.02\n"
        "[ic]\nmodel = 'sod'\nparticles = 600\n[sph]\nsound_speed = 0.5\n"
    )
    checked = trellis("check", file)
    assert checked.returncode == 0, checked.stderr
    done = trellis("run", file)
    assert done.returncode == 0, done.stderr
    assert "the shocks of an isothermal gas lose energy" in done.stdout + done.stderr
    last = tr.io.read_snapshot(sorted(out.glob("snapshot_*"))[-1]).particles
    internal = read_energy_log(out / "energy.csv")["internal"][-1]
    assert internal == pytest.approx(np.sum(last.mass * 0.25 * np.log(last.density)), rel=1e-5)
    drawn = trellis("plot", "--exact", out)
    assert drawn.returncode == 2
    assert "is isothermal (sph.sound_speed): exact solutions are of gamma" in drawn.stderr
    refused = trellis("check", file, "--set", "sph.gamma=1.4")
    assert refused.returncode == 2
    assert "gamma is 1.4, but sound_speed is given: a gas of one temperature has no gamma" in refused.stderr


def test_gas_without_energies_is_gas_in_snapshots(tmp_path: Path) -> None:
    sim = tr.Simulation(ball(), [tr.Sph(sound_speed=C)])
    sim.run(steps=1)
    tr.io.write_snapshot(tmp_path / "gas.hdf5", sim.particles)
    again = tr.io.read_snapshot(tmp_path / "gas.hdf5").particles
    assert (again.type == 0).all()
    tr.Simulation(again, [tr.Sph(sound_speed=C)]).run(steps=1)


def test_a_gas_that_becomes_isothermal_has_the_energies_of_one() -> None:
    gas = ball()
    gas.velocity[:] = 0
    gas.internal_energy = 1.5
    sim = tr.Simulation(gas, [tr.Sph()])
    sim.run(steps=2)
    for c in (0.5, 1.0):
        sim = tr.Simulation.resume(sim.state(), [tr.Sph(sound_speed=c)])
        energies, now = sim.energies(), sim.particles
        assert energies.internal == pytest.approx(c**2 * np.sum(now.mass * np.log(now.density)), rel=1e-12)
        assert abs(energies.error) < 0.01
    for gamma in (5 / 3, 1.4):
        sim = tr.Simulation.resume(sim.state(), [tr.Sph(gamma=gamma)])
        assert sim.energies().internal == pytest.approx(np.sum(now.mass * now.internal_energy), rel=1e-12)
        assert abs(sim.energies().error) < 0.01
