"""The rows of tables 3, 4, 7 and 8 of Groen et al. (2011) by the equations: the machine and the bytes of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from groen_tables import DAS_3, GBBP, Printed, Site
from trellis.model.sites import equations as eq
from trellis.model.sites.machine import DAS_3_LAN, DAS_3_WAN, GBBP_WAN, MIB, Cores, SiteMachine

MIGRATED = {256: 2.5 * MIB, 512: 76.1 * MIB, 1024: 850 * MIB, 2048: 173 * MIB}
"""Bytes that change their site in a step, by the cube root of N: printed for 1024, the others fitted."""

SAMPLED = {256: 1 / 2500, 512: 1 / 10_000, 1024: 1 / 10_000, 2048: 1 / 10_000}
"""Table 1, sampling rates; for which N is lost from the text. Nothing printed depends on them."""

LATENCIES = {"HA": 0.035, "EA": 0.035, "AT": GBBP_WAN.latency, "HEA": 0.075, "HEAT": GBBP_WAN.latency}
"""Round-trip times between the supercomputers, fitted: those of the slowest link of a ring."""

UNEXPLAINED = {
    (256, "HEA*"): "the row has 18 round trips of 0.05 s, those of 512^3 and 1024^3 over these sites of 0.075 s",
}
"""Rows whose communication cannot be reconstructed, by cube root of N and sites: why."""


def cores_of(sites: Sequence[Site], shares: Sequence[float] | None = None) -> Cores:
    """Return the cores of a run over several sites.

    Tables 3, 4, 7 and 8 follow from the mean over sites of tau_tree and tau_mesh, and from the largest tau_fft, since
    each site makes the whole transform by itself.

    Parameters
    ----------
    sites : sequence of Site
        The sites.
    shares : sequence of float or None
        What part of all cores each has; all the same if None.
    """
    weights = shares or [1 / len(sites)] * len(sites)
    return Cores(
        tau_tree=sum(w * site.tau_tree for w, site in zip(weights, sites, strict=True)),
        tau_fft=max(site.tau_fft for site in sites),
        tau_mesh=sum(w * site.tau_mesh for w, site in zip(weights, sites, strict=True)),
    )


def run_of(row: Printed, theta: float) -> tuple[eq.Run, SiteMachine]:
    """Return what a row predicts, and on which machine.

    Parameters
    ----------
    row : Printed
        A row of the tables.
    theta : float
        The table's opening angle.
    """
    letters = row.sites.rstrip("*")
    sites = int(letters) if letters.isdigit() else len(letters)
    run = eq.Run(
        particles=row.particles**3,
        mesh=row.mesh**3,
        theta=theta,
        processes=row.processes,
        sites=sites,
        sampled=SAMPLED[row.particles],
        migrated=MIGRATED[row.particles] if sites > 1 else 0.0,
    )
    if letters.isdigit():
        of_sites = list(DAS_3.values())[:sites]
        return run, SiteMachine("das-3", cores_of(of_sites), lan=DAS_3_LAN, wan=DAS_3_WAN)
    shares = [2 / 3, 1 / 3] if row.processes == 750 else None  # 500 cores in Amsterdam, 250 in Tokyo
    machine = SiteMachine("gbbp", cores_of([GBBP[letter] for letter in letters], shares), wan=GBBP_WAN)
    latency = LATENCIES.get(letters, GBBP_WAN.latency)
    return run, replace(machine, wan=machine.wan.model_copy(update={"latency": latency}))


def reproduced(row: Printed, theta: float) -> Printed:
    """Return a row with the columns that the equations give."""
    run, machine = run_of(row, theta)
    local = eq.t_comm(run, machine)
    return row._replace(
        local=local,
        total=local + eq.w_comm(run, machine),
        tree=eq.t_tree(run, machine),
        whole=eq.t_sites(run, machine),
    )
