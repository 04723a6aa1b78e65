"""Devices of other machines: a server in a process of its own, over a Unix socket, TLS, and what ssh would start."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import numpy as np
import pytest
from conftest import Serve

import trellis as tr
from trellis.model.remote import find_remote_machine

if tr.info()["network"] == "built without":
    pytest.skip("Trellis was built without a network", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("keys")


def positions_after(forces: list[tr.Force], device: str, *, resident: bool = False, steps: int = 3) -> np.ndarray:
    """Positions of 400 bodies after some steps with these forces."""
    particles = tr.ic.plummer(400, seed=3)
    sim = tr.Simulation(particles, forces=forces, timestep=0.01, device=device, resident=resident)
    sim.run(steps=steps)
    order = np.argsort(np.asarray(sim.particles.id))
    return np.array(sim.particles.position)[order]


def test_every_method_has_the_bits_of_the_local_device(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"))
    there = f"unix:{tmp_path / 'socket'}/cpu"
    for force, resident in [
        (tr.Gravity(theta=0.6, softening=0.02, method="tree", send="particles"), False),  # G1
        (tr.Gravity(theta=0.6, softening=0.02, method="tree", send="indices"), False),  # G2
        (tr.Gravity(theta=0.6, softening=0.02, method="tree", lists="reuse"), False),  # G3
        (tr.Gravity(theta=0.6, softening=0.02, method="tree"), True),  # G4
        (tr.Gravity(accuracy=1e-3, softening=0.02, lists="reuse"), True),  # with expansions
    ]:
        here = positions_after([force], "cpu", resident=resident)
        assert np.array_equal(positions_after([force], there, resident=resident), here)


def test_tides_have_the_bits_of_the_local_device(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"))
    own = tr.IndividualSteps(longest=1 / 64, eta=0.002, criterion="tidal")
    for softening in (0.02, "particles"):
        tides = []
        for device in ("cpu", f"unix:{tmp_path / 'socket'}/cpu"):
            stars = tr.ic.plummer(1000, seed=3)
            if softening == "particles":
                stars.add_field("softening", values=np.linspace(0.01, 0.1, 1000))
            sim = tr.Simulation(stars, [tr.Gravity(softening=softening)], own, device=device, keep_order=True)
            sim.run(steps=1)
            tides.append(np.array(sim.particles.tides_diagonal))
        assert np.array_equal(*tides)
        assert tides[0].any()


def test_each_force_may_have_a_device_of_its_own(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"))
    there = f"unix:{tmp_path / 'socket'}/cpu"
    settings = {"theta": 0.6, "softening": 0.02, "method": "tree"}
    here = positions_after([tr.Gravity(**settings, device="cpu")], "host")
    assert np.array_equal(positions_after([tr.Gravity(**settings, device=there)], "host"), here)


def test_forces_of_short_range_have_the_bits_of_the_local_device(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"))
    there = f"unix:{tmp_path / 'socket'}/cpu"

    def molecules(device: str) -> np.ndarray:
        sim = tr.Simulation(tr.ic.lennard_jones(500), [tr.LennardJones(cutoff=2.5)], 0.005, device=device)
        sim.run(steps=3)
        return np.array(sim.particles.position)

    def gas(device: str) -> np.ndarray:
        sim = tr.Simulation(tr.ic.evrard(500, seed=1), [tr.Gravity(softening=0.1), tr.Sph(device=device)], 1e-3)
        sim.run(steps=2)
        return np.array(sim.particles.internal_energy)

    assert np.array_equal(molecules(there), molecules("cpu"))
    assert np.array_equal(gas(there), gas("cpu"))


def test_gravity_far_away_is_computed_while_the_host_computes_a_gas(serve: Serve, tmp_path: Path) -> None:
    """Case PS-RG of Nakasato et al. (1997): at most a round trip a step, the same bits in any order of the forces."""
    serve("--unix", str(tmp_path / "socket"))

    def gas(device: str, *, gas_first: bool) -> tuple[np.ndarray, tr.Simulation]:
        far = tr.Gravity(theta=0.6, softening=0.1, method="tree", lists="reuse", reuse_steps=4, device=device)
        forces = [tr.Sph(), far] if gas_first else [far, tr.Sph()]
        sim = tr.Simulation(tr.ic.evrard(500, seed=1), forces, 1e-3)
        sim.run(steps=3)
        return np.array(sim.particles.position), sim

    there = f"unix:{tmp_path / 'socket'}/cpu"
    here, _ = gas("cpu", gas_first=False)
    for gas_first in (False, True):
        positions, sim = gas(there, gas_first=gas_first)
        assert np.array_equal(positions, here)
        assert sim.device_use[gas_first]["round_trips"] <= 1  # 0 if the forces came before the gas was done
        assert sim.phases["Wait for device"] > 0


def test_a_measured_device_is_a_machine_of_the_model(
    serve: Serve, tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    log = serve("--unix", str(tmp_path / "socket")).stderr
    assert log is not None
    Thread(target=log.read, daemon=True).start()  # a pipe holds less than this number of devices writes to it
    there, path = f"unix:{tmp_path / 'socket'}/cpu", tmp_path / "network.toml"
    done = trellis("devices", there, "--measure", "--output", path)
    assert done.returncode == 0, done.stderr
    machine = find_remote_machine(str(path))
    for transfer in (machine.upload, machine.download):
        assert transfer.latency >= 0
        assert transfer.bandwidth > 0
    assert machine.download.latency > 0  # a round trip
    assert machine.launch.latency >= 0
    assert "1024: " in done.stdout
    assert trellis("model", "remote", "--system", path).returncode == 0
    again = trellis("devices", there, "--measure", "--output", path)
    assert again.returncode == 2
    assert "is there already" in again.stderr
    server = trellis("devices", f"unix:{tmp_path / 'socket'}", "--measure", "--output", tmp_path / "other.toml")
    assert server.returncode == 2
    assert "names a server: allowed is one of its devices" in server.stderr


def test_a_grape_of_another_process_has_the_bits_of_one_here(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve("--unix", str(tmp_path / "socket"))
    stars = tr.ic.plummer(500, seed=1)

    def forces(device: str) -> tuple[np.ndarray, np.ndarray]:
        monkeypatch.setenv("TRELLIS_GRAPE_DEVICE", device)
        tr.grape.g5_open()
        tr.grape.g5_set_eps_to_all(0.02)
        tr.grape.g5_set_xmj(stars.position, stars.mass)
        tr.grape.g5_set_n(len(stars))
        found = tr.grape.g5_calculate_force_on_x(stars.position)
        tr.grape.g5_close()
        return found

    for here, there in zip(forces("cpu"), forces(f"unix:{tmp_path / 'socket'}/cpu"), strict=True):
        assert np.array_equal(here, there)


def test_keys_are_needed_on_both_sides(serve: Serve, trellis: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    serve(
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--port-file",
        str(port_file := Path(os.environ["TRELLIS_HOME"] + ".port")),
    )
    server = f"127.0.0.1:{port_file.read_text().rpartition(':')[2].strip()}"
    unknown = trellis("devices", f"trellis://{server}")
    assert unknown.returncode == 2
    key = tr._core.fingerprint()
    assert f"trellis keys trust {server} {key}" in unknown.stderr
    assert trellis("keys", "trust", server, key).returncode == 0
    refused = trellis("devices", f"trellis://{server}")
    assert refused.returncode == 2
    assert "does not allow the key of this machine" in refused.stderr
    assert trellis("keys", "allow", "laptop", key).returncode == 0
    lent = trellis("devices", f"trellis://{server}")
    assert lent.returncode == 0, lent.stderr
    assert f"trellis://{server}/cpu" in lent.stdout
    assert "laptop" in trellis("keys").stdout
    assert trellis("keys", "remove", "laptop").returncode == 0
    assert trellis("devices", f"trellis://{server}").returncode == 2
    assert trellis("keys", "allow", key).returncode == 0
    known = next(line for line in trellis("keys").stdout.splitlines() if "client" in line)
    assert known.split() == ["client", key.removeprefix("sha256:")[:8], key]
    assert trellis("devices", f"trellis://{server}").returncode == 0


def test_who_shows_no_key_or_says_nothing_is_refused_and_logged(serve: Serve, tmp_path: Path) -> None:
    port_file = tmp_path / "port"
    server = serve("--host", "127.0.0.1", "--port", "0", "--port-file", str(port_file))
    place = ("127.0.0.1", int(port_file.read_text().rpartition(":")[2]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(place) as silent, socket.create_connection(place) as keyless:
        with context.wrap_socket(keyless) as stream, pytest.raises(ssl.SSLError):
            stream.recv(1)  # the client's side of the handshake ends before the server has seen that there is no key
        silent.settimeout(20)
        assert silent.recv(1) == b""  # after five seconds
    assert server.stderr is not None
    assert all("event=refused peer=127.0.0.1" in server.stderr.readline() for _ in range(2))


def test_a_library_of_kernels_that_others_may_write_is_noted(
    tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    library = tmp_path / "libkernels.so"
    library.touch()
    library.chmod(0o666)
    done = trellis("serve", "--kernels", str(library))
    assert f"{library} can be written by others: they can change what this server runs" in " ".join(done.stderr.split())
    library.chmod(0o644)
    assert "can be written by others" not in trellis("serve", "--kernels", str(library)).stderr


def test_ssh_starts_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for ssh drops the host and runs the command here."""
    fake = tmp_path / "ssh"
    fake.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/words\nshift 3\nexec {sys.executable} -m trellis "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("TRELLIS_SSH", str(fake))
    force = tr.Gravity(theta=0.6, softening=0.02, method="tree")
    assert np.array_equal(positions_after([force], "ssh://me@gpubox/cpu"), positions_after([force], "cpu"))
    assert (tmp_path / "words").read_text() == "-T me@gpubox trellis serve --stdio\n"


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_ssh_that_does_not_end_is_ended(tmp_path: Path, *, interrupted: bool) -> None:
    """A stand-in for ssh waits for a password, or hangs and takes no signal but the last."""
    fake = tmp_path / "ssh"
    ignores, closes = ("", "") if interrupted else ('trap "" INT TERM HUP\n', "exec 0<&- 1>&-\n")
    fake.write_text(f"#!/bin/sh\n{ignores}touch {tmp_path}/begun\n{closes}exec sleep 100\n")
    fake.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "trellis", "devices", "ssh://host"],
        env={**os.environ, "TRELLIS_SSH": str(fake)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "begun").exists():
        time.sleep(0.05)
    begin = time.monotonic()
    if interrupted:
        os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=20)[1]
    assert time.monotonic() - begin < 10
    assert process.returncode != 0
    assert "Traceback" not in errors
    assert interrupted or "ssh://host has ended" in errors


