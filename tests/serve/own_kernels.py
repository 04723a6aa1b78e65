"""A server that was started with a library of kernels carries out its interaction, as a force and among the systems of
an ensemble; one without names what it lacks.

    python tests/serve/own_kernels.py FOLDER

FOLDER: where the examples are built. Exit code 77: Trellis was built without a network.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import trellis as tr


def example_at_a_server(example: Path, options: list[str]) -> subprocess.CompletedProcess[str]:
    """Run an example on the device of a server with these options, and return its process."""
    with tempfile.TemporaryDirectory() as place:
        address = Path(place) / "socket"
        started = [sys.executable, "-m", "trellis", "serve", "--unix", str(address), *options]
        with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            for line in server.stderr:
                if "event=serving" in line:
                    break
            else:
                raise AssertionError(f"the server has ended with {server.wait()}")
            try:
                program = [str(example), f"unix:{address}/cpu"]
                return subprocess.run(program, capture_output=True, text=True, check=False, timeout=100)
            finally:
                server.terminate()


def main() -> None:
    if tr.info()["network"] == "built without":
        sys.exit(77)
    examples = Path(sys.argv[1])
    library = next(examples.glob("libyukawa_kernels.*"))
    for example in [examples / "yukawa", examples / "dust_clouds"]:
        here = subprocess.run([str(example), "cpu"], capture_output=True, text=True, check=True)
        there = example_at_a_server(example, ["--kernels", str(library)])
        assert there.returncode == 0, there.stderr
        assert there.stdout == here.stdout
        without = example_at_a_server(example, [])
        assert without.returncode != 0
        assert "has no kernel of the interaction " in without.stderr, without.stderr
        assert "--kernels with a library that has TRELLIS_PROVIDE_KERNELS(" in without.stderr, without.stderr


if __name__ == "__main__":
    main()
