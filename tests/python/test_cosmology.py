"""`trellis.Cosmology`: what Python adds, and astropy's numbers."""

import pickle

import pytest

import trellis as tr


def test_has_its_parameters() -> None:
    cosmology = tr.Cosmology(omega_m=0.3, h=0.7, sigma_8=0.8)
    assert (cosmology.omega_m, cosmology.omega_lambda, cosmology.H0) == (0.3, 0.7, 0.1)
    assert (cosmology.h, cosmology.sigma_8, cosmology.omega_b, cosmology.n_s) == (0.7, 0.8, None, None)
    assert repr(pickle.loads(pickle.dumps(cosmology))) == "Cosmology(omega_m=0.3, h=0.7, sigma_8=0.8)"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"omega_m": -1.0}, "omega_m is -1: allowed is above 0"),
        ({"omega_m": 0.3, "omega_b": 0.4}, "omega_b is 0.4: allowed is at most omega_m, 0.3"),
        ({"omega_m": 0.3, "sigma_8": 0.8, "A_s": 2e-9}, "both of sigma_8 and A_s given: allowed is one"),
        ({"omega_m": 0.3, "w0": -1.0, "wa": 1.0}, "w0 \\+ wa is 0: allowed is below 0"),
    ],
)
def test_refuses(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tr.Cosmology(**wrong)


def test_agrees_with_astropy() -> None:
    astropy = pytest.importorskip("astropy.cosmology")
    units = pytest.importorskip("astropy.units")
    theirs = astropy.w0waCDM(H0=70, Om0=0.3, Ode0=0.65, w0=-0.9, wa=0.2, Tcmb0=2.7, Neff=3.04, m_nu=0)
    ours = tr.Cosmology(omega_m=0.3, omega_lambda=0.65, omega_r=theirs.Ogamma0 + theirs.Onu0, w0=-0.9, wa=0.2, H0=0.07)
    unit = units.kpc / (units.km / units.s)
    for a in (0.02, 0.5, 1.0):
        z = 1 / a - 1
        assert ours.hubble(a) == pytest.approx((theirs.H(z) * unit).to_value(""), rel=1e-9)
        assert ours.time(a) == pytest.approx((theirs.age(z) / unit).to_value(""), rel=1e-7)
        assert ours.matter_share(a) == pytest.approx(theirs.Om(z), rel=1e-9)