def test_a_server_that_is_killed_ends_a_run_within_seconds(serve: Serve, tmp_path: Path) -> None:
    server = serve("--unix", str(tmp_path / "socket"))
    sim = tr.Simulation(
        tr.ic.plummer(400, seed=3),
        forces=[tr.Gravity(softening=0.02)],
        timestep=0.01,
        device=f"unix:{tmp_path / 'socket'}/cpu",
    )
    sim.run(steps=2)
    server.kill()
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="is lost"):
        sim.run(steps=2)
    assert time.monotonic() - begin < 5


@pytest.mark.parametrize("resident", [False, True], ids=["sent", "resident"])
def test_a_spare_takes_the_place_of_a_server_that_is_killed(serve: Serve, tmp_path: Path, *, resident: bool) -> None:
    server = serve("--unix", str(tmp_path / "socket"))

    def run(device: str, **spares: Any) -> np.ndarray:
        forces = [tr.Gravity(theta=0.6, softening=0.02, method="tree", lists="reuse")]
        sim = tr.Simulation(tr.ic.plummer(400, seed=3), forces, 0.01, device=device, resident=resident, **spares)
        sim.run(steps=3)
        if spares:
            server.kill()
            with pytest.warns(RuntimeWarning, match="has failed: cpu takes its place"):
                sim.run(steps=3)
        else:
            sim.run(steps=3)
        return np.array(sim.particles.position)

    assert np.array_equal(run(f"unix:{tmp_path / 'socket'}/cpu", spares=["cpu"]), run("cpu"))


