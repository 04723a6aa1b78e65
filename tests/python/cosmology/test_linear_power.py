from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import trellis as tr
from trellis.cosmology import FITS, LinearPower, halo_abundance

FORMULAE = ("eisenstein-hu", "no-wiggle")
PLANCK = {"omega_m": 0.31, "omega_b": 0.049, "h": 0.677, "n_s": 0.967}
# k in h/Mpc and P in (Mpc/h)^3, of CAMB 2.0.5 with A_s = 2.1e-9 and neutrinos without mass
CAMB = np.array(
    [
        (1e-4, 426.433206),
        (1e-3, 3873.97941),
        (1e-2, 22425.1145),
        (0.05, 12574.0375),
        (0.1, 5585.23971),
        (0.2, 2000.96529),
        (0.5, 321.556805),
        (1.0, 69.3195854),
        (5.0, 1.37158796),
        (10.0, 0.229153345),
    ]
)


def test_the_formula_agrees_with_camb() -> None:
    k, power = CAMB.T
    ratio = LinearPower(tr.Cosmology(**PLANCK, A_s=2.1e-9))(k / 1000) / (power * 1e9)
    assert ratio == pytest.approx(np.ones(len(k)), abs=0.05)
    assert ratio[:3] == pytest.approx(np.ones(3), abs=0.007)
    smooth = LinearPower(tr.Cosmology(**PLANCK, A_s=2.1e-9), "no-wiggle")(k / 1000) / (power * 1e9)
    assert smooth == pytest.approx(np.ones(len(k)), abs=0.09)


def test_camb_itself() -> None:
    pytest.importorskip("camb")
    k, power = CAMB.T
    found = LinearPower(tr.Cosmology(**PLANCK, A_s=2.1e-9), "camb")
    assert found(k / 1000) / (power * 1e9) == pytest.approx(np.ones(len(k)), rel=2e-3)


def test_without_camb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "camb", None)
    with pytest.raises(RuntimeError, match=r"needs the package camb: pip install camb"):
        LinearPower(tr.Cosmology(**PLANCK, A_s=2.1e-9), "camb")


def test_only_one_of_the_formulae_oscillates() -> None:
    k = np.geomspace(0.03, 0.3, 200) / 1000
    slopes = [np.diff(np.log(LinearPower(tr.Cosmology(**PLANCK, A_s=2e-9), source)(k))) for source in FORMULAE]
    assert [(np.diff(slope) > 0).any() for slope in slopes] == [True, False]


@pytest.mark.parametrize("source", FORMULAE)
def test_fluctuations_in_spheres_have_sigma_8(source: str) -> None:
    power = LinearPower(tr.Cosmology(**PLANCK, sigma_8=0.81), source)
    assert float(power.sigma(8000.0)) == pytest.approx(0.81, rel=1e-12)
    cosmology = power.cosmology
    mass = 4 / 3 * np.pi * 8000.0**3 * cosmology.mean_density(tr.units.GADGET.G)
    assert float(power.sigma_of_mass(mass)) == pytest.approx(0.81, rel=1e-12)


def test_power_grows_as_the_square_of_displacements() -> None:
    cosmology = tr.Cosmology(**PLANCK, sigma_8=0.81)
    power = LinearPower(cosmology)
    growth = cosmology.D1(0.02) / cosmology.D1(1.0)
    assert power(1e-4, 0.02) == pytest.approx(power(1e-4) * growth**2)
    assert power.sigma(3000.0, 0.02) == pytest.approx(power.sigma(3000.0) * growth)


def power_law(folder: Path) -> Path:
    k = np.geomspace(1e-5, 1e3, 400)
    path = folder / "power.txt"
    np.savetxt(path, np.stack((k, 100 * k**-2.0), axis=1), header="k P")
    return path


