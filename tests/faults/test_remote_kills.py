"""A few cases of killed servers and clients; `python tests/faults/remote_kills.py` does as many as one likes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from remote_kills import RemoteKills

import trellis as tr

if tr.info()["network"] == "built without":
    pytest.skip("Trellis was built without a network", allow_module_level=True)


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteKills]:
    kills = RemoteKills(tmp_path_factory.mktemp("kills"))
    yield kills
    kills.server.kill()


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.whole) for seed in (2, 20))])
def test_nothing_is_lost_when_servers_and_clients_are_killed(remote: RemoteKills, seed: int) -> None:
    _, failure = remote.failure(seed, most_kills=1)
    assert not failure, failure
