"""The seconds of a step over several sites, part by part."""

from __future__ import annotations

from trellis.model.sites import equations as eq
from trellis.model.sites.machine import SiteMachine
from trellis.model.sites.ours import bytes_to_neighbour, predicted_step

ROWS = [
    "Tree (3)",
    "Fourier transform (5)",
    "Mesh operations (5)",
    "Local, latency (7)",
    "Local, bytes (8)",
    "Wide area, latency (11)",
    "Wide area, bytes (12)",
    "Total",
    "Speed-up (13)",
    "Efficiency (14)",
    "Bytes of a link",
]
"""Rows of `paper_parts`."""

OUR_ROWS = ["Force and local", "Wide area, hidden", "Wide area, visible", "Total", "Efficiency", "Bytes of a link"]
"""Rows of `our_parts`; hidden seconds are no part of the total."""


def paper_parts(run: eq.Run, machine: SiteMachine) -> dict[str, float]:
    """Return the seconds of the paper's step by `ROWS`; the last three are no times."""
    return {
        "Tree (3)": eq.t_tree(run, machine),
        "Fourier transform (5)": eq.t_fft(run, machine),
        "Mesh operations (5)": eq.t_mesh(run, machine),
        "Local, latency (7)": eq.t_comm_l(run, machine),
        "Local, bytes (8)": eq.t_comm_b(run, machine),
        "Wide area, latency (11)": eq.w_comm_l(run, machine),
        "Wide area, bytes (12)": eq.w_comm_b(run, machine),
        "Total": eq.t_sites(run, machine),
        "Speed-up (13)": eq.speed_up(run, machine),
        "Efficiency (14)": eq.efficiency(run, machine),
        "Bytes of a link": eq.wide_bytes(run),
    }


def our_parts(run: eq.Run, machine: SiteMachine) -> dict[str, float]:
    """Return the seconds of our step by `OUR_ROWS`; the last two are no times."""
    step = predicted_step(run, machine)
    return {
        "Force and local": step.compute,
        "Wide area, hidden": step.wide - step.visible,
        "Wide area, visible": step.visible,
        "Total": step.seconds,
        "Efficiency": step.efficiency,
        "Bytes of a link": bytes_to_neighbour(run, machine.exchange),
    }


FORMS = {"the paper's step": (paper_parts, ROWS), "our step": (our_parts, OUR_ROWS)}
"""Function that returns the seconds of the parts, and their rows, by the name of the step."""
