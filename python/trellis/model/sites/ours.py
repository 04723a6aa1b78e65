"""The step of this project over several sites: messages, and the part of their time that the force hides.

Gravity is by expansions without a mesh, and no samples are gathered around a ring: beside moments of the sites' roots,
each neighbour is sent one compressed essential tree. Roots, then trees travel while the force of a site's own tree is
computed; the messages that share out particles in every eighth step are waited for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from trellis.model.sites import equations as eq
from trellis.model.sites.machine import Exchange, SiteMachine, WideNetwork


@dataclass(frozen=True)
class SiteStep:
    """Seconds of a step.

    Attributes
    ----------
    compute : float
        Force and messages inside a site: the step without messages between sites.
    wide : float
        Messages between sites, hidden or not.
    visible : float
        The part of them that the step waits for.
    """

    compute: float
    wide: float
    visible: float

    @property
    def seconds(self) -> float:
        """Return the step."""
        return self.compute + self.visible

    @property
    def efficiency(self) -> float:
        """Return equation (14): the step without other sites over the step."""
        return self.compute / self.seconds


def step_over_sites(
    compute: float, force: float, size: float, wan: WideNetwork, exchange: Exchange, lines: int = 1
) -> SiteStep:
    """Return a step from measured times, to compare with measured runs.

    Parameters
    ----------
    compute : float
        Seconds of a step without other sites.
    force : float
        Seconds of the force in it.
    size : float
        Bytes to a neighbour in a step, in each direction.
    wan : WideNetwork
        The network between sites.
    exchange : Exchange
        Round trips a step, those behind the force, and the share of the force that needs no data of other sites.
    lines : int
        Number of times these bytes pass the same line: s - 1 in a star with one line.
    """
    before = (exchange.round_trips - exchange.hidden) * wan.latency
    meanwhile = exchange.hidden * wan.latency + lines * size / wan.bandwidth
    return SiteStep(compute, before + meanwhile, before + max(meanwhile - exchange.behind * force, 0.0))


def bytes_to_neighbour(run: eq.Run, exchange: Exchange) -> float:
    """Return the bytes of a compressed essential tree for a neighbour, and of all sites' moments on their way.

    At a plane, per area of the mean distance squared, there are 1 / theta particles that act one by one, and of cells
    of side 2^k those between 2^k / theta and twice that: 1 / (4^k theta). In all 7 / (3 theta).
    """
    if run.sites < 2:
        return 0.0
    entries = 7 / 3 * eq.surface(run) / exchange.theta
    return exchange.b_entry * entries + exchange.b_moments * (run.sites - 1)


def predicted_step(run: eq.Run, machine: SiteMachine) -> SiteStep:
    """Return our step: the force takes as long as the paper's tree, and there is no mesh.

    Parameters
    ----------
    run : Run
        Particles, mesh, processes and sites.
    machine : SiteMachine
        The machine.
    """
    force = eq.t_tree(run, machine)
    compute = force + eq.t_comm(replace(run, mesh=0.0), machine)
    lines = max(run.sites - 1, 1) if machine.wan.shared else 1
    if run.sites < 2:
        return SiteStep(compute, 0.0, 0.0)
    return step_over_sites(
        compute, force, bytes_to_neighbour(run, machine.exchange), machine.wan, machine.exchange, lines
    )
