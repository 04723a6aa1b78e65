"""Interactions that Python writes into object files, in programs of C and Fortran."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import is_refused
from numpy.typing import NDArray
from own_interactions import after_a_step, difference, dust, gas, gravity, lennard_jones, liquid, yukawa

import trellis as tr

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / ("build-ci" if os.environ.get("CI") else "build") / "src/trellis/libtrellis_c.so"
Array = NDArray[np.float64]
Force = Any
_numbers = itertools.count()

if not LIBRARY.exists():
    assert "CI" not in os.environ, "the full check builds the C library"
    pytest.skip("the C library is not built", allow_module_level=True)


class InC:
    """Particles and a force in the C library; what fails there is a ValueError with the sentence."""

    def __init__(self, particles: tr.ParticleSet, fields: Sequence[str] = ()) -> None:
        self.library = ctypes.CDLL(str(LIBRARY))
        self.library.trellis_error.restype = ctypes.c_char_p
        self.count = len(particles)
        self.particles = self.made("particles_new", ctypes.c_int64(self.count))
        self.call("set_box", self.particles, *((ctypes.c_double * 3)(*corner) for corner in particles.box))
        for name in ("position", "velocity", "mass", *fields):
            self.column(name, particles.column(name).ndim)[...] = particles.column(name)

    def call(self, name: str, *arguments: Any) -> None:
        if getattr(self.library, f"trellis_{name}")(*arguments):
            raise ValueError(self.library.trellis_error().decode())

    def made(self, name: str, *arguments: Any) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle

    def column(self, name: str, dimensions: int) -> Array:
        """Return a column, of numbers or of vectors."""
        components, first = 2 * dimensions - 1, ctypes.POINTER(ctypes.c_double)()
        self.call("column", self.particles, name.encode(), components, ctypes.byref(first))
        return np.ctypeslib.as_array(first, (self.count, 3) if components == 3 else (self.count,))

    def force(self, file: Path, numbers: Mapping[str, float], device: str = "host") -> ctypes.c_void_p:
        """Return the force of an object file, with other values of its parameters."""
        library = file.with_name(f"{next(_numbers)}.so").resolve()  # a process loads each name once
        subprocess.run(["cc", "-shared", "-o", library, file], check=True)
        devices = self.made("devices_open", device.encode())
        values = (ctypes.c_double * len(numbers))(*numbers.values())
        interaction = getattr(ctypes.CDLL(str(library)), file.stem)
        return self.made("interaction_force", interaction, " ".join(numbers).encode(), values, devices)

    def compute(self, force: ctypes.c_void_p) -> None:
        simulation = self.made("simulation_new", self.particles, ctypes.c_double(1e-9))
        self.call("add_force", simulation, force)
        self.call("step", simulation, ctypes.c_int64(1))

    def results(self, name: str, dimensions: int) -> Array:
        """Return a column in the order of the particles that were given."""
        ids = ctypes.POINTER(ctypes.c_uint64)()
        self.call("ids", self.particles, ctypes.byref(ids))
        ordered = np.empty_like(self.column(name, dimensions))
        ordered[np.ctypeslib.as_array(ids, (self.count,))] = self.column(name, dimensions)
        return ordered


def differences(
    force: Force, same: Force, file: Path, particles: tr.ParticleSet, names: Sequence[str], device: str = "host",
    **numbers: float,
) -> list[float]:  # fmt: skip
    """Return how results in C, by a force with other numbers, differ from those of `same` in Python."""
    force.write_object(file)
    known = [name for name in ("charge", "kind", "reach") if hasattr(particles, name)]
    ours = InC(particles, known)
    ours.compute(ours.force(file, numbers, device))
    theirs = after_a_step(particles, same).particles
    return [
        difference(ours.results(name, theirs.column(name).ndim), theirs.column(name)[np.argsort(theirs.id)])
        for name in names
    ]


@pytest.mark.parametrize(("precision", "error"), [("single", 1e-6), ("double", 1e-14)])
def test_a_tree_gives_the_forces_of_python(tmp_path: Path, precision: str, error: float) -> None:
    settings: dict[str, Any] = {"theta": 0.4, "precision": precision}
    force = yukawa(length=0.5, **settings)
    found = differences(force, force, tmp_path / "dust.o", dust(2000), ("acceleration", "potential"))
    assert max(found) < error


def test_other_values_of_parameters_and_theta_are_those_of_python(tmp_path: Path) -> None:
    force, same = yukawa(length=0.5), yukawa(length=0.7, epsilon2=0, theta=0.3, precision="double")
    force = yukawa(length=0.5, precision="double")
    file, names = tmp_path / "dust.o", ("acceleration", "potential")
    assert max(differences(force, same, file, dust(2000), names, length=0.7, epsilon2=0, theta=0.3)) < 1e-14
    force, same = (
        tr.pair_potential("-exp(-a * r**2)", source="mass", a=a, accuracy=accuracy)
        for a, accuracy in ((0.5, 1e-3), (0.3, 1e-5))
    )
    assert max(differences(force, same, file, dust(2000), names, a=0.3, accuracy=1e-5)) < 1e-6
    force, same = (lennard_jones(sigma=sigma, cutoff=cutoff) for sigma, cutoff in ((1, 2.5), (0.9, 2.0)))
    names = ("acceleration", "potential", "virial")
    assert max(differences(force, same, file, liquid(), names, sigma=0.9, cutoff=2.0)) == 0


def test_roots_of_zero_are_those_of_python_where_a_program_takes_the_softening_away(tmp_path: Path) -> None:
    @tr.interaction
    def wells(i: Any, j: Any, out: Any, *, epsilon2: float = 1e-2) -> None:
        d = j.position - i.position
        out.potential -= j.mass * tr.rsqrt(tr.dot(d, d) + epsilon2)

    places = np.repeat(np.random.default_rng(4).normal(size=(50, 3)), 2, axis=0)
    pairs = tr.ParticleSet.from_columns(position=places, mass=np.ones(100))
    for precision in ("single", "double"):
        force, same = (wells(epsilon2=value, theta=0.1, precision=precision) for value in (1e-2, 0))
        assert differences(force, same, tmp_path / "wells.o", pairs, ("potential",), epsilon2=0)[0] < 1e-6


def test_what_is_made_after_all_pairs_has_the_bits_of_python(tmp_path: Path) -> None:
    force, names = gas(cutoff=2.0, precision="double"), ("acceleration", "density", "pressure", "nearest")
    assert max(differences(force, force, tmp_path / "gas.o", liquid(), names)) == 0


def test_tables_by_kinds_and_matrices_have_the_bits_of_python(tmp_path: Path) -> None:
    particles = liquid()
    particles.add_field("kind", values=np.arange(len(particles)) % 2)
    r = np.linspace(0.5, 2.5, 300)
    table = tr.table(r, np.array([[[1.0], [0.5]], [[0.5], [2.0]]]) * r**-6)
    matrix = tr.pair_potential("eps * r**-6", cutoff=2.0, eps=[[1, 0.5], [0.5, 2]])
    names = ("acceleration", "potential", "virial")
    for force in (tr.pair_potential(table, cutoff=2.0), matrix):
        assert max(differences(force, force, tmp_path / "pairs.o", particles, names)) == 0


@pytest.mark.parametrize("search", ["gather", "scatter", "symmetric"])
def test_search_radii_have_the_bits_of_python(tmp_path: Path, search: str) -> None:
    @tr.interaction(results=["number", "largest"], radius="reach", search=search)
    def neighbours(i: Any, j: Any, out: Any) -> None:
        d = j.position - i.position
        out.number += 1
        out.largest.raise_to(tr.dot(d, d))

    particles = liquid()
    particles.add_field("reach", values=np.random.default_rng(3).uniform(0.8, 1.8, len(particles)))
    assert max(differences(neighbours(), neighbours(), tmp_path / "n.o", particles, ("number", "largest"))) == 0


@pytest.mark.usefixtures("opencl")
@pytest.mark.parametrize("device", ["opencl:0", "cpu"])
def test_a_device_gives_the_forces_of_python(tmp_path: Path, device: str) -> None:
    settings: dict[str, Any] = {"theta": 0.4, "precision": "single", "group_size": 100}
    names, given = ("acceleration", "potential"), {"epsilon2": 0.01}
    force, same = gravity(**settings), gravity(epsilon2=0.01, device=device, **settings)
    file, stars = tmp_path / "stars.o", tr.ic.plummer(2000, seed=2)
    assert max(differences(force, same, file, stars, names, device=device, **given)) < 1e-6
    force, same = lennard_jones(cutoff=2.5), lennard_jones(cutoff=2.5, device=device)
    rounding = 1e-6 if device == "cpu" else 0  # a program carries out node by node what Python has compiled
    assert max(differences(force, same, file, liquid(), names, device=device)) <= rounding


@pytest.mark.parametrize("level", ["v2", "v3", "v4"])
def test_each_instruction_set_has_functions(tmp_path: Path, level: str) -> None:
    program = f"""
