"""``trellis devices DEVICE --check``: a device that works passes, and one that gives random numbers does not."""

from __future__ import annotations

import pytest
from conftest import Command

from trellis.device_check import CHECKS


def test_the_processor_passes(trellis: Command) -> None:
    done = trellis("devices", "cpu", "--check")
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert lines[0].startswith("cpu: ")
    assert sum(line.startswith("passed  ") for line in lines) == len(CHECKS)
    assert lines[-1] == f"cpu passed all {len(CHECKS)} checks"


@pytest.mark.usefixtures("opencl")
def test_kernels_for_gpus_pass(trellis: Command) -> None:
    done = trellis("devices", "opencl:0", "--check")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith(f"opencl:0 passed all {len(CHECKS)} checks\n")


def test_random_numbers_do_not_pass(trellis: Command) -> None:
    """Wherever results are compared with others than those of the device itself."""
    done = trellis("devices", "rehearsal:0:7", "--check")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    passed = [line for line in done.stdout.splitlines() if line.startswith("passed")]
    assert all("the bits of G2" in line or "the same bits" in line for line in passed)
    failed = len(CHECKS) - len(passed)
    assert done.stdout.endswith(f"rehearsal:0:7 failed {failed} of {len(CHECKS)} checks: do not rely on its results\n")


@pytest.mark.parametrize("device", ["host", "auto", "cuda:99", "nowhere"])
def test_what_is_no_device_is_refused(device: str, trellis: Command) -> None:
    done = trellis("devices", device, "--check")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1
