"""README and docs print code that works: Python and shell run, parameter files are valid, programs compile and run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from pages import ALL, PAGES, ROOT, Block

import trellis as tr
from trellis.config import load, read_toml
from trellis.config.run import SCHEDULES
from trellis.model import symbols
from trellis.model.device_kernels import operations_table, rates_table
from trellis.model.remote import symbols as remote_symbols
from trellis.model.remote.machine import MACHINES as REMOTE_MACHINES
from trellis.model.replicas import symbols as replica_symbols
from trellis.model.replicas.machine import MACHINES as REPLICA_MACHINES
from trellis.model.sites import symbols as site_symbols
from trellis.model.sites.machine import MACHINES as SITE_MACHINES
from trellis.model.systems import SYSTEMS

sys.path.insert(0, str(ROOT / "tests" / "python"))

import command_client
from command_server import CommandServer

mpl.use("Agg")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

BUILD = ROOT / ("build-ci" if os.environ.get("CI") else "build")
LIBRARY = BUILD / "src" / "trellis" / "libtrellis.a"
COMPILER = ["g++", "-std=c++20", "-O1", "-fno-math-errno", "-fopenmp", f"-I{ROOT / 'src'}"]
CACHE = BUILD / "CMakeCache.txt"
PRELUDE = """#include <trellis/compile.hpp>
#include <trellis/trellis.hpp>
using namespace trellis;
using namespace trellis::fields;
"""
LANGUAGES = {"python", "sh", "toml", "cpp", "c", "fortran"}

MPI = (
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    "OMPI_MCA_rmaps_base_oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle",
)


def run_python(block: Block, names: dict[str, Any]) -> None:
    # blank lines in front, so that an error names the line of the page
    code = "\n" * (block.line - 1) + block.code_to_test()
    exec(compile(code, str(block.page), "exec"), names)


def run_shell(block: Block) -> None:
    done = subprocess.run(["bash", "-euc", block.code_to_test()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{block.place}: exit code {done.returncode}\n{done.stdout}{done.stderr}"


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    server = CommandServer()
    yield server
    server.close()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command_server: CommandServer) -> Path:
    """A folder to work in as in the repository's, with this Python and its command trellis; ranks share few cores."""
    commands = tmp_path / ".bin"
    commands.mkdir()
    asks = f'exec {sys.executable} -E -S {command_client.__file__} {command_server.place} "$@"'
    is_rank = f'[ -n "$OMPI_COMM_WORLD_SIZE" ] && exec {sys.executable} -m trellis "$@"'
    for name, script in {"trellis": f"{is_rank}\n{asks}", "python": f'exec {sys.executable} "$@"'}.items():
        (commands / name).write_text(f"#!/bin/sh\n{script}\n")
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    for name in MPI:
        monkeypatch.setenv(name, "1")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cuda_runtime() -> list[str]:
    """Return what a program links to as well if the library was built with CUDA."""
    found = re.search(r"^CUDA_cudart_static_LIBRARY:FILEPATH=(/.+)$", CACHE.read_text(), re.MULTILINE)
    return [found[1], "-ldl", "-lrt", "-lpthread"] if found else []


def mpi_libraries() -> list[str]:
    """Return what a program links to as well if the library was built with MPI."""
    return re.findall(r"^MPI_mpi\w*_LIBRARY:FILEPATH=(/.+)$", CACHE.read_text(), re.MULTILINE)


def network_libraries() -> list[str]:
    """Return what a program links to as well if the library was built with a network."""
    found = re.findall(r"^OPENSSL_(SSL|CRYPTO)_LIBRARY:FILEPATH=(/.+)$", CACHE.read_text(), re.MULTILINE)
    return [path for _, path in sorted(found, reverse=True)]  # SSL first, which needs the other


def compiler_cache() -> list[str]:
    """Return what the build puts in front of a compiler, if it has a cache that clones share (cmake/ccache.cmake)."""
    found = re.search(r"^TRELLIS_CCACHE:FILEPATH=(/.+)$", CACHE.read_text(), re.MULTILINE) if CACHE.exists() else None
    return ["env", f"CCACHE_BASEDIR={ROOT}", "CCACHE_NOHASHDIR=true", found[1]] if found else []


def is_command(block: Block) -> bool:
    return block.language == "sh" and re.search(r"^(\S*trellis|mpirun) ", block.code, re.MULTILINE) is not None