import sys
from pathlib import Path
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[1])!r}]
import trellis as tr
from own_interactions import dust, gas, liquid, yukawa
from test_object_files import differences
force = yukawa(length=0.5, theta=0.4, precision="double")
print(*differences(force, force, Path("dust.o"), dust(500), ("acceleration", "potential")))
force = gas(cutoff=2.0, precision="double")
print(*differences(force, force, Path("gas.o"), liquid(6), ("density", "nearest")))
atoms = liquid(6)
atoms.add_field("kind", values=[k % 3 for k in range(len(atoms))])
force = tr.pair_potential("a / r**6", cutoff=2.0, a=[[1, 2, 3], [2, 4, 5], [3, 5, 6]], precision="double")
print(*differences(force, force, Path("atoms.o"), atoms, ("acceleration", "potential")))
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, "TRELLIS_SIMD": level},
                         capture_output=True, text=True, check=False)  # fmt: skip
    if "this machine can run up to" in ran.stderr:
        pytest.skip(f"this machine has no {level}")
    assert ran.returncode == 0, ran.stderr
    assert max(map(float, ran.stdout.split())) < 1e-14


FORTRAN = """
program dust
   use trellis
   implicit none
   procedure(trellis_interaction), bind(c) :: yukawa
   type(c_ptr) :: particles, force, simulation
   real(c_double), pointer :: x(:, :), m(:, :), q(:, :)
   real(c_double) :: kinetic, potential
   character(len=20) :: name = "charge"  ! without c_null_char
   integer :: k

   call check(trellis_particles_new(8_c_int64_t, particles))
   call check(trellis_column(particles, "position"//c_null_char, 3, x))
   call check(trellis_column(particles, "mass"//c_null_char, 1, m))
   call check(trellis_column(particles, name, 1, q))
   do k = 1, 8
      x(:, k) = [real(iand(k - 1, 1), c_double), real(iand(k - 1, 2), c_double), real(iand(k - 1, 4), c_double)]
      m(1, k) = 1 + 0.1d0*k
      q(1, k) = (-1)**k*0.2d0*k
   end do
   call check(trellis_interaction_force(yukawa, "length"//c_null_char, [0.7d0], c_null_ptr, force))
   call check(trellis_simulation_new(particles, 0.01d0, simulation))
   call check(trellis_add_force(simulation, force))
   call check(trellis_energies(simulation, kinetic, potential))
   print '(es24.16)', potential
   call trellis_simulation_free(simulation)
   call trellis_force_free(force)
   call trellis_particles_free(particles)

contains

   subroutine check(code)
      integer(c_int), intent(in) :: code

      if (code /= 0) then
         print '(a)', trellis_sentence()
         error stop
      end if
   end subroutine

end program
"""


