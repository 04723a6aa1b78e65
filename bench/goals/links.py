"""Goals for a link of 1 Gbit/s: two network namespaces with a veth pair between them, held to it by `tc tbf`.

    OMP_NUM_THREADS=1 python bench/goals/links.py CASE PARTICLES NEAR FAR

in the client's namespace prints the seconds of a case with a device near, by a Unix socket, and far, over the link, as
JSON: pairs of them by turns. `run.py` runs it so. Namespaces need the rights of root.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import numpy as np
from row import Row
from servers import server

import trellis as tr
from trellis.model.remote.equations import t_LAN
from trellis.model.remote.machine import RemoteMachine
from trellis.model.remote.measure import exchanges_with, measure_network

CLIENT, SERVER = ("goals-client", "10.113.0.1"), ("goals-server", "10.113.0.2")
PORT, STEPS, ROUNDS = 7736, 16, 5
SOFTENING = 0.02
GOALS = {"direct sum": 0.03, "tree, 16 steps": 0.10, "PS-RG with gas, 16 steps": 0.01}


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextmanager
def link(mbit: int) -> Iterator[None]:
    """Make the namespaces, and the link with that rate each way."""
    try:
        for name, _ in (CLIENT, SERVER):
            _ip("netns", "add", name)
        _ip("link", "add", "goals0", "netns", CLIENT[0], "type", "veth", "peer", "name", "goals0", "netns", SERVER[0])
        for name, address in (CLIENT, SERVER):
            inside = ["netns", "exec", name, "ip"]
            _ip(*inside, "link", "set", "lo", "up")
            _ip(*inside, "addr", "add", f"{address}/24", "dev", "goals0")
            _ip(*inside, "link", "set", "goals0", "up")
            shape = f"tc qdisc add dev goals0 root tbf rate {mbit}mbit burst 256kb latency 50ms"
            _ip("netns", "exec", name, *shape.split())
        yield
    finally:
        for name, _ in (CLIENT, SERVER):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def direct_sum(n: int, devices: Sequence[str]) -> Callable[[int], float]:
    """Return a function that takes a device's number and gives the seconds of a direct sum there by GRAPE's calls."""
    os.environ["TRELLIS_GRAPE_DEVICE"] = ",".join(devices)
    grape, stars = tr.grape, tr.ic.plummer(n, seed=1)
    grape.g5_set_eps_to_all(SOFTENING)
    x, mass = np.array(stars.position), np.array(stars.mass)

    def take(number: int) -> float:
        begin = time.perf_counter()
        grape.g5_set_xmj(x, mass, devid=number)
        grape.g5_set_n(n, devid=number)
        grape.g5_calculate_force_on_x(x, devid=number)
        return time.perf_counter() - begin

    return take


def steps(n: int, devices: Sequence[str], *, gas: bool) -> Callable[[int], float]:
    """Return a function that gives the seconds of `STEPS` steps of method G3 on a device; one constructs lists.

    gas: whether the host computes a gas as well.
    """

    def simulation(device: str) -> tr.Simulation:
        force = tr.Gravity(
            theta=0.5, softening=SOFTENING, method="tree", lists="reuse", reuse_steps=STEPS, device=device
        )
        particles = tr.ic.evrard(n, seed=1) if gas else tr.ic.plummer(n, seed=1)
        sim = tr.Simulation(particles, [force, tr.Sph()] if gas else [force], 1e-6)
        sim.run(steps=STEPS)  # the first steps find the number of batches
        return sim

    sims = [simulation(device) for device in devices]

    def take(number: int) -> float:
        begin = time.perf_counter()
        sims[number].run(steps=STEPS)
        return time.perf_counter() - begin

    return take


def messages(n: int, device: str) -> list[float]:
    """Return the predicted and the measured seconds of an exchange of 16 bytes a particle each way."""
    seconds = exchanges_with(device)
    found = measure_network(seconds)
    machine = RemoteMachine(device, upload=found.upload, download=found.download, launch=found.launch)
    up, down = (int(each * n) for each in (machine.messages.b_up, machine.messages.b_down))
    return [t_LAN(n, machine), seconds(up=up, down=down, launches=1)]


def prediction(link: str, seconds: Sequence[float]) -> Row:
    """Return the row that compares the two seconds of `messages`."""
    predicted, took = seconds
    off = predicted / took - 1
    figure = f"{100 * off:+.0f} % of {1e3 * took:.2f} ms"
    return Row(f"messages predicted by `trellis devices --measure`, {link}", "within 20 %", figure, abs(off) <= 0.2)


def _measure(case: str, n: int, near: str, far: str) -> list[list[float]]:
    os.sched_setaffinity(0, {0})
    if case == "messages":
        return [messages(n, far)]
    take = direct_sum(n, [near, far]) if case == "direct sum" else steps(n, [near, far], gas="gas" in case)
    for number in (0, 1):
        take(number)
    return [[take(0), take(1)] for _ in range(ROUNDS)]


def shares(folder: Path, *, quick: bool) -> Iterator[Row]:
    """Compare cases over the link with those by a Unix socket, and a predicted exchange with a measured one."""
    n = 1 << (13 if quick else 16)
    far, near = f"trellis://{SERVER[1]}:{PORT}/cpu", f"unix:{folder}/near/cpu"
    on_last_core = ["env", "OMP_NUM_THREADS=1", "taskset", "-c", str((os.cpu_count() or 1) - 1)]
    inside = ["ip", "netns", "exec"]
    what = f"the network's share at 1 Gbit/s, N = {n:,}"
    with ExitStack() as stack:
        try:
            stack.enter_context(link(1000))
        except (OSError, subprocess.CalledProcessError) as error:
            reason = str(getattr(error, "stderr", None) or error).strip()
            return (yield Row(what, "< 3 %, < 10 %, < 1 %", None, None, f"no emulated link: {reason}"))
        prefix = [*inside, SERVER[0], *on_last_core]
        stack.enter_context(server(folder, "--unix", f"{folder}/near", prefix=on_last_core))
        stack.enter_context(server(folder, "--port", str(PORT), prefix=prefix))
        key = tr._core.fingerprint()
        tr._core.add_key("allowed", "bench", key)
        tr._core.add_key("trusted", f"{SERVER[1]}:{PORT}", key)

        def measured(case: str, n: int) -> list[list[float]]:
            command = [*inside, CLIENT[0], sys.executable, __file__, case, str(n), near, far]
            one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=one_thread)
            return [[float(seconds) for seconds in each] for each in json.loads(done.stdout)]

        for case, goal in GOALS.items():
            taken = measured(case, n)
            share = median(1 - near / far for near, far in taken)
            figure = f"{100 * share:.1f} % of {median(far for _, far in taken):.3f} s"
            yield Row(f"{what}, {case}", f"< {100 * goal:.0f} %", figure, share < goal)
        yield prediction("1 Gbit/s", *measured("messages", n))


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])))
