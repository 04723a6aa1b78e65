"""Checkpoints: the whole state of a run, bit for bit, in one file or in a file that names the others."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from trellis.arguments import checked_arguments
from trellis.errors import InputError
from trellis.io.checked_columns import new_column, read_checked, read_rows
from trellis.io.hdf5 import new_hdf5, open_hdf5
from trellis.io.rank_groups import RankGroup, own_share, rank_group
from trellis.parallel import world
from trellis.particles import ParticleSet
from trellis.particles.columns import Declaration, declare
from trellis.units import Units

FORMAT = b"trellis checkpoint 11"
COLUMNS = ("ranks/rows", "ranks/domains", "ranks/sizes", "ranks/parts", "cuts", "thermostat", "barostat")
"""Columns beside the particles'."""


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after a step.

    Attributes
    ----------
    particles : ParticleSet
        All columns, rows in the order that the run had them; of this rank.
    time : float
        Time of the particles.
    step_count : int
        Steps since the start.
    initial_time : float
        Time at the start.
    initial_energy : float
        Conserved energy at the start.
    units : Units
        Units of the columns.
    sizes : list of dict
        Group and leaf size of each force on this rank, which the last digits depend on.
    domains : tuple of two lists of float
        The division of space: the state of this rank, and the cuts, which are the same on all ranks. Both are
        empty for a rank alone.
    thermostat : list of float
        State of the thermostat, the same on all ranks; empty without one.
    step_allowed : float
        Longest step that the forces allowed last; infinite if steps are of a fixed length.
    expansion_work : float
        `Energies.expansion`, where space expands: there `time` is the scale factor.
    site_speeds : dict
        Speed of a rank of each site, by the site's name; empty if they are equal.
    thermostat_seed : int or None
        Seed of the thermostat's random numbers; None if it has none.
    barostat : list of float
        State of the barostat, the same on all ranks; empty without one.
    barostat_seed : int or None
        Seed of the barostat's random numbers; None without one.
    forces : list of str or None
        A mark of each force, which others do not have; None: not known.
    thermostat_kind : str or None
        Class of the thermostat; None without one, or if it is not known.
    """

    particles: ParticleSet
    time: float
    step_count: int
    initial_time: float
    initial_energy: float
    units: Units
    sizes: list[dict[str, int]] = field(default_factory=list)
    domains: tuple[list[float], list[float]] = ([], [])
    thermostat: list[float] = field(default_factory=list)
    step_allowed: float = math.inf
    expansion_work: float = 0.0
    site_speeds: dict[str, float] = field(default_factory=dict)
    thermostat_seed: int | None = None
    barostat: list[float] = field(default_factory=list)
    barostat_seed: int | None = None
    forces: list[str] | None = None
    thermostat_kind: str | None = None


@checked_arguments()
@world.collective
def write_checkpoint(path: str | Path, state: Checkpoint, *, files: int = 1) -> None:
    """Write a checkpoint; it appears whole or not at all, and what was at `path` stays until then.

    With several ranks all of them call this. With several files, the particles are in files of other names beside
    `path`, which names them and takes the place of its predecessor when they are complete; then that one's others go.

    Parameters
    ----------
    path : str or Path
        The file.
    state : Checkpoint
        The state to write.
    files : int
        Files to split it into, at most one for each rank.

    Raises
    ------
    RuntimeError
        If it cannot be written to the end, as on a full disk.
    """
    path = Path(path)
    group = rank_group(files)
    rows = world.gather(len(state.particles))
    domain, cuts = state.domains
    sizes, domains = world.gather(state.sizes), world.gather(domain)
    parts: list[str] = []
    if group.count > 1:
        parts = world.on_first(lambda: _new_names(path, group.count))
        with new_hdf5(path.with_name(parts[group.number]), checked=True) if group.writes else nullcontext() as file:
            _write_fields(file, state.particles, group, rows)
        world.enter_call("write_checkpoint: all files complete")
    with new_hdf5(path, checked=True) if world.rank() == 0 else nullcontext() as file:
        if file is not None:
            file.attrs.update(_facts(state))
            of_all = [
                np.array(rows),
                np.array(domains),
                _texts(map(json.dumps, sizes)),
                _texts(parts),
                np.array(cuts, dtype=np.float64),
                np.array(state.thermostat, dtype=np.float64),
                np.array(state.barostat, dtype=np.float64),
            ]
            for name, values in zip(COLUMNS, of_all, strict=True):
                new_column(file, name, values.shape, values.dtype)[...] = values
        if not parts:
            _write_fields(file, state.particles, group, rows)
    world.on_first(lambda: _forget(path, parts))


def part_files(path: Path) -> dict[Path, int]:
    """Return the files beside `path` that belong to checkpoints, complete or not, each with its checkpoint."""
    name = re.compile(rf"\.?{re.escape(path.stem)}\.(\d+)\.\d+{re.escape(path.suffix)}(?:\.part)?")
    found = ((each, name.fullmatch(each.name)) for each in path.parent.glob(f"*{path.stem}.*{path.suffix}*"))
    return {each: int(match[1]) for each, match in found if match}


@checked_arguments()
def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint.

    As many ranks as wrote it get what each had; any other number share its rows evenly, in their order. One that a run
    replaces meanwhile is read again.

    Raises
    ------
    ValueError
        If a file is missing, truncated or not a checkpoint.
    """
    path = Path(path)
    while True:
        before = checkpoint_version(path)
        try:
            return _read(path)
        except InputError:
            if checkpoint_version(path) == before:  # else the files that it named may be gone
                raise