@pytest.mark.skipif(shutil.which("gfortran") is None, reason="there is no Fortran compiler")
def test_a_program_in_fortran_is_linked_with_it(tmp_path: Path) -> None:
    yukawa(length=0.5, theta=0.1, precision="double").write_object(tmp_path / "yukawa.o")
    (tmp_path / "dust.f90").write_text(FORTRAN)
    sources = [ROOT / "src/trellis/c/trellis.f90", "dust.f90", "yukawa.o", LIBRARY]
    options = ["-std=f2008", "-Wall", "-Werror", f"-Wl,-rpath,{LIBRARY.parent}", "-o", "dust"]
    subprocess.run(["gfortran", *options[:3], *sources, *options[3:]], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "dust"], capture_output=True, text=True, check=True).stdout
    k = np.arange(1, 9)
    x, q = np.array([(k - 1) & 1, (k - 1) & 2, (k - 1) & 4]).T, (-1.0) ** k * 0.2 * k
    r = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2) + 1e-4)
    pairs = q[:, None] * q * np.exp(-r / 0.7) / r
    assert np.isclose(float(printed), (pairs.sum() - np.trace(pairs)) / 2, rtol=1e-13)


def test_files_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    force = gravity()
    is_refused(lambda: force.write_object(tmp_path / "two words.o"), "allowed is the name of a function in C and .o")
    is_refused(lambda: force.write_object(tmp_path / "stars.so"), "an object file is stars.so")
    is_refused(lambda: force.write_object(tmp_path / "there/is/none.o"), "cannot write")
    bonded = lennard_jones(cutoff=2.5, exclude=[(0, 1)])
    is_refused(lambda: bonded.write_object(tmp_path / "atoms.o"), "an object file holds none of them")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def refusal(tmp_path: Path) -> Callable[..., None]:
    """Check that a force of an object file in C, by these numbers, is refused with a sentence."""
    ours = InC(dust(2))

    def check(force: Force, said: str, device: str = "host", **numbers: float) -> None:
        file = tmp_path / "force.o"
        force.write_object(file)
        is_refused(lambda: ours.force(file, numbers, device), said)

    return check


def test_numbers_that_cannot_be_used_are_refused_in_c(refusal: Callable[..., None]) -> None:
    refusal(yukawa(), "yukawa has no 'mass': allowed are length, epsilon2, theta", mass=1)
    refusal(lennard_jones(cutoff=2), "has no 'theta': allowed are epsilon, sigma, cutoff", theta=1)
    refusal(yukawa(), "length of yukawa is nan: allowed is a finite number", length=np.nan)
    refusal(yukawa(), "theta is 3: allowed with method tree is above 0 and below 2", theta=3)
    refusal(yukawa(), "has no 'accuracy'", accuracy=1e-3)
    refusal(lennard_jones(cutoff=2), "cutoff is -1: allowed is above 0", cutoff=-1)
    r = np.linspace(0.5, 2.5, 300)
    refusal(tr.pair_potential(tr.table(r, r**-6), cutoff=2), "is 3, but its table ends at 2.5", cutoff=3)
    refusal(yukawa(), "compiled at run time, which device rehearsal:0 cannot", device="rehearsal:0")


def test_files_of_another_version_are_refused_in_c(tmp_path: Path) -> None:
    file, version = tmp_path / "stars.o", str(tr.info()["version"]).encode()
    gravity().write_object(file)
    content = file.read_bytes()
    assert content.count(version) >= 1
    file.write_bytes(content.replace(version, b"9" * len(version)))
    is_refused(lambda: InC(dust(2)).force(file, {}), "by which it must be written again")
