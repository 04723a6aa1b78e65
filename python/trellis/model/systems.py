"""Systems: bandwidths and peaks of host, accelerator and network; those of the paper, or from a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trellis.config import Parameters
from trellis.config.parameters import parameter
from trellis.errors import InputError
from trellis.model.coefficients import Coefficients
from trellis.model.machine_file import Machines, table_of
from trellis.model.trellis_cpu import Calibration
from trellis.model.trellis_device import DeviceCalibration


class Host(Parameters):
    """The host and its memory."""

    B_host: float = parameter(..., "main memory bandwidth of the host, of a STREAM copy", unit="byte/s", gt=0)
    F_host: float = parameter(
        883e9, "peak of the host in single precision; by default a Xeon E5-2670 v3's", unit="operation/s", gt=0
    )


class Accelerator(Parameters):
    """The accelerator and its link to the host."""

    B_transfer: float = parameter(..., "bandwidth between host and accelerator", unit="byte/s", gt=0)
    F_GPU: float = parameter(..., "peak of the accelerator in single precision", unit="operation/s", gt=0)
    B_GPU: float = parameter(..., "main memory bandwidth of the accelerator", unit="byte/s", gt=0)


class Network(Parameters):
    """The network between processes."""

    B_inj: float = parameter(
        4.8e9, "injection bandwidth of a process; by default the K computer's", unit="byte/s", gt=0
    )


@dataclass(frozen=True)
class System:
    """A machine with all numbers that the equations read."""

    name: str
    host: Host
    optional_accelerator: Accelerator | None = None
    network: Network = field(default_factory=Network)
    coefficients: Coefficients = field(default_factory=Coefficients)
    trellis: Calibration | None = None
    device: DeviceCalibration | None = None

    @property
    def accelerator(self) -> Accelerator:
        """The accelerator; a ValueError if there is no section [accelerator]."""
        if self.optional_accelerator is None:
            raise InputError(f"system '{self.name}' has no [accelerator]: only method C1 can be predicted for it")
        return self.optional_accelerator


def _made(name: str, B_host: float, B_transfer: float, F_GPU: float, B_GPU: float) -> System:
    return System(name, Host(B_host=B_host), Accelerator(B_transfer=B_transfer, F_GPU=F_GPU, B_GPU=B_GPU))


# The paper gives F_GPU and B_GPU of the TITAN V. Its B_host and B_transfer are those by which Table 2 follows from
# Table 3. Of the RTX 2080 it gives nothing: data sheets, reduced in the same ratio as for the TITAN V.
BUILT_IN = {
    system.name: system
    for system in (
        _made("titan-v", B_host=40e9, B_transfer=12e9, F_GPU=13.8e12, B_GPU=550e9),
        _made("rtx2080", B_host=50e9, B_transfer=12e9, F_GPU=10.1e12, B_GPU=377e9),
        _made("reference", B_host=100e9, B_transfer=10e9, F_GPU=10e12, B_GPU=500e9),
        _made("gpu2x", B_host=100e9, B_transfer=10e9, F_GPU=20e12, B_GPU=1e12),
        _made("gpu4x", B_host=100e9, B_transfer=10e9, F_GPU=40e12, B_GPU=2e12),
        _made("link4x", B_host=100e9, B_transfer=40e9, F_GPU=10e12, B_GPU=500e9),
        _made("link0.5x", B_host=100e9, B_transfer=5e9, F_GPU=10e12, B_GPU=500e9),
    )
}

SECTIONS: dict[str, type[Parameters]] = {
    "host": Host,
    "accelerator": Accelerator,
    "network": Network,
    "coefficients": Coefficients,
    "trellis": Calibration,
    "device": DeviceCalibration,
}

PAPER = ("host", "accelerator", "network", "coefficients")


def _system(name: str, *, host: Host | None = None, accelerator: Accelerator | None = None, **sections: Any) -> System:
    if host is None:
        raise InputError("section [host] is missing: it gives B_host, in byte/s")
    return System(name, host, accelerator, **sections)


SYSTEMS = Machines(_system, SECTIONS, BUILT_IN)
"""Built in or from a file with the section [host], and as needed others of `SECTIONS`."""

find_system = SYSTEMS.find


def symbols() -> str:
    """Return all symbols of the paper's equations as a table: key, default, unit and meaning."""
    return table_of({section: SECTIONS[section] for section in PAPER})
