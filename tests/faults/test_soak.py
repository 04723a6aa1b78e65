"""Ten cases of the soak; `python tests/faults/soak.py` does as many as one likes."""

from __future__ import annotations

import pytest
from soak import Soak


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return Soak(tmp_path_factory.mktemp("soak") / "runs", most_ranks=1)


# Cases of one fault each, three of them at each landing: a checkpoint asked for, kill, overwriting, damage, a race, a
# clash, a limit of time, a lost piece, a full disk, a signal; of gravity, gas and molecules, with and without a
# checkpoint at each step.
@pytest.mark.parametrize(
    "seed", [1, 62, 171, *(pytest.param(seed, marks=pytest.mark.whole) for seed in (9, 51, 66, 86, 97, 200, 211))]
)
def test_nothing_is_lost_whatever_happens(soak: Soak, seed: int) -> None:
    _, failure = soak.failure(seed)
    assert not failure, failure
