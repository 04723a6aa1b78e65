"""A program with an interaction of its own, built by the CMake lines of docs/tour.md alone, is optimised.

    python tests/install/as_the_tour_says.py PREFIX COMPILER

PREFIX: where Trellis is installed. The program is the first one of docs/write_an_interaction.md. Its options are
compared, with an option -O of one's own and with the build type Debug as well. Its instructions are counted with
Valgrind, which knows no AVX-512: without Valgrind, or where the library has no other kernels, the options decide.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

from pages import blocks  # noqa: E402

# Counted with AVX2: 7.6e7, for the forces on 1000 particles 11 times. Without optimisation it is several times as many.
MOST_INSTRUCTIONS = 1.5e8
WITHOUT_AVX512 = """
add_library(countable INTERFACE)
target_compile_options(countable INTERFACE -mno-avx512f)
target_link_libraries(my_code PRIVATE countable)
"""


def first(page: str, language: str) -> str:
    return next(block.code for block in blocks(ROOT / "docs" / page) if block.language == language)


def configure(folder: Path, lines: str, options: list[str], prefix: str, compiler: str) -> str:
    """Make the build folder as the page says, and return the command that compiles the program."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(lines)
    (folder / "my_code.cpp").write_text(first("write_an_interaction.md", "cpp"))
    clean = {k: v for k, v in os.environ.items() if k not in ("CMAKE_BUILD_TYPE", "CXXFLAGS")}
    known = [f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    command = ["cmake", "-S", folder, "-B", folder / "build", *known, *options]
    subprocess.run(command, env=clean, check=True, stdout=subprocess.DEVNULL)
    (compiled,) = json.loads((folder / "build/compile_commands.json").read_text())
    return str(compiled["command"])


def optimisation(command: str) -> list[str]:
    return re.findall(r"(?<= )-O\w*", command)


def instructions(program: Path) -> int | None:
    """Return the number of instructions that the program executes; None where they cannot be counted."""
    if shutil.which("valgrind") is None:
        return None
    environment = {**os.environ, "TRELLIS_SIMD": "v3", "OMP_NUM_THREADS": "1"}
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", str(program)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode == -signal.SIGILL:  # the library was built for this machine alone, with AVX-512
        return None
    counted = re.search(r"I +refs: +([\d,]+)", run.stderr)
    assert counted is not None, run.stderr
    return int(counted[1].replace(",", ""))


def main() -> None:
    """Build, compare, and print what was found."""
    prefix, compiler = sys.argv[1:]
    lines = first("tour.md", "cmake")
    with tempfile.TemporaryDirectory() as place:
        said = configure(Path(place) / "said", lines + WITHOUT_AVX512, [], prefix, compiler)
        own = configure(Path(place) / "own", lines, ["-DCMAKE_CXX_FLAGS=-O1"], prefix, compiler)
        debug = configure(Path(place) / "debug", lines, ["-DCMAKE_BUILD_TYPE=Debug"], prefix, compiler)
        release = configure(Path(place) / "release", lines, ["-DCMAKE_BUILD_TYPE=Release"], prefix, compiler)
        assert optimisation(said) == ["-O2"], said
        assert optimisation(own) == ["-O1"], own
        assert optimisation(debug) == [], debug
        assert optimisation(release) == ["-O3"], release
        subprocess.run(["cmake", "--build", Path(place) / "said/build"], check=True, stdout=subprocess.DEVNULL)
        count = instructions(Path(place) / "said/build/my_code")
    print("instructions were not counted" if count is None else f"{count:.3g} instructions")
    assert count is None or count < MOST_INSTRUCTIONS


if __name__ == "__main__":
    main()
