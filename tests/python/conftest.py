"""Fixtures of the tests: a parameter file, the halo made by others, the command line, what a run has written."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import command_client
import h5py
import matplotlib as mpl
import no_pixels
import pytest
from command_server import CommandServer
from matplotlib.figure import Figure

mpl.use("Agg")
# Waiting threads give up their core: tests are small, and may share the machine. Read when trellis is first imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import trellis as tr

# Runs that tests start stop by SIGHUP and SIGINT, also where the tests themselves run under nohup or in the background
# of a script, which have them ignore these.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure() -> None:
    """Name the device of OpenCL that ``tools/setup.sh ci`` installs, in the variables of both loaders of drivers."""
    driver = Path(sys.prefix) / "lib" / "libintelocl.so"
    if driver.exists():
        for variable in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"):
            os.environ.setdefault(variable, str(driver))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests with the mark ``slow``, which take hours, no limit of time."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))


HALO = Path(__file__).parents[3] / "shared" / "data" / "isolated_halo_32.hdf5"


@pytest.fixture
def halo() -> Path:
    if not HALO.exists():
        pytest.skip("the halo's file is not here")
    return HALO


@pytest.fixture
def opencl() -> None:
    """Skip where there is no device of OpenCL; the full check has one."""
    if "opencl:0" not in tr._core.devices():
        assert "CI" not in os.environ, "the full check needs a device of OpenCL: see tools/setup.sh"
        pytest.skip("no OpenCL device")


@pytest.fixture(params=["host", "cpu", "opencl:0"])
def device(request: pytest.FixtureRequest) -> str:
    """Return where forces are computed: on the threads of this process, on the processor as a device, or on a GPU."""
    if request.param == "opencl:0":
        request.getfixturevalue("opencl")
    return str(request.param)


@pytest.fixture
def parameter_file(tmp_path: Path) -> Path:
    """A collapse of 300 particles in 40 steps, with everything that a run writes."""
    path = tmp_path / "collapse.toml"
    path.write_text(
        f"""
[ic]
model = "sphere"
particles = 300
virial_ratio = 0.3
seed = 2

[gravity]
softening = 0.05
accuracy = 1e-4

[run]
until = 0.8
timestep = 0.02
output = "{tmp_path / "out"}"
snapshot_every = 0.1
checkpoint_every = 0
"""
    )
    return path


def contents(folder: Path) -> dict[str, object]:
    """Everything that a run wrote, but for the picture and the time at which HDF5 wrote it."""
    logs = [folder / "energy.csv", *folder.glob("rungs.csv")]
    found: dict[str, object] = {path.name: path.read_text() for path in logs}
    for path in sorted(folder.glob("*.hdf5")):
        with h5py.File(path) as file:
            values: dict[str, object] = {}
            file.visititems(
                lambda name, item, values=values: values.update(
                    {name: (str(dict(item.attrs)), item[:].tobytes() if isinstance(item, h5py.Dataset) else None)}
                )
            )
            found[path.name] = (str(dict(file.attrs)), values)
    return found


def is_refused(make: Callable[[], object], said: str) -> None:
    """Check that what a user makes wrongly is an error of one sentence, which says this."""
    with pytest.raises(ValueError, match=r".") as error:
        make()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def logged_lines(folder: Path) -> int:
    """Lines of the energy log, but for its heading; -1 without a log."""
    try:
        return (folder / "energy.csv").read_text().count("\n") - 1
    except FileNotFoundError:  # not yet, or gone for a moment while a run begins again
        return -1


Command = Callable[..., "subprocess.CompletedProcess[str]"]
Serve = Callable[..., "subprocess.Popen[str]"]
FoundOn = Callable[[int, str], list[float]]
FlipBit = Callable[[Path, str], None]


@pytest.fixture
def pixels(request: pytest.FixtureRequest) -> bool:
    """Whether a test has the mark ``pixels``: pictures are turned into pixels, which they are not elsewhere."""
    return request.node.get_closest_marker("pixels") is not None


@pytest.fixture(autouse=True)
def _no_pixels(pixels: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not pixels:
        monkeypatch.setattr(Figure, "savefig", no_pixels.savefig)


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    server = CommandServer()
    yield server
    server.close()


@pytest.fixture
def trellis(command_server: CommandServer, pixels: bool) -> Command:
    """Run the command line in a process of its own."""

    def run(*arguments: object, largest_file: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
        # a limit on the size of files stands for a full disk: it fails in the same calls
        environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
        command = [str(each) for each in arguments]
        return command_server.run(command, environment=environment, largest_file=largest_file, pixels=pixels)

    return run


MPI = {  # ranks that take turns on few cores, also as root
    "OMP_NUM_THREADS": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of keys that server and client share."""
    folder = tmp_path / "keys"
    monkeypatch.setenv("TRELLIS_HOME", str(folder))
    return folder


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server, and return once clients may come."""
    running = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        server = subprocess.Popen(
            [sys.executable, "-m", "trellis", "serve", *arguments], stderr=subprocess.PIPE, text=True
        )
        running.append(server)
        assert server.stderr is not None
        for line in server.stderr:
            if "event=serving" in line:
                return server
        raise AssertionError(f"the server has ended with {server.wait()}")

    yield start
    for server in running:
        server.kill()
        server.wait()
        assert server.stderr is not None
        server.stderr.close()


@pytest.fixture
def mpirun(command_server: CommandServer) -> Command:
    """Run a program of Python, or a command after ``-m trellis``, on `ranks` ranks."""
    if tr.info()["MPI"] == "built without":
        pytest.skip("Trellis was built without MPI")

    def once(ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(each) for each in (arguments[2:] if arguments[:2] == ("-m", "trellis") else arguments)]
        return subprocess.run(
            [
                "mpirun",
                "-n",
                str(ranks),
                sys.executable,
                "-E",
                "-S",
                command_client.__file__,
                command_server.place,
                *command,
            ],
            capture_output=True,
            text=True,
            env={**os.environ, **MPI, "COLUMNS": "200", "NO_COLOR": "1"},
            check=False,
            timeout=120,
        )

    def run(ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
        done = once(ranks, *arguments)
        # The launcher itself may fail on a busy machine, and what ranks have printed is lost with it.
        return once(ranks, *arguments) if "ORTE_ERROR_LOG" in done.stderr else done

    return run


@pytest.fixture
def found_on(tmp_path: Path, mpirun: Command) -> FoundOn:
    """Run a program on `ranks` ranks: the numbers that it leaves in ``found``, the same bits on each."""

    def run(ranks: int, program: str) -> list[float]:
        path = tmp_path / "program.py"
        # one rank prints for all: what ranks print themselves may come mixed
        every = "every = world.gather(found)\nif tr.rank() == 0:\n    print(json.dumps(every))\n"
        path.write_text(f"import json, trellis as tr\nfrom trellis import world\n{program}\n{every}")
        done = mpirun(ranks, path)
        assert done.returncode == 0, done.stderr
        first, *others = json.loads(done.stdout)
        assert others == [first] * (ranks - 1)
        return list(first)

    return run


@pytest.fixture
def flip_bit() -> FlipBit:
    """Change one bit in the middle of the bytes of a column of an HDF5 file, as a failing disk might."""

    def flip(path: Path, column: str) -> None:
        with h5py.File(path) as file:
            chunks = file[column].id
            middle = chunks.get_chunk_info(chunks.get_num_chunks() // 2)
        content = bytearray(path.read_bytes())
        content[middle.byte_offset + middle.size // 2] ^= 16
        path.write_bytes(content)

    return flip
