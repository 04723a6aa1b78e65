"""Ten cases of the soak; `python tests/faults/soak.py` does as many as one likes."""

from __future__ import annotations

import pytest
from soak import Soak

import trellis as tr


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    most_ranks = 1 if tr.info()["MPI"] == "built without" else 2
    return Soak(tmp_path_factory.mktemp("soak") / "runs", most_ranks)


@pytest.mark.parametrize("seed", range(1, 11))
def test_nothing_is_lost_whatever_happens(soak: Soak, seed: int) -> None:
    _, failure = soak.failure(seed)
    assert not failure, failure