def checkpoint_version(path: Path) -> tuple[int, int] | None:
    """Return a mark of the checkpoint at `path`, which others there do not have; None without one."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _read(path: Path) -> Checkpoint:
    with open_hdf5(path) as file:
        found = file.attrs
        if "format" not in found or found["format"] != FORMAT:  # `get` would not tell damage from another file
            raise InputError(f"'{path}' is not a checkpoint of this version of trellis")
        rows, domains, sizes, parts, cuts, thermostat, barostat = (
            read_checked(path, name, file[name]) for name in COLUMNS
        )
        same = len(rows) == world.ranks()
        ends = [0, *np.cumsum(rows).tolist()]
        own = slice(ends[world.rank()], ends[world.rank() + 1]) if same else own_share(ends[-1])
        particles = _read_fields([path.with_name(name.decode()) for name in parts] or [path], own)
        particles.box = found["box"]
        return Checkpoint(
            particles,
            float(found["time"]),
            int(found["step_count"]),
            float(found["initial_time"]),
            float(found["initial_energy"]),
            Units(**{each.name: found.get(f"units_{each.name}") for each in fields(Units)}),
            json.loads(sizes[world.rank() if same else 0]),
            (domains[world.rank()].tolist(), cuts.tolist()) if same else ([], []),
            thermostat.tolist(),
            float(found["step_allowed"]),
            float(found["expansion_work"]),
            json.loads(found["site_speeds"]),
            _seed(found, "thermostat_seed"),
            barostat.tolist(),
            _seed(found, "barostat_seed"),
            json.loads(found["forces"]) if "forces" in found else None,
            found["thermostat_kind"].decode() if "thermostat_kind" in found else None,
        )


def _seed(found: h5py.AttributeManager, name: str) -> int | None:
    return int(found[name]) if name in found else None


def _facts(state: Checkpoint) -> dict[str, Any]:
    """Return the values that are the same on all ranks."""
    seeds = {"thermostat_seed": state.thermostat_seed, "barostat_seed": state.barostat_seed}
    known = {} if state.forces is None else {"forces": np.bytes_(json.dumps(state.forces).encode())}
    if state.thermostat_kind is not None:
        known["thermostat_kind"] = np.bytes_(state.thermostat_kind.encode())
    return {
        "format": np.bytes_(FORMAT),
        "time": state.time,
        "step_count": state.step_count,
        "initial_time": state.initial_time,
        "initial_energy": state.initial_energy,
        "step_allowed": state.step_allowed,
        "expansion_work": state.expansion_work,
        "site_speeds": np.bytes_(json.dumps(state.site_speeds).encode()),
        "box": state.particles.box,
        **known,
        **{name: np.uint64(seed) for name, seed in seeds.items() if seed is not None},
        **{f"units_{name}": value for name, value in asdict(state.units).items() if value is not None},
    }


def _texts(values: Iterable[str]) -> NDArray[np.bytes_]:
    return np.array([value.encode() for value in values], dtype="S")


def _new_names(path: Path, count: int) -> list[str]:
    """Names that no file has."""
    number = max(part_files(path).values(), default=0) + 1
    return [f"{path.stem}.{number}.{k}{path.suffix}" for k in range(count)]


def _forget(path: Path, kept: list[str]) -> None:
    for part in part_files(path):
        if part.name not in kept:
            part.unlink()


def _write_fields(file: h5py.File | None, particles: ParticleSet, group: RankGroup, rows: list[int]) -> None:
    for name in particles.field_names:
        unit, meaning = particles.field_info(name)
        here = rows[group.ranks.start : group.ranks.stop]
        dataset = group.write_column(file, f"fields/{name}", particles.column(name), here)
        if dataset is not None:
            # of fixed length: HDF5 keeps others apart, without a checksum
            dataset.attrs.update({"unit": np.bytes_(unit.encode()), "meaning": np.bytes_(meaning.encode())})


def _read_fields(paths: list[Path], own: slice) -> ParticleSet:
    """Rows of the columns, which go on from file to file."""
    particles = ParticleSet(own.stop - own.start)
    first = 0
    for path in paths:
        with open_hdf5(path) as file:
            lacking = [name for name in particles.field_names if name not in file["fields"]]
            if lacking:
                raise InputError(f"'{path}' is damaged: it lacks the column {lacking[0]}")
            count = len(file["fields/id"])
            begin, end = max(own.start, first), min(own.stop, first + count)
            for name, dataset in file["fields"].items():
                if name not in particles.field_names:
                    components = 3 if dataset.ndim == 2 else 1
                    unit, meaning = (bytes(dataset.attrs[key]).decode() for key in ("unit", "meaning"))
                    declare(particles, Declaration(name, components, unit, meaning))
                if begin < end:
                    here, there = (slice(begin - start, end - start) for start in (own.start, first))
                    particles.column(name)[here] = read_rows(path, name, dataset, there)
            first += count
    return particles
