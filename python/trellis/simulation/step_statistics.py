"""Statistics of the last step of a simulation: pairs, lists, sizes, devices and phases."""

from __future__ import annotations

from trellis import _core
from trellis.simulation.engine import Core


class StepStatistics:
    """Statistics of the last step of a `Simulation`; attributes ask no other rank."""

    _core: Core

    @property
    def timestep(self) -> float:
        """Time step; if it is not fixed, that of the last step, 0 before the first."""
        return self._core.timestep

    @property
    def step_count(self) -> int:
        """Steps since the start."""
        return self._core.step_count

    @property
    def volume_moves(self) -> tuple[int, int]:
        """Moves of the volume that the barostat has tried since the start, and those that were accepted.

        ValueError without a barostat.
        """
        if not (state := self._core.barostat_state):
            raise _core.InputError("volume_moves is asked for, but there is no barostat: the box stays as it is")
        return int(state[0]), int(state[1])

    @property
    def interactions(self) -> int:
        """Pairs evaluated in the last step, by all ranks."""
        return self._core.interactions

    @property
    def rung_use(self) -> dict[str, list[int] | int] | None:
        """The rungs of this rank's particles in the last step; None unless steps are `IndividualSteps`.

        ``particles`` of each rung when it began, ``updates`` (steps of all particles together) and ``level_updates``
        (forces computed on a particle, of all levels together).
        """
        return self._core.rung_use if isinstance(self._core, _core.Simulation) else None

    @property
    def list_use(self) -> list[dict[str, int]]:
        """For each force, how often lists were made (``constructions``), how many ``early``, and ``reuses``.

        ``prunings`` are those reuses at which the lists of a cutoff were pruned, ``asked`` those that began to use
        lists which a device was asked for (``neighbours_device``).
        """
        return self._core.list_use

    @property
    def sizes(self) -> list[dict[str, int]]:
        """For each force, its ``group_size`` and ``leaf_size``: as given, chosen or found."""
        return self._core.sizes

    @property
    def device_use(self) -> list[dict[str, float]]:
        """Work of the device for the last forces, for each force; empty without a device.

        ``batches``, ``memory`` (bytes), ``in_blocks`` (the particles did not fit into its memory all at once),
        ``lists_kept``, ``imbalance`` (the most pairs of a device over the mean of those that share the force), and the
        seconds and bytes of its queues: ``upload_seconds``, ``kernel_seconds``, ``download_seconds``, ``bytes_up``,
        ``bytes_down``, ``round_trips`` (waits for a device of another machine).
        Lists that a device was asked for (``neighbours_device``) are among those of the gas, at the step at which they
        begin to serve.
        If particles stay on the device, gravity has those of the queues, in the whole of the last step.
        """
        return self._core.device_use

    def speed(self) -> tuple[float, float]:
        """Return the cost of this rank's last forces, in evaluations of a pair, and the seconds that they took."""
        return self._core.cost, self.phases["Force kernel"]

    @property
    def phases(self) -> dict[str, float]:
        """Seconds that the phases of the last step took."""
        return self._core.phases
