"""Sessions of runs: the state that a run goes on from, the reason why it stops, and its checkpoints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trellis.config import load
from trellis.errors import InputError
from trellis.run.session import Origin, Reason, RunSession
from trellis.run.simulation_run import SimulationRun
from trellis.run.time_limit import OUT_OF_TIME, TimeLimit

HALF = "run.until=0.4"


def test_a_run_goes_on_from_its_checkpoint_or_begins(parameter_file: Path) -> None:
    file = load(parameter_file)
    assert RunSession(file).origin is Origin.INITIAL_CONDITIONS
    SimulationRun(load(parameter_file, [HALF])).run()
    session = RunSession(file, resume=True)
    assert session.origin is Origin.CHECKPOINT
    assert session.change([]) == session.kept
    assert session.origin is Origin.CHECKPOINT
    assert session.change(["gravity.softening=0.1"]).gravity != session.kept.gravity
    assert session.origin is Origin.CHANGED_CHECKPOINT
    assert RunSession(file, overwrite=True).origin is Origin.INITIAL_CONDITIONS


def test_nothing_is_changed_before_the_first_checkpoint(parameter_file: Path) -> None:
    file = load(parameter_file)
    folder = SimulationRun(file).folder
    folder.path.mkdir()
    folder.begin(file)
    session = RunSession(file, resume=True)
    assert session.origin is Origin.INITIAL_CONDITIONS
    sentence = f"there is no checkpoint in '{folder.path}' yet: begin again with --overwrite"
    with pytest.raises(InputError, match=f"^--change run.log_every=2: {re.escape(sentence)}$"):
        session.change(["run.log_every=2"])


def test_the_time_limit_is_a_reason_to_stop(parameter_file: Path) -> None:
    session = RunSession(load(parameter_file), limit=TimeLimit("00:00:01"))
    assert session.reason is Reason.NONE
    assert session.must_stop()
    assert session.reason is Reason.TIME_LIMIT
    stop = session.stop(checkpoint=False)
    assert stop.exit_code == OUT_OF_TIME
    assert stop.sentence.startswith("Stopped before --time-limit, without a checkpoint")


def test_a_signal_asks_for_one_checkpoint(parameter_file: Path) -> None:
    session = RunSession(load(parameter_file, ["run.checkpoint_every=1e9"]))
    assert not session.checkpoint_due()
    session.signals.checkpoint = True
    assert session.checkpoint_due()
    assert not session.checkpoint_due()
