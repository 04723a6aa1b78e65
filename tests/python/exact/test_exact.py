from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import trellis as tr
from trellis.errors import InputError
from trellis.exact import Profile, State, gresho, noh, riemann, sedov

GAMMAS = (1.1, 1.4, 5 / 3, 2.0, 3.0)


@pytest.mark.parametrize(
    ("gamma", "star", "densities", "shock"),
    [
        (5 / 3, (0.29395, 0.84119), (0.47969, 0.22981), 1.84447),
        (1.4, (0.30313, 0.92745), (0.42632, 0.26557), 1.75216),
    ],
)
def test_sods_star_state(gamma: float, star: tuple[float, float], densities: tuple[float, float], shock: float) -> None:
    tube = riemann(gamma=gamma)
    assert (tube.pressure, tube.velocity) == pytest.approx(star, abs=5e-6)
    assert (tube.left_wave.density, tube.right_wave.density) == pytest.approx(densities, abs=5e-6)
    assert tube.right_wave.is_shock
    assert not tube.left_wave.is_shock
    assert tube.right_wave.outer == pytest.approx(shock, abs=5e-6)
    assert tube.left_wave.outer == pytest.approx(-np.sqrt(gamma))


@pytest.mark.parametrize(
    ("left", "right", "pressure", "velocity"),
    [
        (State(1.0, -2.0, 0.4), State(1.0, 2.0, 0.4), 0.00189, 0.0),
        (State(1.0, 0.0, 1000.0), State(1.0, 0.0, 0.01), 460.894, 19.5975),
        (State(1.0, 0.0, 0.01), State(1.0, 0.0, 100.0), 46.0950, -6.19633),
        (State(5.99924, 19.5975, 460.894), State(5.99242, -6.19633, 46.0950), 1691.64, 8.68975),
    ],
)
def test_star_states_of_toros_table(left: State, right: State, pressure: float, velocity: float) -> None:
    """Toro (2009), table 4.2, gamma 1.4: two rarefactions, strong shocks to either side, two shocks."""
    solution = riemann(left, right, 1.4)
    assert solution.pressure == pytest.approx(pressure, rel=1e-5, abs=5e-6)
    assert solution.velocity == pytest.approx(velocity, rel=1e-5, abs=5e-6)


def conserved(profile: Profile) -> np.ndarray:
    """Mass, momentum and energy of a volume."""
    energy = profile.pressure / (profile.gamma - 1) + 0.5 * profile.density * profile.velocity**2
    return np.array([profile.density, profile.density * profile.velocity, energy])


def flux(profile: Profile) -> np.ndarray:
    _, momentum, energy = conserved(profile)
    return np.array(
        [momentum, momentum * profile.velocity + profile.pressure, (energy + profile.pressure) * profile.velocity]
    )


