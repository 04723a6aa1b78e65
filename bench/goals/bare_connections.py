"""Bare connections between two processes: the baseline of transports."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

CHUNK = 1 << 20
SCATTERS = 7  # rounds; the first does not count


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _pair(kind: str) -> tuple[socket.socket, socket.socket]:
    """Return two connected sockets."""
    if kind == "Unix socket":
        return socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
    for end in (client, server):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client, server


def _with_tls(end: socket.socket, folder: Path, *, is_server: bool) -> socket.socket:
    """Return the socket inside TLS 1.3, with the certificate of `_make_certificate`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    if is_server:
        context.load_cert_chain(folder / "bare.pem")
    else:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(end, server_side=is_server)


def _make_certificate(folder: Path) -> None:
    path = str(folder / "bare.pem")
    command = ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=bare", "-days", "2"]
    subprocess.run([*command, "-keyout", path, "-out", f"{path}.crt"], check=True, capture_output=True)
    with Path(path).open("a") as file:
        file.write(Path(f"{path}.crt").read_text())


def rate(kind: str, folder: Path, size: int) -> float:
    """Return the bytes a second of one message over a bare connection; its last byte is acknowledged.

    Parameters
    ----------
    kind : str
        ``'Unix socket'``, ``'loopback'`` (TCP) or ``'TLS'``.
    folder : Path
        Folder for a certificate.
    size : int
        Bytes of the message, sent from memory to memory.
    """
    if kind == "TLS":
        _make_certificate(folder)
    client, server = _pair(kind)
    child = os.fork()
    if child == 0:
        end = _with_tls(server, folder, is_server=True) if kind == "TLS" else server
        memory = memoryview(bytearray(size))
        end.sendall(b"r")
        for _ in range(2):
            _receive(end, memory)
            end.sendall(b"d")
        os._exit(0)
    end = _with_tls(client, folder, is_server=False) if kind == "TLS" else client
    data = memoryview(bytearray(size))
    end.recv(1)
    seconds = []
    for _ in range(2):  # the first time touches the memory
        begin = time.perf_counter()
        for start in range(0, size, CHUNK):
            end.sendall(data[start : start + CHUNK])
        end.recv(1)
        seconds.append(time.perf_counter() - begin)
    os.waitpid(child, 0)
    return size / seconds[-1]


def round_trips(pauses: Sequence[float], rounds: int) -> list[float]:
    """Return for each pause in seconds the median seconds of 8 bytes there and back by bare TCP after it."""
    client, server = _pair("loopback")
    child = os.fork()
    if child == 0:
        for _ in range(rounds * len(pauses)):
            server.sendall(server.recv(8))
        os._exit(0)
    taken: list[list[float]] = [[] for _ in pauses]
    for _ in range(rounds):
        for pause, seconds in zip(pauses, taken, strict=True):
            time.sleep(pause)
            begin = time.perf_counter()
            client.sendall(bytes(8))
            client.recv(8)
            seconds.append(time.perf_counter() - begin)
    os.waitpid(child, 0)
    client.close()
    server.close()
    return [median(seconds) for seconds in taken]


def scatter(folder: Path, connections: int, size: int) -> float:
    """Return the seconds in which `size` bytes go to the other end of each TLS connection and come back.

    Both sides are Python: some microseconds more for each connection than a program in C would take.
    """
    _make_certificate(folder)
    pairs = [_pair("TLS") for _ in range(connections)]
    child = os.fork()
    if child == 0:
        ends = [_with_tls(server, folder, is_server=True) for _, server in pairs]
        memory = memoryview(bytearray(size))
        for _ in range(SCATTERS):
            for end in ends:
                _receive(end, memory)
                end.sendall(memory)
        os._exit(0)
    ends = [_with_tls(client, folder, is_server=False) for client, _ in pairs]
    memory = memoryview(bytearray(size))
    seconds = []
    for _ in range(SCATTERS):
        begin = time.perf_counter()
        for end in ends:
            end.sendall(memory)
        for end in ends:
            _receive(end, memory)
        seconds.append(time.perf_counter() - begin)
    os.waitpid(child, 0)
    for pair in pairs:
        for side in pair:
            side.close()
    return median(seconds[1:])


def _receive(end: socket.socket, memory: memoryview) -> None:
    got = 0
    while got < len(memory):
        got += end.recv_into(memory[got:])
