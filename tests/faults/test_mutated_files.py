"""Run files with something changed at random: 200 in the quick check, 2,000 in the full one."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutated_files import failure, mutated

BATCH = 100
QUICK, WHOLE = 2, 20  # batches


@pytest.mark.parametrize(
    "batch", [*range(QUICK), *(pytest.param(batch, marks=pytest.mark.whole) for batch in range(QUICK, WHOLE))]
)
def test_a_mutated_file_ends_in_a_run_or_a_sentence(tmp_path: Path, batch: int) -> None:
    for seed in range(BATCH * batch, BATCH * (batch + 1)):
        why = failure(seed, tmp_path)
        assert not why, f"seed {seed}:\n{mutated(seed)}\n{why}"