def can_run(block: Block) -> bool:
    return "mpirun" not in block.code or tr.info()["MPI"] != "built without"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_from_top_to_bottom(page: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in ALL:
        if block.page != page or not block.tested:
            continue
        if "file" in block.notes:
            (folder / block.notes["file"]).write_text(block.code_to_test())
        elif block.language == "python":
            run_python(block, names)
        elif is_command(block) and can_run(block):
            run_shell(block)


@pytest.mark.parametrize("block", [b for b in ALL if b.tested and b.language == "toml"], ids=lambda b: b.place)
def test_parameters_are_valid(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(block.code)
    content = read_toml(file)
    machines = {"host": SYSTEMS, "client": REPLICA_MACHINES, "wan": SITE_MACHINES, "upload": REMOTE_MACHINES}
    for section, model in machines.items():
        if section in content:
            model.load(file)
            return
    begins = "ic" in content or "initial_conditions" in content
    if begins and "run" in content:  # a whole file, as a reader would run it
        load(file)
        return
    # a part of a parameter file is completed
    missing = [] if begins else ["ic.model=plummer"]
    for key, value in {"until": 1.0, "timestep": 0.01, "output": "out", "snapshot_every": 0.5}.items():
        run = content.get("run", {})
        scheduled = "replica_exchange" in content or any(each in run for each in SCHEDULES)
        given = key in run or (key == "timestep" and "steps" in content)
        if not given and not (key == "snapshot_every" and scheduled):
            missing.append(f"run.{key}={value}")
    load(file, missing)


def run_program(command: list[str | Path]) -> str:
    ranks_share_cores = {**os.environ, **dict.fromkeys(MPI, "1")}
    ran = subprocess.run(command, env=ranks_share_cores, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("page", ["tour.md", "write_an_interaction.md", "external_forces.md"])
def test_programs_are_for_any_number_of_ranks_and_end_with_a_sentence(page: str) -> None:
    programs = [b for b in ALL if b.page.name == page and b.language == "cpp" and "int main(" in b.code]
    assert programs
    for program in programs:
        for part in ("const auto ranks = world();", "} catch (const InputError& error) {"):
            assert part in program.code, program.place


@pytest.mark.parametrize("block", [b for b in ALL if b.tested and b.language == "cpp"], ids=lambda b: b.place)
def test_cpp(block: Block, tmp_path: Path) -> None:
    whole = "int main(" in block.code
    prelude = "" if "#include" in block.code else PRELUDE
    # a path that is the same in each run, for the compiler's cache
    source = BUILD / "pages" / f"{block.page.stem}_{ALL.index(block)}.cpp"
    source.parent.mkdir(parents=True, exist_ok=True)
    page = block.page.relative_to(ROOT)
    source.write_text(f'{prelude}#line {block.line} "{page}"\n{block.code_to_test()}')
    compile_it = [*compiler_cache(), *COMPILER, "-c", source.relative_to(ROOT), "-o", source.with_suffix(".o")]
    compiled = subprocess.run(compile_it, cwd=ROOT, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    if whole and LIBRARY.exists():
        program = tmp_path / "example"
        libraries = [LIBRARY, *cuda_runtime(), *mpi_libraries(), *network_libraries()]
        run_program(["g++", "-fopenmp", source.with_suffix(".o"), *libraries, "-o", program])
        run_program([program])
        if "world()" in block.code and mpi_libraries():
            printed = run_program(["mpirun", "-n", "2", program])
            assert printed.count("\n") == 1, "rank 0 prints"


def object_files(program: Block, folder: Path) -> list[Path]:
    """Return the object files that Python on the same page has written, if a program links an interaction."""
    if "trellis_interaction " in program.code:
        for block in ALL:
            if block.page == program.page and "write_object" in block.code and block.language == "python":
                run_python(block, {})
    return sorted(folder.glob("*.o"))


@pytest.mark.parametrize("block", [b for b in ALL if b.tested and b.language == "c"], ids=lambda b: b.place)
def test_c(block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "example.c"
    source.write_text(block.code_to_test())
    compiler = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{ROOT / 'src'}", source]
    library = LIBRARY.with_name("libtrellis_c.so")
    if "int main(" not in block.code or not library.exists():
        run_program([*compiler, "-c", "-o", tmp_path / "example.o"])
        return
    program = tmp_path / "example"
    run_program(
        [*compiler, *object_files(block, tmp_path), library, f"-Wl,-rpath,{library.parent}", "-lm", "-o", program]
    )
    run_program([program])


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no Fortran compiler")
@pytest.mark.parametrize("block", [b for b in ALL if b.tested and b.language == "fortran"], ids=lambda b: b.place)
def test_fortran(block: Block, tmp_path: Path) -> None:
    source = tmp_path / "example.f90"
    source.write_text(block.code_to_test())
    run_program(["gfortran", "-std=f2008", "-Wall", "-Werror", "-c", source, "-o", tmp_path / "example.o"])


@pytest.mark.parametrize("block", ALL, ids=lambda b: b.place)
def test_block_is_of_a_kind_that_is_tested(block: Block) -> None:
    assert not block.tested or block.language in LANGUAGES, f"{block.place}: mark it as not tested, and say why"


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("model.md", symbols),
        ("remote_model.md", remote_symbols),
        ("replica_model.md", replica_symbols),
        ("site_model.md", site_symbols),
    ],
)
def test_model_page_has_the_symbols_of_the_model(page: str, made: Callable[[], str]) -> None:
    text = (ROOT / "docs" / page).read_text()
    printed = text.partition("<!-- symbols: begin -->\n")[2].partition("<!-- symbols: end -->")[0]
    assert printed == made(), f"put the output of symbols() into {page}"


@pytest.mark.parametrize(("name", "made"), [("operations", operations_table), ("rates", rates_table)])
def test_model_page_has_the_kernels_of_the_model(name: str, made: Callable[[], str]) -> None:
    text = (ROOT / "docs/model.md").read_text()
    printed = text.partition(f"<!-- {name}: begin -->\n")[2].partition(f"<!-- {name}: end -->")[0]
    assert printed == made(), f"put the output of {made.__name__}() into model.md"


@pytest.mark.parametrize("block", [b for b in ALL if b.language == "sh"], ids=lambda b: b.place)
def test_make_targets_are_there(block: Block) -> None:
    targets = re.findall(r"^make (\w+)", block.code, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text()
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{block.place}: there is no 'make {target}'"
