"""`trellis forward`: bytes are passed on until a signal ends it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys

import pytest

import trellis as tr
from trellis.cli.forward import forward

if tr.info()["network"] == "built without":
    pytest.skip("Trellis was built without a network", allow_module_level=True)


def test_bytes_pass_both_ways_until_a_signal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as site:
        site.settimeout(30)
        to = f"127.0.0.1:{site.getsockname()[1]}"
        command = [sys.executable, "-m", "trellis", "forward", "--listen", "127.0.0.1:0", "--to", to]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            begin = re.search(r"event=forwarding port=(\d+)", process.stderr.readline())
            assert begin
            with socket.create_connection(("127.0.0.1", int(begin[1])), timeout=30) as client:
                client.sendall(b"to the site")  # without which the site is not reached
                inside, _ = site.accept()
                inside.settimeout(30)
                with inside:
                    assert inside.recv(100) == b"to the site"
                    inside.sendall(b"and back")
                    assert client.recv(100) == b"and back"
            process.send_signal(signal.SIGTERM)
            rest = process.stderr.read()
            assert process.wait(30) == 0
    assert "event=opened peer=127.0.0.1:" in rest
    assert f"event=stopped signal={int(signal.SIGTERM)}" in rest


def test_addresses_without_a_host_or_port_are_refused() -> None:
    with pytest.raises(tr.InputError, match="--listen is 'here': allowed is PORT or HOST:PORT"):
        forward("here", "there:1")
    with pytest.raises(tr.InputError, match="'a b' is not an address of a site: allowed is HOST:PORT"):
        forward("127.0.0.1:0", "a b")
    with pytest.raises(tr.InputError, match="port is 70000: allowed is 0"):
        forward("70000", "there:1")