def test_a_server_that_stands_still_costs_time_or_is_lost_as_grace_says(serve: Serve, tmp_path: Path) -> None:
    server = serve("--unix", str(tmp_path / "socket"))

    def run(device: str, grace: float = 30.0) -> np.ndarray:
        forces = [tr.Gravity(theta=0.6, softening=0.02, method="tree")]
        sim = tr.Simulation(tr.ic.plummer(400, seed=3), forces, 0.01, device=device, spares=["cpu"], grace=grace)
        sim.run(steps=2)
        if device != "cpu":
            server.send_signal(signal.SIGSTOP)
            Timer(2.0, server.send_signal, [signal.SIGCONT]).start()
        sim.run(steps=2)
        return np.array(sim.particles.position)

    expected = run("cpu")
    assert np.array_equal(run(f"unix:{tmp_path / 'socket'}/cpu", grace=20.0), expected)
    with pytest.warns(RuntimeWarning, match="has failed: cpu takes its place"):
        assert np.array_equal(run(f"unix:{tmp_path / 'socket'}/cpu", grace=0.1), expected)
    with pytest.raises(ValueError, match="grace is -1: allowed is 0 to 3600"):
        tr.Simulation(tr.ic.plummer(10), [tr.Gravity()], 0.01, grace=-1)


