"""Runs over several sites with individual time steps."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from site_processes import RUN, Sites, ended, start_sites

import trellis as tr
from trellis.config import load
from trellis.errors import InputError
from trellis.output.energy_log import read_energy_log
from trellis.output.rung_log import read_rung_log

TEXT = RUN.replace("timestep = 0.01\n", "").replace(
    "[sites]", '[steps]\nlongest = 0.0125\neta = 0.002\ncriterion = "encounters"\n[sites]'
)


@pytest.fixture
def start(tmp_path: Path, keys: Path) -> Callable[[int], Sites]:
    """Make sites of this machine, which trust each other's keys."""
    assert os.environ["TRELLIS_HOME"] == str(keys)
    return partial(start_sites, tmp_path)


@pytest.mark.skipif(tr.info()["network"] == "built without", reason="Trellis was built without Asio and OpenSSL")
def test_individual_steps_of_each_site(
    tmp_path: Path, start: Callable[[int], Sites], trellis: Callable[..., object]
) -> None:
    sites = start(2)
    done = ended(sites(text=TEXT))
    assert [code for code, _ in done] == [0, 0], done
    (tmp_path / "site0" / "out").rename(tmp_path / "whole")
    shutil.rmtree(tmp_path / "site1")
    for options in (("--set", "run.until=0.05"), ("--resume",)):
        done = ended(sites(*options, text=TEXT))
        assert [code for code, _ in done] == [0, 0], done
    alone = tmp_path / "alone.toml"
    alone.write_text(TEXT.partition("[sites]")[0])
    trellis("run", alone, "--set", f"run.output={tmp_path / 'alone'}")
    logs = [read_rung_log(folder / "rungs.csv") for folder in (tmp_path / "site0" / "out", tmp_path / "alone")]
    for log in logs:
        assert log["step"].tolist() == list(range(1, 9))
        counts = np.array([log[f"rung_{rung}"] for rung in range(25)])
        assert (counts.sum(axis=0) == 300).all()
        assert ((counts > 0).sum(axis=0) >= 2).all()
    for name in ("rungs.csv", "energy.csv"):
        assert (tmp_path / "site0" / "out" / name).read_text() == (tmp_path / "whole" / name).read_text()
    energies = [read_energy_log(folder / "energy.csv") for folder in (tmp_path / "whole", tmp_path / "alone")]
    assert np.allclose(energies[0]["potential"], energies[1]["potential"], rtol=1e-4)


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        (
            "[sph]\n",
            "[steps] does not go with [sites] and [sph]: over several sites a gas has one step for all",
        ),
        ("[steps]\norder = 4\n", "'steps.order' is 4, but with [sites] must be 2"),
    ],
)
def test_what_needs_the_particles_of_all_sites_is_refused(tmp_path: Path, section: str, sentence: str) -> None:
    path = tmp_path / "run.toml"
    text = TEXT.format(ring='"a.net:1", "b.net:1"')
    path.write_text(text.replace("[steps]\n", section if "order" in section else section + "[steps]\n"))
    with pytest.raises(InputError) as error:
        load(path)
    assert str(error.value) == f"{path}: {sentence}"
