"""Forecast of the time, memory and output of a replica exchange, from a few exchanges in memory."""

from __future__ import annotations

import resource
import shutil
import time
from dataclasses import dataclass

from trellis.io.exchange_checkpoint import write_exchange_checkpoint
from trellis.output.folder import OutputFolder
from trellis.run.forecast import LEAST, MOST, scratch_beside
from trellis.run.replica_run import ROUNDS, ReplicaExchangeRun


@dataclass(frozen=True)
class ExchangeForecast:
    """The rest of a replica exchange, and what it takes.

    Attributes
    ----------
    exchanges : int
        Number of exchanges left, after equilibration.
    equilibration : int
        Exchanges before these, to find temperatures and equilibrium.
    tried : int
        Number of exchanges measured.
    exchange_seconds : float
        Seconds of an exchange and the steps before it.
    seconds : float
        Seconds of the run.
    memory : int
        Bytes at the most until then.
    history, checkpoint : int
        Bytes of the whole history, and of a checkpoint.
    free : int
        Bytes that are free where they come.
    """

    exchanges: int
    equilibration: int
    tried: int
    exchange_seconds: float
    seconds: float
    memory: int
    history: int
    checkpoint: int
    free: int

    @property
    def output(self) -> int:
        """Bytes of all files: while a checkpoint is written, the one before is still there."""
        return self.history + 2 * self.checkpoint


def forecast_exchange(run: ReplicaExchangeRun) -> ExchangeForecast:
    """Try some exchanges of a run, which is not to be run then; its checkpoint is written once beside the output."""
    left = run.total - run.exchanges
    given = run.parameters
    tuned = given.temperatures is None and given.ladder == "auto"
    equilibration = given.equilibration * (ROUNDS * tuned + 1) if run.begins else 0
    began = time.perf_counter()
    spent: list[float] = []
    first = run.exchange.run(1)
    while sum(spent) < LEAST and len(spent) < left + equilibration and time.perf_counter() - began < MOST:
        before = time.perf_counter()
        run.exchange.run(1)
        spent.append(time.perf_counter() - before)
    each = sum(spent) / len(spent) if spent else time.perf_counter() - began
    arrays = (first.state, first.potential, first.potential_in_all, first.volume)
    of_history = sum(array.nbytes for array in arrays if array is not None)
    with scratch_beside(run.folder.path) as place:
        path = OutputFolder(place).checkpoint
        write_exchange_checkpoint(path, run.checkpoint())
        checkpoint, free = path.stat().st_size, shutil.disk_usage(place).free
    return ExchangeForecast(
        exchanges=left,
        equilibration=equilibration,
        tried=len(spent) or 1,
        exchange_seconds=each,
        seconds=each * (left + equilibration),
        memory=1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        history=left * of_history,
        checkpoint=checkpoint,
        free=free,
    )
