from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from conftest import FlipBit

import trellis as tr

T = np.array([1.0, 1.5, 2.5])


def history(exchanges: int = 8, seed: int = 1) -> tr.ExchangeHistory:
    random = np.random.default_rng(seed)
    state = random.permuted(np.tile(np.arange(3, dtype=np.int32), (exchanges, 1)), axis=1)
    return tr.ExchangeHistory(T, state, random.normal(size=(exchanges, 3)), np.array([4, 3]), np.array([2, 1]))


def same(first: tr.ExchangeHistory, second: tr.ExchangeHistory) -> bool:
    names = ("temperatures", "state", "potential", "tried", "accepted")
    pairs = [(getattr(first, name), getattr(second, name)) for name in names]
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_energies_and_systems_by_state() -> None:
    made = history()
    assert (made.exchanges, made.systems, made.states) == (8, 3, 3)
    for k in range(8):
        for system in range(3):
            assert made.walk()[k, made.state[k, system]] == system
            assert made.energies()[k, made.state[k, system]] == made.potential[k, system]


def test_parts_of_a_history() -> None:
    made = history()
    later = made.after(3)
    assert later.exchanges == 5
    assert (later.state == made.state[3:]).all()
    assert (later.potential == made.potential[3:]).all()
    assert (later.tried == made.tried).all()
    assert made.after(8).energies().shape == (0, 3)
    whole = made.joined([history(4, seed=2), history(0)])
    assert whole.exchanges == 12
    assert (whole.state[8:] == history(4, seed=2).state).all()
    assert (whole.tried.tolist(), whole.accepted.tolist()) == ([12, 9], [6, 3])


@pytest.mark.parametrize("exchanges", [8, 0])
def test_files(tmp_path: Path, exchanges: int) -> None:
    made = history(exchanges)
    made.write(tmp_path / "a.hdf5")
    assert same(tr.ExchangeHistory.read(str(tmp_path / "a.hdf5")), made)
    history(3, seed=2).write(tmp_path / "b.hdf5")
    both = tr.ExchangeHistory.read([tmp_path / "a.hdf5", tmp_path / "b.hdf5"])
    assert same(both, made.joined([history(3, seed=2)]))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.hdf5", "b.hdf5"]


def test_chunks_of_many_systems_are_small(tmp_path: Path) -> None:
    state = np.tile(np.arange(20_000, dtype=np.int32), (12, 1))
    none = np.zeros(19_999)
    tr.ExchangeHistory(np.ones(20_000), state, np.zeros(state.shape), none, none).write(tmp_path / "a.hdf5")
    with h5py.File(tmp_path / "a.hdf5") as file:
        assert file["potential"].chunks == (4, 20_000)
    assert (tr.ExchangeHistory.read(tmp_path / "a.hdf5").state == state).all()


def test_files_that_cannot_be_read(tmp_path: Path, flip_bit: FlipBit) -> None:
    path = tmp_path / "a.hdf5"
    history().write(path)
    flip_bit(path, "potential")
    with pytest.raises(ValueError, match=r"a\.hdf5' is damaged: the checksum of 'potential' is wrong"):
        tr.ExchangeHistory.read(path)
    with h5py.File(path, "w") as file:
        file["potential"] = 1.0
    with pytest.raises(ValueError, match=r"a\.hdf5' is not an exchange history of this version"):
        tr.ExchangeHistory.read(path)
    with pytest.raises(ValueError, match="there is no file"):
        tr.ExchangeHistory.read(tmp_path / "nowhere.hdf5")
    with pytest.raises(ValueError, match="from no files"):
        tr.ExchangeHistory.read([])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"temperatures": [1.0, -1.0, 2.0]}, "^temperatures must be one list of numbers above 0"),
        ({"temperatures": [1.0, 2.0]}, r"^state has the shape \(8, 3\), but must have \(exchanges, 2\), a system each"),
        ({"potential": np.zeros((7, 3))}, r"^potential has the shape \(7, 3\), but must have that of state, \(8, 3\)"),
        ({"accepted": [1, 2, 3]}, r"^accepted has the shape \(3,\), but must have \(2,\), one less than states"),
        ({"state": np.tile([1, 2, 3], (8, 1))}, "^a state is 1 or 3, but must be 0 to 2, or -1"),
    ],
)
def test_what_a_history_cannot_have(given: dict[str, object], sentence: str) -> None:
    made = history()
    columns = {name: getattr(made, name) for name in ("temperatures", "state", "potential", "tried", "accepted")}
    with pytest.raises(ValueError, match=sentence):
        tr.ExchangeHistory(**{**columns, **given})


def test_parts_that_there_are_not() -> None:
    made = history()
    with pytest.raises(ValueError, match="9 exchanges are to be left out: allowed is 0 to 8"):
        made.after(9)
    other = tr.ExchangeHistory(2 * T, made.state, made.potential, made.tried, made.accepted)
    with pytest.raises(ValueError, match="of different temperatures cannot be joined"):
        made.joined([other])