def test_a_server_stops_cleanly(serve: Serve, tmp_path: Path) -> None:
    server = serve("--unix", str(tmp_path / "socket"))
    server.send_signal(signal.SIGTERM)
    assert server.wait(10) == 0
    assert not (tmp_path / "socket").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--device", "cuda:99"], "there is no device 'cuda:99'"),
        (["--port", "70000"], "port is 70000: allowed is 0 (any) to 65535"),
        (["--host", "203.0.113.1", "--port", "0"], "cannot listen on 203.0.113.1"),
        (["--unix", "/no/such/folder/socket"], "cannot listen on /no/such/folder/socket"),
        (["--unix", ""], "--unix is empty: allowed is the path of a new socket"),
        (["--kernels", "/no/such/library.so"], "the library of kernels /no/such/library.so cannot be loaded"),
        (["--kernels", tr._core.__file__], "provides no kernels: allowed is a library with TRELLIS_PROVIDE_KERNELS"),
    ],
)
def test_a_server_that_cannot_begin_says_why(
    arguments: list[str], sentence: str, trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = trellis("serve", *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_kernels_of_another_version_are_not_taken(
    tmp_path: Path, trellis: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    source, library = tmp_path / "old.c", tmp_path / "libold.so"
    source.write_text('const char* trellis_kernels(const char* version, void* take) { return "0.0.9"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    done = trellis("serve", "--kernels", str(library))
    assert done.returncode == 2
    assert f"the library of kernels {library} was built against Trellis 0.0.9, the server has" in done.stderr


FORK = """
import multiprocessing, sys
import trellis as tr
def simulation():
    gravity = tr.Gravity(theta=0.6, softening=0.02, method="tree")
    return tr.Simulation(tr.ic.plummer(400, seed=3), [gravity], 0.01, device=sys.argv[1])
def work(there):
    try:
        inherited[0].run(steps=1)
    except tr.RunError as error:
        there.send(str(error))
    inherited.clear()
    own = simulation()
    own.run(steps=4)
    there.send(float(own.particles.position.sum()))
inherited = [simulation()]
inherited[0].run(steps=2)
here, there = multiprocessing.Pipe()
child = multiprocessing.get_context("fork").Process(target=work, args=(there,), daemon=True)
child.start()
for _ in range(2):
    assert here.poll(60), "the child process does not answer"
    print(here.recv())
child.join()
inherited[0].run(steps=2)
print(float(inherited[0].particles.position.sum()))
"""


def test_a_forked_process_has_a_connection_of_its_own(serve: Serve, tmp_path: Path) -> None:
    serve("--unix", str(tmp_path / "socket"))
    command = [sys.executable, "-W", "ignore", "-c", FORK, f"unix:{tmp_path / 'socket'}/cpu"]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stderr
    refused, of_child, of_parent = found.stdout.splitlines()
    assert refused.endswith("is lost: it was opened by the process that this one was forked from; open it again here")
    assert of_child == of_parent


def test_a_server_that_requires_tls_closes_a_plain_connection(serve: Serve, tmp_path: Path) -> None:
    serve("--host", "127.0.0.1", "--port", "0", "--port-file", str(tmp_path / "port"))
    port = (tmp_path / "port").read_text().strip().rpartition(":")[2]
    there = f"plain://127.0.0.1:{port}/cpu"
    with pytest.raises(tr.RunError, match=r"it has no room, is ending, or requires TLS \(trellis://\)$"):
        tr.Simulation(tr.ic.plummer(10), [tr.Gravity()], 0.01, device=there, grace=0.5).run(steps=1)
