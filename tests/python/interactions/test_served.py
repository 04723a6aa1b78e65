"""Interactions in Python on devices of servers: what travels is their graph."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_interactions import after_a_step, dust, gas, gravity, lennard_jones, melt

import trellis as tr

DEVICE = "opencl:0"
Serve = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.usefixtures("opencl", "keys")
PRECISIONS = pytest.mark.parametrize(("precision", "error"), [("single", 1e-6), ("double", 1e-14)])


def lent(serve: Serve, socket: Path, device: str = DEVICE) -> str:
    """Start a server and return the name of its device."""
    serve("--unix", str(socket), "--device", device)
    return f"unix:{socket}/{device}"


def same_bits(a: tr.Simulation, b: tr.Simulation, names: tuple[str, ...]) -> bool:
    return all(np.array_equal(a.particles.column(name), b.particles.column(name)) for name in names)


@PRECISIONS
@pytest.mark.parametrize("lent_device", [DEVICE, "cpu"])
def test_a_server_gives_the_bits_of_its_device(
    serve: Serve, tmp_path: Path, lent_device: str, precision: str, error: float
) -> None:
    there = lent(serve, tmp_path / "socket", lent_device)
    stars, atoms = tr.ic.plummer(2000, seed=2), melt()
    tree: dict[str, Any] = {"theta": 0.4, "group_size": 100, "precision": precision, "lists": "reuse"}
    near, far = (after_a_step(stars, gravity(epsilon2=1e-4, device=device, **tree)) for device in (lent_device, there))
    assert same_bits(near, far, ("acceleration", "potential", "position"))
    assert far.force_error(100)["rms"] < 5e-3  # of a tree
    near, far = (
        after_a_step(atoms, lennard_jones(cutoff=2.5, precision=precision, device=device))
        for device in (lent_device, there)
    )
    assert same_bits(near, far, ("acceleration", "potential", "virial", "position"))
    assert far.force_error(100)["rms"] < error
    bonds = [(k, k + 1, 0.5 * (k % 2)) for k in range(0, 60, 3)]
    near, far = (
        after_a_step(atoms, lennard_jones(cutoff=2.5, precision=precision, exclude=bonds, device=device))
        for device in (lent_device, there)
    )
    assert same_bits(near, far, ("acceleration", "potential", "virial", "position"))
    assert far.force_error(100)["rms"] < error
    near, far = (
        after_a_step(atoms, gas(cutoff=2.0, precision=precision, device=device)) for device in (lent_device, there)
    )
    assert same_bits(near, far, ("density", "pressure", "nearest"))


@pytest.mark.parametrize("lent_device", [DEVICE, "cpu"])
def test_expansions_on_a_server_have_the_bits_of_its_device(serve: Serve, tmp_path: Path, lent_device: str) -> None:
    there = lent(serve, tmp_path / "socket", lent_device)
    particles, chosen = dust(2000), {"theta": 0.8, "order": 3, "group_size": 32}
    near, far = (
        after_a_step(particles, tr.pair_potential("exp(-r) / r", source="charge", **chosen, device=device))
        for device in (lent_device, there)
    )
    assert same_bits(near, far, ("acceleration", "potential"))
    assert far.interactions < 2000**2 / 2  # the rest by expansions


def test_sums_over_all_pairs_are_those_of_double_precision(serve: Serve, tmp_path: Path) -> None:
    there = lent(serve, tmp_path / "socket")
    sim = after_a_step(dust(500), gravity(epsilon2=1e-4, theta=1e-6, precision="double", device=there))
    assert sim.force_error(100)["rms"] < 1e-14


# A program whose interaction has the power of the distance that it is given.
CLIENT = """
import sys
import numpy as np
import trellis as tr

@tr.interaction
def attraction(i, j, out):
    d = j.position - i.position
    out.acceleration += j.mass * (1 + tr.dot(d, d)) ** int(sys.argv[1]) * d

sim = tr.Simulation(tr.ic.plummer(300, seed=1), [attraction(theta=0.1)], timestep=0.01, device=sys.argv[2])
for _ in range(5):
    sim.run(steps=1)
    print(sim.force_error(50)["rms"] < 1e-3)
