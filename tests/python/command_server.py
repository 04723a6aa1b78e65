"""Commands without the second that Python takes to import trellis: each is a fork of one process that has done so.

That process computes nothing itself: threads of OpenMP, which a fork would lack, do not exist in it, nor does MPI.
A command has its own arguments, folder, environment, output and limit on the size of files, and runs and ends as
``python -m trellis``, or as ``python FILE`` if its first argument ends in ``.py``. It is killed if the one that asked
for it ends first.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command_client import begin

LARGEST_REQUEST = 1 << 18  # bytes


class CommandServer:
    """The process of which commands are forks; it ends with the one that made it.

    Attributes
    ----------
    place : str
        Where it is asked.
    """

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp()  # a short name, as sockets need it
        self.place = f"{self._folder}/commands"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as requests:
            requests.bind(self.place)
            requests.listen()
            command = [sys.executable, __file__, str(requests.fileno())]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[requests.fileno()])

    def close(self) -> None:
        """End the process."""
        self._process.communicate()
        shutil.rmtree(self._folder)

    def run(self, arguments: list[str], **request: object) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        out, errors = os.pipe(), os.pipe()
        with begin(self.place, [out[1], errors[1]], arguments=arguments, folder=str(Path.cwd()), **request) as command:
            os.close(out[1])
            os.close(errors[1])
            with ThreadPoolExecutor(2) as both:
                printed, said = both.map(_read, (out[0], errors[0]))
            return subprocess.CompletedProcess(arguments, int(command.recv(16)), printed, said)


def _read(pipe: int) -> str:
    with os.fdopen(pipe) as file:
        return file.read()


def serve(requests: socket.socket) -> None:
    """Run requests, each in a process of its own, until standard input ends."""
    while sys.stdin not in select.select([sys.stdin, requests], [], [])[0]:
        connection, _ = requests.accept()
        with connection:
            if os.fork() == 0:
                requests.close()
                run_one(connection)
                return


def run_one(connection: socket.socket) -> None:
    """Run a request in a fork, and answer with its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, outputs, _, _ = socket.recv_fds(connection, LARGEST_REQUEST, 2)
    command = os.fork()
    if command == 0:
        connection.close()
        become(outputs, **json.loads(request))
        return
    for output in outputs:
        os.close(output)
    ended = os.pidfd_open(command)
    if ended not in select.select([ended, connection], [], [])[0]:
        os.kill(command, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with contextlib.suppress(BrokenPipeError):
        connection.send(b"%d" % code)
    os._exit(0)


def become(
    outputs: list[int],
    *,
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    largest_file: int,
    pixels: bool,
) -> None:
    """Become a command, which writes files of `largest_file` bytes at most, and turns pictures into pixels or not."""
    for to, output in enumerate(outputs, start=1):
        os.dup2(output, to)
        os.close(output)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update({**set_at_import, **environment})
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.RLIM_INFINITY))
    if not pixels:
        pyplot.Figure.savefig = no_pixels.savefig
    end_ranks_on_errors()  # mpirun's variables are there only now
    sys.argv[1:] = arguments
    if arguments and arguments[0].endswith(".py"):
        sys.argv[:] = arguments
        sys.path[0] = str(Path(arguments[0]).parent)
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        sys.path[0] = folder
        runpy.run_module("trellis", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    import no_pixels
    from matplotlib import pyplot

    import trellis.cli  # noqa: F401 (imported once, for all forks)
    from trellis.parallel.ending import end_ranks_on_errors

    set_at_import = {name: value for name, value in os.environ.items() if name.startswith("OMP_")}
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # see run_one: no process waits for those
    gc.freeze()  # else each fork looks through all these modules as it ends, for a quarter of a second
    serve(socket.socket(fileno=int(sys.argv[1])))
