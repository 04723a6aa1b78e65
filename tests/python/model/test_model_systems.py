"""System files: what is read of them, and the one sentence about what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from trellis.errors import InputError
from trellis.model import BUILT_IN, System, Work, find_system
from trellis.model.calibrate import to_toml
from trellis.model.methods import t_step
from trellis.model.systems import Host
from trellis.model.trellis_cpu import Calibration

WHOLE = """
[host]
B_host = 50e9
F_host = 1e12
[accelerator]
B_transfer = 20e9
F_GPU = 30e12
B_GPU = 2000e9
[network]
B_inj = 10e9
[coefficients]
alpha_sort = 2.0
b_FP = 100
"""

CALIBRATION = Calibration(
    sizes=[1000, 9000],
    threads=3,
    theta=0.5,
    group_size=64,
    alpha_root=[1.0, 0.1],
    alpha_key=[2.0, 0.2],
    alpha_sort=[3.0, 0.3],
    alpha_reorder=[4.0, 0.4],
    alpha_link=[5.0, 0.5],
    alpha_mom=[6.0, 0.6],
    alpha_const_list=[7.0, 0.7],
    alpha_check_list=[9.0, 0.9],
    alpha_integration=[8.0, 0.8],
    pairs_base=100.5,
    pairs_slope=-3.0,
    pair_rate=1e9,
)

CALIBRATED = to_toml(System("x", Host(B_host=12.3e9), trellis=CALIBRATION))


def written(folder: Path, text: str) -> Path:
    path = folder / "machine.toml"
    path.write_text(text)
    return path


def test_a_file_says_what_it_says(tmp_path: Path) -> None:
    system = find_system(str(written(tmp_path, WHOLE)))
    assert system.name == "machine"
    assert system.host.B_host == 50e9
    assert system.accelerator.F_GPU == 30e12
    assert system.network.B_inj == 10e9
    assert system.coefficients.alpha_sort == 2.0
    assert system.coefficients.b_FP == 100
    assert system.coefficients.alpha_link == 3.4  # not in the file: the paper's
    assert system.trellis is None


def test_a_host_is_enough_for_c1(tmp_path: Path) -> None:
    system = find_system(str(written(tmp_path, "[host]\nB_host = 40e9\n")))
    work = Work(2**22, 0.5, 230)
    assert t_step("C1", work, system) == t_step("C1", work, BUILT_IN["titan-v"])
    with pytest.raises(InputError, match=r"'machine' has no \[accelerator\]"):
        t_step("G3", work, system)


def test_calibration_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = find_system(str(written(tmp_path, CALIBRATED)))
    assert found.trellis == CALIBRATION
    assert found.host.B_host == 12.3e9


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[host]\nB_host = -1.0\n", "'host.B_host' is -1.0, but must be above 0"),
        ("[host]\nB_host = 'fast'\n", "'host.B_host' is 'fast', but must be a number"),
        ("[host]\nF_host = 1e12\n", "'host.B_host' is missing: main memory bandwidth"),
        ("[host]\nB_hst = 1e9\nB_host = 1e9\n", "unknown key 'host.B_hst': did you mean 'host.B_host'?"),
        ("[hosts]\nB_host = 1e9\n", "unknown section 'hosts': did you mean 'host'?"),
        ("host = 3\n", "'host' is 3, but must be a section, [host]"),
        ("[network]\nB_inj = 1e9\n", "section [host] is missing"),
        ("[host\n", "is not a TOML file"),
        (CALIBRATED.replace("[1000, 9000]", "[9000, 1000]"), "must be positive numbers in ascending order"),
        (CALIBRATED.replace("[3.0, 0.3]", "[3.0]"), "'trellis.alpha_sort' is [3.0], but must be 2 positive numbers"),
        (CALIBRATED.replace("[3.0, 0.3]", "[3.0, 0.0]"), "but must be 2 positive numbers"),
    ],
)
def test_a_bad_file_is_one_sentence_and_exit_code_2(tmp_path: Path, trellis: Command, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    done = trellis("model", "predict", "--system", path)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("error: ")
    assert str(path) in done.stderr
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gpu3x", "'gpu3x' is no system and no file: did you mean 'gpu2x'?"),
        ("none.toml", "there is no file 'none.toml'"),
    ],
)
def test_a_system_that_is_not_there(name: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        find_system(name)
    assert sentence.split("did you mean")[0] in str(caught.value)
