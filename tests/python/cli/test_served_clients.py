"""Clients that a server shows, and `trellis devices` of a server: names that others chose, as they are."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from conftest import Serve
from rich.console import Console

import trellis as tr
from trellis.cli.messages import log_line
from trellis.cli.served_clients import ServedClients

if tr.info()["network"] == "built without":
    pytest.skip("Trellis was built without a network", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("keys")


def read_until(terminal: int, shown: bytes, *wanted: bytes) -> bytes:
    """Return what was shown before and is now, once it has all that is wanted; fail after 60 seconds."""
    end = time.monotonic() + 60
    while missing := [each for each in wanted if each not in shown]:
        ready, *_ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        assert ready, f"{missing} not in ...{shown[-500:]!r}"
        shown += os.read(terminal, 4096)
    return shown


def test_on_a_terminal_a_server_shows_its_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USER", "me[/x]:b:")
    primary, secondary = os.openpty()
    started = [sys.executable, "-m", "trellis", "serve", "--unix", str(tmp_path / "socket"), "--device", "cpu"]
    wide = {**os.environ, "COLUMNS": "250", "TERM": "xterm"}
    with subprocess.Popen(started, stderr=secondary, env=wide) as server:
        try:
            os.close(secondary)
            shown = read_until(primary, b"", b"event=serving", b"no clients")
            particles = tr.ic.plummer(100, seed=3)
            sim = tr.Simulation(particles, [tr.Gravity()], 0.01, device=f"unix:{tmp_path / 'socket'}/cpu")
            sim.run(steps=1)
            shown = read_until(primary, shown, b"1 client ", b" me[/x]:b:@", b"connected", b"event=opened", b"key=")
            del sim
            shown = read_until(primary, shown, b"event=closed", b'why="')
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) == 0
        finally:
            server.kill()
    assert b"event=lent" not in shown
    assert b"client=me[/x]:b:@" in shown
    os.close(primary)


def test_elsewhere_a_server_writes_a_line_for_each_event(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "me[/x]:b:")
    monkeypatch.setenv("FORCE_COLOR", "1")
    server = serve("--unix", str(tmp_path / "socket"))
    held = tr._core.Exchange([f"unix:{tmp_path / 'socket'}/cpu"])
    del held
    assert server.stderr is not None
    for event in ("opened", "lent", "returned", "closed"):
        line = server.stderr.readline()
        assert f"event={event} session=1 client=me[/x]:b:@" in line
        assert "\x1b" not in line


def test_clients_are_shown_as_they_are() -> None:
    clients = ServedClients()

    def shown() -> list[str]:
        text = StringIO()
        Console(file=text, width=200).print(clients.table())
        return [" ".join(line.split()) for line in text.getvalue().splitlines()]

    heading = "session client from devices memory"
    assert shown() == ["no clients", heading]
    me = {"session": "1", "client": "me@laptop[/x]:b:"}
    assert not clients.note("opened", {**me, "peer": "[fe80::1:b:2]:5", "key": "none"})
    assert clients.note("lent", {**me, "device": "cpu", "memory": str(2**30)})
    assert shown() == ["1 client", heading, "1 me@laptop[/x]:b: [fe80::1:b:2]:5 cpu 1.0 GiB connected"]
    assert clients.note("waiting", {**me, "why": "End of file", "for": "30.0 s"})
    assert shown()[2:] == ["1 me@laptop[/x]:b: [fe80::1:b:2]:5 cpu 1.0 GiB waited for (End of file)"]
    assert not clients.note("resumed", {**me, "peer": "10.0.0.1:6", "key": "none"})
    assert clients.note("returned", {**me, "device": "cpu", "memory": str(2**30)})
    assert shown()[2:] == ["1 me@laptop[/x]:b: 10.0.0.1:6 none 0.0 GiB connected"]
    assert not clients.note("closed", {**me, "why": "it has ended the session"})
    assert shown() == ["no clients", heading]
    assert not clients.note("refused", {"peer": "10.0.0.2:7", "why": "End of file"})


def test_devices_of_a_server_are_shown_with_their_users(
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trellis: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    monkeypatch.setenv("USER", "me[/x]:b:")
    monkeypatch.setenv("COLUMNS", "250")
    there = f"unix:{tmp_path / 'socket'}"
    serve("--unix", str(tmp_path / "socket"), "--device", "cpu", "--memory", str(16 << 20))
    free = trellis("devices", there)
    assert free.returncode == 0, free.stderr
    assert " - " in free.stdout  # used by no client
    assert free.stdout.count("GB/s") == 2
    held = tr._core.Exchange([f"{there}/cpu"], up=15 << 20)
    lent = trellis("devices", there)
    del held
    assert lent.returncode == 0, lent.stderr
    assert "me[/x]:b:@" in lent.stdout
    assert lent.stdout.split()[-3:] == ["-", "-", "-"]
    for options in (["-o", str(tmp_path / "network.toml")], ["--overwrite"]):
        pointless = trellis("devices", there, *options)
        assert pointless.returncode == 2
        assert "with --measure" in pointless.stderr


def test_no_value_of_the_log_looks_like_other_facts() -> None:
    line = log_line("opened", [("client", 'me" key="sha256:forged'), ("peer", "a=b"), ("why", ""), ("key", "none")])
    assert line.endswith(r' event=opened client="me\" key=\"sha256:forged" peer="a=b" why="" key=none')
