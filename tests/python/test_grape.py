from __future__ import annotations

import doctest
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

import trellis as tr
from trellis import grape

Array = NDArray[np.float64]


def bodies(count: int, seed: int = 1) -> tuple[Array, Array]:
    random = np.random.default_rng(seed)
    return random.normal(size=(count, 3)), random.uniform(0.5, 1.5, count) / count


def direct_sum(at: Array, x: Array, m: Array, eps: float) -> tuple[Array, Array]:
    d = x[None] - at[:, None]
    r2 = (d**2).sum(axis=2) + eps**2
    return (m[:, None] * d / r2[..., None] ** 1.5).sum(axis=1), (m / np.sqrt(r2)).sum(axis=1)


def assert_same(found: tuple[Array, Array], exact: tuple[Array, Array]) -> None:
    for one, other in zip(found, exact, strict=True):
        assert one.shape == other.shape
        assert one == pytest.approx(other, abs=1e-6 * np.abs(other).mean(), rel=1e-6)


def test_examples_of_the_module() -> None:
    assert doctest.testmod(grape).failed == 0


def test_grape5_sums_over_all_pairs() -> None:
    x, m = bodies(400)
    grape.g5_open()
    grape.g5_set_range(-10, 10, m.min())
    grape.g5_set_eps_to_all(0.05)
    grape.g5_set_xmj(x[:250], m[:250])
    grape.g5_set_xmj(x[250:], m[250:], adr=250)
    grape.g5_set_n(400)
    assert_same(grape.g5_calculate_force_on_x(x[:100]), direct_sum(x[:100], x, m, 0.05))
    grape.g5_set_n(200)
    grape.g5_set_xi(x[:50])
    grape.g5_run()
    assert_same(grape.g5_get_force(), direct_sum(x[:50], x[:200], m[:200], 0.05))
    assert grape.g5_get_jmemsize() >= 65536
    assert grape.g5_get_number_of_pipelines() >= 48
    grape.g5_close()


def test_grape5_boards_from_several_threads() -> None:
    grape.g5_set_eps_to_all(0.1)

    def compute(devid: int) -> None:
        for turn in range(5):
            x, m = bodies(200 + 30 * turn, seed=devid)
            grape.g5_set_xmj(x, m, devid=devid)
            grape.g5_set_n(len(m), devid)
            assert_same(grape.g5_calculate_force_on_x(x, devid), direct_sum(x, x, m, 0.1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(compute, range(4)))
    grape.g5_close()


def test_original_library() -> None:
    x, m = bodies(100)
    grape.g3setscales(1, 1)
    grape.g3seteps2(0.01)
    grape.g3setn(100)
    for j in range(100):
        grape.g3setxj(j, x[j])
        grape.g3setm(j, m[j])
    assert_same(grape.g3frc(x[:8]), direct_sum(x[:8], x, m, 0.1))


@pytest.mark.parametrize("calculate", [grape.g3docalculation, grape.g3docalculationpara])
def test_gravity_and_neighbours_of_ranges(calculate: Callable[[int, int, int, int, int], None]) -> None:
    x, m = bodies(300)
    h = np.linspace(0.2, 0.6, 300)
    grape.g3seteps2(0.01)
    grape.g3setmass(m)
    grape.g3setdata(x)
    grape.g3seth2all(h)
    calculate(20, 220, 100, 300, grape.G3_GRAVITY_AND_NEIGHBORS)
    assert_same(grape.g3getgravityasync(), direct_sum(x[20:220], x[100:], m[100:], 0.1))
    found, begin = grape.g3getneighborasync()
    r = np.linalg.norm(x[100:] - x[20:220, None], axis=2)
    assert begin.tolist() == np.append(0, np.cumsum((r < h[20:220, None]).sum(axis=1))).tolist()
    for k in range(200):
        assert found[begin[k] : begin[k + 1]].tolist() == (100 + np.flatnonzero(r[k] < h[20 + k])).tolist()


def test_errors_say_what_is_allowed() -> None:
    grape.g3setdata(np.zeros((5, 3)))
    with pytest.raises(tr.InputError, match=r"mode is 7, but must be 1 \(gravity\), 2 .* or 3"):
        grape.g3docalculation(0, 5, 0, 5, 7)
    with pytest.raises(tr.InputError, match="the i-particles are 1 to 6, but there are 5 particles"):
        grape.g3docalculation(0, 6, 0, 5, 1)
    with pytest.raises(tr.InputError, match=r"the j-particles are \[3, 2\), but are counted from 0"):
        grape.g3docalculation(0, 5, 3, 2, 1)
    with pytest.raises(tr.InputError, match="there is no gravity yet"):
        grape.g3getgravity()
    with pytest.raises(tr.InputError, match="there are 2 positions, but 3 masses"):
        grape.g5_set_xmj(np.zeros((2, 3)), np.ones(3))
    with pytest.raises(tr.InputError, match="devid is 1024, but must be from 0 to 1023"):
        grape.g5_set_n(1, devid=1024)


def test_device_of_the_environment() -> None:
    program = "import trellis as tr; tr.grape.g5_open()"
    environment = {**os.environ, "TRELLIS_GRAPE_DEVICE": "nowhere"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert "TRELLIS_GRAPE_DEVICE: there is no device 'nowhere'" in done.stderr