def test_spheres_of_a_power_law(tmp_path: Path) -> None:
    """Of P = A / k^2: sigma^2 = A / (2 pi^2 R) times the integral of (3 j1(x) / x)^2 from 0 on, which is 3 pi / 5."""
    power = LinearPower(tr.Cosmology(omega_m=0.3), power_law(tmp_path))
    radius = np.array([1.0, 10.0])
    assert power.sigma(1000 * radius) ** 2 == pytest.approx(100 / (2 * np.pi**2 * radius) * 3 * np.pi / 5, rel=1e-3)
    assert power(2e-3) == pytest.approx(25e9, rel=1e-6)


def test_a_table_belongs_to_its_redshift(tmp_path: Path) -> None:
    cosmology = tr.Cosmology(omega_m=0.3)
    power = LinearPower(cosmology, power_law(tmp_path), redshift=49.0)
    assert power(1e-3, 0.02) == pytest.approx(1e11)
    assert power(1e-3) == pytest.approx(1e11 * (cosmology.D1(1.0) / cosmology.D1(0.02)) ** 2)
    with pytest.raises(ValueError, match=r"the table of power ends at k = 1000 h/Mpc, but 2000 h/Mpc is needed"):
        power(2.0)
    scaled = LinearPower(tr.Cosmology(omega_m=0.3, sigma_8=0.5), power_law(tmp_path), redshift=49.0)
    assert float(scaled.sigma(8000.0)) == pytest.approx(0.5)


def test_lengths_with_and_without_h() -> None:
    with_h = LinearPower(tr.Cosmology(**PLANCK, sigma_8=0.81))
    without = LinearPower(tr.Cosmology(**PLANCK, sigma_8=0.81, H0=0.0677))
    assert without.megaparsec == pytest.approx(1000 / 0.677)
    assert without(0.677e-4) == pytest.approx(with_h(1e-4) / 0.677**3)


@pytest.mark.parametrize(
    ("given", "source", "sentence"),
    [
        ({"h": 0.7}, "eisenstein-hu", r"eisenstein-hu needs omega_b, n_s, sigma_8 \(or A_s\) of the cosmology"),
        ({"h": 0.7, "omega_b": 0.04, "n_s": 1.0}, "camb", r"by camb needs sigma_8 \(or A_s\) of the cosmology"),
        ({}, "no-such-table.txt", "there is no file 'no-such-table.txt'"),
    ],
)
def test_refuses(given: dict[str, float], source: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        LinearPower(tr.Cosmology(omega_m=0.3, **given), source)


@pytest.mark.parametrize("text", ["", "1 2\n", "1 2\n1 3\n", "1 2\n2 -3\n", "1 2\n2 x\n", "1\n2\n"])
def test_refuses_what_is_no_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match="is no table of power"):
        LinearPower(tr.Cosmology(omega_m=0.3), path)


def test_halos_of_a_power_law(tmp_path: Path) -> None:
    """Of P = A / k^2, sigma falls as M^(-1/6)."""
    power = LinearPower(tr.Cosmology(omega_m=0.3, sigma_8=1.0), power_law(tmp_path))
    mass = 4 / 3 * np.pi * 8000.0**3 * power.mean_density  # whose sigma is 1
    assert FITS["watson-2013"](1.0) == pytest.approx(0.282 * (1.406**2.163 + 1) * np.exp(-1.21))
    for fit, f in FITS.items():
        expected = f(np.array(1.0)) / 6 * power.mean_density / mass
        assert halo_abundance(power, mass, fit=fit) == pytest.approx(expected, rel=2e-3)
    with pytest.raises(ValueError, match="fit is 'watson': did you mean 'watson-2013'"):
        halo_abundance(power, mass, fit="watson")


def test_the_two_fits_agree_about_galaxies_and_clusters() -> None:
    power = LinearPower(tr.Cosmology(**PLANCK, sigma_8=0.81))
    mass = np.geomspace(1e2, 1e4, 5)  # 1e12 to 1e14 solar masses over h
    ratio = halo_abundance(power, mass) / halo_abundance(power, mass, fit="warren-2006")
    assert ratio == pytest.approx(np.ones(5), abs=0.1)