"""


def test_two_clients_with_interactions_of_one_name(serve: Serve, tmp_path: Path) -> None:
    there = lent(serve, tmp_path / "socket")
    program = tmp_path / "client.py"
    program.write_text(CLIENT)
    clients = [
        subprocess.Popen([sys.executable, program, str(power), there], stdout=subprocess.PIPE, text=True)
        for power in (-1, -2)
    ]
    for client in clients:
        assert client.communicate(timeout=100)[0] == 5 * "True\n"


def run_past_a_kill(server: subprocess.Popen[str], sim: tr.Simulation) -> None:
    """Run two steps on a server that is killed then, and two on the spare."""
    sim.run(steps=2)
    server.send_signal(signal.SIGKILL)
    server.wait()
    with pytest.warns(RuntimeWarning, match="takes its place"):
        sim.run(steps=2)


def test_a_server_that_is_killed_is_followed_by_a_spare(serve: Serve, tmp_path: Path) -> None:
    first, second = (serve("--unix", str(tmp_path / name), "--device", DEVICE) for name in ("first", "second"))
    there, spare = (f"unix:{tmp_path / name}/{DEVICE}" for name in ("first", "second"))
    force, stars = gravity(epsilon2=1e-4, theta=0.5), tr.ic.plummer(500, seed=1)
    sim = tr.Simulation(stars.copy(), [force], timestep=0.01, device=there, spares=[spare], grace=0.5)
    whole = tr.Simulation(stars.copy(), [force], timestep=0.01, device=DEVICE)
    run_past_a_kill(first, sim)
    whole.run(steps=4)
    assert second.poll() is None
    assert same_bits(sim, whole, ("acceleration", "position"))


def test_a_server_that_comes_back_makes_the_kernels_again(serve: Serve, tmp_path: Path) -> None:
    force, stars = gravity(epsilon2=1e-4, theta=0.5), tr.ic.plummer(300, seed=1)
    found = []
    for _ in range(2):
        server = serve("--unix", str(tmp_path / "socket"), "--device", DEVICE)
        sim = tr.Simulation(stars.copy(), [force], timestep=0.01, device=f"unix:{tmp_path / 'socket'}/{DEVICE}")
        sim.run(steps=1)
        found.append(sim.particles.acceleration.copy())
        server.kill()
        server.wait()
    np.testing.assert_array_equal(found[0], found[1])


def test_a_spare_goes_on_with_expansions(serve: Serve, tmp_path: Path) -> None:
    first = serve("--unix", str(tmp_path / "first"), "--device", "cpu")
    there, spare = f"unix:{tmp_path / 'first'}/cpu", lent(serve, tmp_path / "second", "cpu")
    force = tr.pair_potential("-1 / sqrt(r**2 + 0.01)", source="mass", accuracy=1e-3, group_size=32)
    stars = tr.ic.plummer(1000, seed=1)
    sim = tr.Simulation(stars.copy(), [force], timestep=0.01, device=there, spares=[spare], grace=0.5)
    whole = tr.Simulation(stars.copy(), [force], timestep=0.01, device="cpu")
    run_past_a_kill(first, sim)
    whole.run(steps=4)
    assert same_bits(sim, whole, ("acceleration", "position"))


def test_a_processor_of_a_server_takes_the_place_of_a_gpu(serve: Serve, tmp_path: Path) -> None:
    first = serve("--unix", str(tmp_path / "first"), "--device", DEVICE)
    spare = lent(serve, tmp_path / "second", "cpu")
    force, stars = gravity(epsilon2=1e-2, theta=0.4), tr.ic.plummer(500, seed=1)
    given: dict[str, Any] = {"device": f"unix:{tmp_path / 'first'}/{DEVICE}", "spares": [spare], "grace": 0}
    sim = tr.Simulation(stars.copy(), [force], timestep=0.01, **given)
    sim.run(steps=2)
    first.send_signal(signal.SIGKILL)
    first.wait()
    with pytest.warns(RuntimeWarning, match="takes its place"):
        sim.run(steps=2)
    assert sim.force_error(100)["rms"] < 5e-3
