"""Goals of individual time steps of a gas: updates, seconds and energy, against one chosen step for all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from row import Row
from steps import taken

import trellis as tr


def compared(what: str, gas: tr.ParticleSet, forces: list[tr.Force], until: float, longest: float) -> Iterator[Row]:
    """Run a gas to a time by its own steps, and by chosen ones."""
    own = taken(gas, forces, until, timestep=tr.IndividualSteps(longest=longest))
    chosen = taken(gas, forces, until)
    updates, seconds = chosen.updates / own.updates, chosen.seconds / own.seconds
    errors = [run.simulation.energies().error for run in (own, chosen)]
    steps = [run.updates / len(gas) for run in (own, chosen)]
    yield Row(f"{what}: times fewer updates than one step for all", ">= 2", f"{steps[1]:.0f} / {steps[0]:.1f} ="
              f" {updates:.2f}", updates >= 2)  # fmt: skip
    yield Row(f"{what}: times fewer processor seconds", ">= 2", f"{chosen.seconds:.1f} / {own.seconds:.1f} ="
              f" {seconds:.2f}", seconds >= 2)  # fmt: skip
    yield Row(f"{what}: energy error", "not above that of one step for all", f"{errors[0]:.1e}, {errors[1]:.1e}",
              abs(errors[0]) <= abs(errors[1]))  # fmt: skip


def sedov(_: Path, *, quick: bool) -> Iterator[Row]:
    """Follow Sedov's blast until its shock is 0.35 of the box's side from the middle."""
    side = 16 if quick else 64
    what = f"Sedov's blast, {side**3:,}, t = 0.05"
    yield from compared(what, tr.ic.sedov(side**3), [tr.Sph()], until=0.05, longest=0.005)


def evrard(_: Path, *, quick: bool) -> Iterator[Row]:
    """Follow Evrard's collapse beyond the bounce."""
    count, softening = (2_000, 0.02) if quick else (100_000, 0.005)
    what = f"Evrard's collapse, {count:,}, t = 1.5"
    forces: list[tr.Force] = [tr.Gravity(softening=softening, accuracy=1e-3), tr.Sph()]
    yield from compared(what, tr.ic.evrard(count), forces, until=1.5, longest=0.05)


PARTS = [sedov, evrard]
