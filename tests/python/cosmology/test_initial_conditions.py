from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.cosmology.displacements import first_order, second_order
from trellis.cosmology.gaussian_field import density_waves, white_noise
from trellis.cosmology.philox import philox
from trellis.cosmology.shared_mesh import SharedMesh

SPACE = tr.Cosmology(omega_m=0.31, omega_b=0.049, h=0.677, n_s=0.967, sigma_8=0.81)
SIDE = 200_000.0


def make(side: int, **given: object) -> tr.ParticleSet:
    return tr.ic.cosmology(SPACE, side**3, box=SIDE, **given)  # type: ignore[arg-type]


def displacement(particles: tr.ParticleSet) -> np.ndarray:
    side = round(len(particles) ** (1 / 3))
    lattice = np.stack(np.unravel_index(particles.id.astype(int), (side,) * 3), axis=1) * (SIDE / side)
    away = particles.position - lattice
    return away - SIDE * np.round(away / SIDE)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [  # of the authors' known answers
        ([0] * 4, (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([0xFFFFFFFF] * 4, (0xFFFFFFFF, 0xFFFFFFFF), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            (0xA4093822, 0x299F31D0),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_has_its_known_answers(counter: list[int], key: tuple[int, int], answer: str) -> None:
    words = philox(tuple(np.array([word], dtype=np.uint32) for word in counter), key)  # type: ignore[arg-type]
    assert " ".join(f"{int(word[0]):08x}" for word in words) == answer


def test_white_noise_is_gaussian_and_of_a_real_field() -> None:
    mesh = SharedMesh(24)
    noise = white_noise(mesh, 7)
    back = mesh.waves(mesh.field(noise))
    assert np.abs(back - noise).max() < 1e-12
    drawn = noise[:, :, 1:-1][noise[:, :, 1:-1] != 0]
    for values in (drawn.real, drawn.imag):
        ordered = np.sort(values) * np.sqrt(2)
        normal = 0.5 * (1 + np.vectorize(erf)(ordered / np.sqrt(2)))
        ks = np.abs(normal - np.arange(1, len(normal) + 1) / len(normal)).max()
        assert ks < 1.95 / np.sqrt(len(normal))  # p = 0.001
    assert np.mean(drawn**2) == pytest.approx(0, abs=0.05)
    assert not np.array_equal(noise, white_noise(mesh, 8))
    assert not np.array_equal(noise, white_noise(mesh, 7 + (1 << 32)))


def erf(x: float) -> float:
    from math import erf as of_math

    return of_math(x)


def test_a_seed_has_the_same_long_waves_at_all_resolutions() -> None:
    coarse, fine = (white_noise(SharedMesh(cells), 5) for cells in (16, 32))
    numbers = [axis.astype(int) for axis in SharedMesh(16).wave_numbers]
    shared = fine[numbers[0], numbers[1], numbers[2]]
    within = np.broadcast_to((np.abs(numbers[0]) < 8) & (np.abs(numbers[1]) < 8) & (numbers[2] < 8), coarse.shape)
    assert np.array_equal(coarse[within], shared[within])
    assert not coarse[~within].any()


def test_two_resolutions_move_the_same_points_in_the_same_way(tmp_path: Path) -> None:
    """With power on long waves alone, 32^3 and 64^3 differ by rounding, and the second order by what is folded back."""
    k = np.geomspace(1e-4, 100, 2000)
    path = tmp_path / "power.txt"
    np.savetxt(path, np.stack((k, np.where(k < 2 * np.pi / 200 * 7.2, 100.0, 1e-20)), axis=1))
    coarse, fine = (displacement(make(side, power=str(path))).reshape(side, side, side, 3) for side in (32, 64))
    assert fine[::2, ::2, ::2] == pytest.approx(coarse, abs=1e-9 * SIDE)
    assert np.abs(coarse).max() > 1e-5 * SIDE


@pytest.mark.parametrize("direction", [[2, 1, 0], [0, 2, 1], [1, 0, 2]])
def test_one_wave_displaces_as_zeldovich_says(direction: list[int]) -> None:
    """Of the contrast A cos(k x), the displacement is -A / k sin(k x) along the wave, and none is of second order."""
    cells, side, amplitude = 16, 10.0, 0.01
    place = np.indices((cells,) * 3) * (side / cells)
    k = 2 * np.pi / side * np.array(direction)
    phase = np.einsum("i,ijkl->jkl", k, place)
    mesh = SharedMesh(cells)
    contrast = mesh.waves(amplitude * np.cos(phase))
    found = first_order(mesh, contrast, side)
    for axis in range(3):
        assert mesh.field(found[axis]) == pytest.approx(-amplitude * k[axis] / (k @ k) * np.sin(phase), abs=1e-14)
    for waves in second_order(mesh, contrast, side):
        assert np.abs(mesh.field(waves)).max() < 1e-16


def test_second_order_of_two_waves() -> None:
    """Of A cos x + B cos y, phi,xx phi,yy is A B cos x cos y = -(Laplacian of phi2): phi2 = -A B / 2 cos x cos y."""
    cells, A, B = 16, 0.1, 0.2
    x, y, _ = np.indices((cells,) * 3) * (2 * np.pi / cells)
    mesh = SharedMesh(cells)
    found = [mesh.field(each) for each in second_order(mesh, mesh.waves(A * np.cos(x) + B * np.cos(y)), 2 * np.pi)]
    assert found[0] == pytest.approx(A * B / 2 * np.sin(x) * np.cos(y), abs=1e-15)
    assert found[1] == pytest.approx(A * B / 2 * np.cos(x) * np.sin(y), abs=1e-15)
    assert np.abs(found[2]).max() < 1e-16


@pytest.mark.parametrize("a", [0.02, 0.8])
def test_velocities_are_the_growth_of_displacements(a: float) -> None:
    """p = a^2 dx/dt, by the difference of displacements at two nearby redshifts; of both orders, each by itself."""
    step = 1e-3

    def both(a: float, what: str) -> list[np.ndarray]:
        first, all_of_it = (make(8, redshift=1 / a - 1, displacements=name) for name in ("zeldovich", "second-order"))
        of_first, of_all = (displacement(each) if what == "place" else each.velocity for each in (first, all_of_it))
        return [of_first, of_all - of_first]

    before, after = (both(each, "place") for each in (a - step * a, a + step * a))
    for early, late, velocity in zip(before, after, both(a, "velocity"), strict=True):
        expected = a**2 * SPACE.hubble(a) * (late - early) / (2 * step)
        assert velocity == pytest.approx(expected, abs=1e-4 * np.abs(expected).max())
        assert np.abs(expected).max() > 0


def test_a_table_is_that_at_the_redshift(tmp_path: Path) -> None:
    """Of fixed amplitudes, the mean square of displacements is the sum of P / (V k^2) over all waves of the lattice."""
    path = tmp_path / "power.txt"
    np.savetxt(path, [[1e-4, 100.0], [100.0, 100.0]])
    particles = tr.ic.cosmology(
        tr.Cosmology(omega_m=0.3), 8**3, box=SIDE, power=str(path), fixed=True, displacements="zeldovich"
    )
    number = np.stack(np.meshgrid(*[np.arange(-3, 4)] * 3)).reshape(3, -1)
    square = (number**2).sum(axis=0)
    expected = 100.0 * 1e9 / SIDE**3 * (SIDE / (2 * np.pi)) ** 2 * (1 / square[square > 0]).sum()
    assert (displacement(particles) ** 2).sum(axis=1).mean() == pytest.approx(expected)


@pytest.mark.parametrize("redshift", [49.0, 9.0])
def test_particles_have_the_linear_power(redshift: float) -> None:
    """Of fixed amplitudes, at k up to a quarter of Nyquist's: on average within 1 % of the input, early on."""
    particles = make(32, redshift=redshift, fixed=True)
    found = tr.analysis.power_spectrum(particles, 64, order=4, subtract_shot_noise=False)
    shells = slice(0, 4)
    a = 1 / (1 + redshift)
    k = mean_of_shells(lambda k: tr.cosmology.LinearPower(SPACE)(k, a))[shells]
    assert found.power[shells] / k == pytest.approx(np.ones(4), abs=0.004 if redshift > 20 else 0.1)


def mean_of_shells(power: object) -> np.ndarray:
    """The mean of P(k) over the very waves of each shell."""
    number = np.fft.fftfreq(64, 1 / 64)
    length = np.sqrt(number[:, None, None] ** 2 + number[:, None] ** 2 + number**2).ravel()
    length = length[(length > 0) & (length < 12)]
    shell = np.rint(length).astype(int)
    values = power(2 * np.pi / SIDE * length)  # type: ignore[operator]
    return np.bincount(shell, values)[1:] / np.bincount(shell)[1:]


def test_a_pair_has_contrasts_of_opposite_sign() -> None:
    one, other = (make(16, displacements="zeldovich", paired=paired) for paired in (False, True))
    assert displacement(other) == pytest.approx(-displacement(one), abs=1e-9 * SIDE)
    assert other.velocity == pytest.approx(-one.velocity)


def test_box_mass_and_ids() -> None:
    made = make(10)
    assert len(made) == 1000
    assert made.box.tolist() == [[0.0] * 3, [SIDE] * 3]
    assert made.mass.sum() == pytest.approx(SPACE.mean_density(tr.units.GADGET.G) * SIDE**3)
    assert made.id.tolist() == list(range(1000))
    assert (made.position >= 0).all()
    assert (made.position < SIDE).all()


def test_power_has_its_amplitude() -> None:
    mesh = SharedMesh(16)
    waves = density_waves(mesh, white_noise(mesh, 3, fixed=True), lambda k: 5.0 * k**-1.0, 10.0)
    number = 2 * np.pi / 10 * np.sqrt(1 + 4 + 9)
    assert abs(waves[1, 2, 3]) ** 2 * 10.0**3 / 16**6 == pytest.approx(5.0 / number)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"redshift": -1.0}, "'redshift' is -1.0, but must be at least 0"),
        (
            {"displacements": "third-order"},
            "'displacements' is 'third-order', but must be 'second-order' or 'zeldovich'",
        ),
        ({"power": "nowhere.txt"}, "there is no file 'nowhere.txt'"),
    ],
)
def test_refuses(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make(8, **wrong)