def integral(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    return 0.5 * (values[..., 1:] + values[..., :-1]) @ np.diff(places)


states = st.builds(State, st.floats(0.1, 10), st.floats(-2, 2), st.floats(0.01, 10))


@settings(max_examples=100, deadline=None)
@given(left=states, right=states, gamma=st.sampled_from(GAMMAS))
def test_mass_momentum_and_energy_change_by_what_flows_in(left: State, right: State, gamma: float) -> None:
    assume(right.velocity - left.velocity < 1.8 / (gamma - 1) * (left.sound_speed(gamma) + right.sound_speed(gamma)))
    solution = riemann(left, right, gamma)
    waves = [solution.left_wave.outer, solution.left_wave.inner, solution.right_wave.inner, solution.right_wave.outer]
    edge = 1.01 * max(np.abs(waves).max(), 1.0)
    jumps = sorted([-edge, *waves, solution.velocity, edge])
    now, size = np.zeros(3), np.ones(3)
    for low, high in pairwise(jumps):  # places at time 1
        there = conserved(solution(low + (high - low) * (np.arange(10_000) + 0.5) / 10_000))
        now += there.mean(axis=1) * (high - low)
        size += np.abs(there).mean(axis=1) * (high - low)
    ends = solution(np.array([-edge, edge]))
    before, inflow = edge * conserved(ends).sum(axis=1), flux(ends) @ [1.0, -1.0]
    assert np.abs(now - before - inflow) / size == pytest.approx(np.zeros(3), abs=1e-7)


def test_entropy_and_riemann_invariant_hold_through_a_rarefaction() -> None:
    fan = riemann()(np.linspace(-1.4, 0.8, 200))
    assert fan.pressure / fan.density ** (5 / 3) == pytest.approx(np.ones(200))
    assert fan.velocity + 3 * np.sqrt(5 / 3 * fan.pressure / fan.density) == pytest.approx(3 * np.sqrt(5 / 3))
    assert np.ptp(fan.velocity) == pytest.approx(0.84119, abs=1e-5)
    assert fan.internal_energy[0] == pytest.approx(1.5)


def test_a_solution_in_the_mirror_and_from_a_moving_frame() -> None:
    xi = np.linspace(-3, 3, 601) + 1e-3
    right, left = riemann(), riemann(State(0.125, 0, 0.1), State(1, 0, 1))
    assert left(-xi).density == pytest.approx(right(xi).density)
    assert left(-xi).velocity == pytest.approx(-right(xi).velocity)
    moving = riemann(State(1, 5, 1), State(0.125, 5, 0.1))
    assert moving(xi + 5).pressure == pytest.approx(right(xi).pressure)
    assert moving(xi + 5).velocity == pytest.approx(right(xi).velocity + 5)


def test_riemann_problems_that_have_no_solution_here() -> None:
    with pytest.raises(InputError, match=r"^the sides part at the speed 30, but must part at less than .*: a vacuum$"):
        riemann(State(1, -15, 1), State(1, 15, 1))
    with pytest.raises(InputError, match=r"^right pressure is 0, but must be a finite number above 0$"):
        riemann(right=State(1, 0, 0))
    with pytest.raises(InputError, match=r"^gamma is 1, but must be a finite number above 1$"):
        riemann(gamma=1)


def test_sedovs_shock_radius() -> None:
    blast = sedov(energy=1.0, density=1.0, gamma=5 / 3)
    assert blast.shock_radius(0.05) == pytest.approx(0.34747, abs=5e-6)
    assert sedov(energy=32.0, density=1.0).shock_radius(0.05) == pytest.approx(2 * blast.shock_radius(0.05))
    assert sedov(dimensions=2, density=16.0).shock_radius(0.8) == pytest.approx(sedov(dimensions=2).shock_radius(0.2))


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_a_blast_wave_has_the_mass_it_swept_up_and_its_energy(gamma: float, dimensions: int) -> None:
    blast = sedov(energy=0.7, density=2.0, gamma=gamma, dimensions=dimensions)
    edge = blast.shock_radius(0.3)
    radius = edge * (1 - np.linspace(1, 0, 200_001) ** 3)  # most of the mass is close to the shock
    surface = {1: 2.0, 2: 2 * np.pi, 3: 4 * np.pi}[dimensions] * radius ** (dimensions - 1)
    mass, _, energy = integral(conserved(blast(radius, 0.3)) * surface, radius)
    assert mass == pytest.approx(2.0 * edge * surface[-1] / dimensions, rel=1e-5)
    assert energy == pytest.approx(0.7, rel=1e-5)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("gamma", GAMMAS)
def test_a_blast_wave_obeys_the_equations_of_motion(gamma: float, dimensions: int) -> None:
    blast, time, step = sedov(gamma=gamma, dimensions=dimensions), 0.4, 1e-3
    radius = blast.shock_radius(time) * np.array([0.6, 0.8, 0.95])
    here, later, before = (blast(radius, t) for t in (time, time + step, time - step))
    outer, inner = blast(radius + step, time), blast(radius - step, time)

    def along(name: str) -> np.ndarray:
        """Rate of change of what moves with the gas."""
        value = [np.log(getattr(each, name)) for each in (later, before, outer, inner)]
        return (value[0] - value[1] + here.velocity * (value[2] - value[3])) / (2 * step)

    spread = (outer.velocity - inner.velocity) / (2 * step) + (dimensions - 1) * here.velocity / radius
    push = -(outer.pressure - inner.pressure) / (2 * step) / here.density
    assert along("density") == pytest.approx(-spread, rel=2e-3)
    assert along("pressure") == pytest.approx(-gamma * spread, rel=2e-3)
    assert here.velocity * along("velocity") == pytest.approx(push, rel=2e-3, abs=2e-3)


def test_a_blast_wave_at_its_edge_and_beyond() -> None:
    blast = sedov(density=3.0)
    edge = blast.shock_radius(0.05)
    speed = 0.4 * edge / 0.05
    just_behind, beyond = blast(edge * (1 - 1e-9), 0.05), blast([1.001 * edge, 9.0], 0.05)
    assert just_behind.density == pytest.approx(12.0, rel=1e-6)
    assert just_behind.velocity == pytest.approx(0.75 * speed, rel=1e-6)
    assert just_behind.pressure == pytest.approx(0.75 * 3.0 * speed**2, rel=1e-6)
    assert beyond.density.tolist() == [3.0, 3.0]
    assert not beyond.velocity.any()
    assert not beyond.pressure.any()
    centre = blast(0.0, 0.05)
    assert centre.density == 0.0
    assert centre.internal_energy == np.inf
    assert centre.pressure == pytest.approx(0.306 * just_behind.pressure, rel=1e-2)


def test_blast_waves_that_are_refused() -> None:
    with pytest.raises(InputError, match=r"^gamma is 7, but must be a finite number above 1 and below 7$"):
        sedov(gamma=7.0)
    with pytest.raises(InputError, match=r"^dimensions is 4, but must be 1, 2 or 3$"):
        sedov(dimensions=4)
    with pytest.raises(InputError, match=r"^energy is 0, but must be a finite number above 0$"):
        sedov(energy=0.0)
    with pytest.raises(InputError, match=r"^time is 0, but must be a finite number above 0$"):
        sedov()(0.1, 0.0)


@pytest.mark.parametrize(("dimensions", "density"), [(1, 4.0), (2, 16.0), (3, 64.0)])
def test_noh(dimensions: int, density: float) -> None:
    inside, outside = noh([0.1, 0.5], 0.6, dimensions=dimensions).density
    assert inside == pytest.approx(density)
    assert outside == pytest.approx(2.2 ** (dimensions - 1))
    radius = np.linspace(0, 0.5, 200_001)
    profile = noh(radius, 0.6, dimensions=dimensions)
    swept = integral(profile.density * radius ** (dimensions - 1), radius)
    assert swept == pytest.approx(1.1**dimensions / dimensions, rel=1e-3)  # came from 1.1, at speed 1
    assert profile.internal_energy[[0, -1]] == pytest.approx([0.5, 0.0])  # the kinetic energy it had
    assert profile.velocity[[0, -1]].tolist() == [0.0, -1.0]


def test_gresho_is_in_equilibrium() -> None:
    radius, step = np.array([0.05, 0.15, 0.25, 0.35, 0.45, 0.6]), 1e-6
    vortex = gresho(radius)
    slope = (gresho(radius + step).pressure - gresho(radius - step).pressure) / (2 * step)
    assert slope == pytest.approx(vortex.velocity**2 / radius, abs=1e-6)
    assert vortex.velocity == pytest.approx([0.25, 0.75, 0.75, 0.25, 0.0, 0.0])
    below, above = gresho(np.array([0.2, 0.4]) - 1e-12), gresho(np.array([0.2, 0.4]) + 1e-12)
    assert below.pressure == pytest.approx(above.pressure, abs=1e-9)
    assert gresho(0.0).pressure == 5.0


@pytest.mark.parametrize("solution", [lambda r: noh(r, 1.0), gresho, lambda r: sedov()(r, 1.0)])
def test_a_radius_that_is_no_distance_is_refused(solution: Callable[[Any], Profile]) -> None:
    with pytest.raises(InputError, match=r"^radius has the value -0\.3, but must be distances, 0 or more$"):
        solution([0.1, -0.3])
    with pytest.raises(InputError, match=r"^radius has the value nan, but must be distances, 0 or more$"):
        solution(np.nan)


@pytest.mark.parametrize("solution", [lambda r: noh(r, 1.0), gresho, lambda r: sedov()(r, 1.0), lambda x: riemann()(x)])
def test_particles_in_place_of_numbers_are_named(solution: Callable[[Any], Profile]) -> None:
    stars = tr.ic.plummer(10)
    for values, kind in ((stars, "ParticleSet"), (stars[:5], "Selection")):
        with pytest.raises(InputError, match=f"is given a {kind}, but must be numbers, such as one of its columns$"):
            solution(values)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda p: sedov(p, 1.0), "energy is a ParticleSet, but must be a number"),
        (lambda p: sedov()(0.1, p), "time is a ParticleSet, but must be a finite number"),
        (lambda _: noh(0.1, "1"), "time is '1', but must be a number"),
        (lambda _: gresho(0.1, gamma="x"), "gamma is 'x', but must be a number"),
        (lambda p: riemann(p), "left is a ParticleSet, but must be a State, such as State.*"),
        (lambda _: riemann(State(1.0, np.nan, 1.0)), "left velocity is nan, but must be a finite number"),
        (lambda _: riemann(right=State(1.0, 0.0, "1")), "right pressure is '1', but must be a finite number"),
    ],
)
def test_arguments_of_other_kinds_are_one_sentence(call: Callable[[tr.ParticleSet], Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{sentence}$"):
        call(tr.ic.plummer(10))
