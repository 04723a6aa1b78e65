"""Speeds of the sites of a run, measured with its first forces."""

from __future__ import annotations

from trellis import _core
from trellis.parallel import world
from trellis.parallel.sites import set_site_speeds, site_firsts
from trellis.simulation import Simulation

LEAST = 0.01  # times the speed of the fastest: all are rounded to multiples of it


def measure_site_speeds(simulation: Simulation) -> None:
    """Share the work of the sites by how fast their ranks have computed the last forces; all ranks call this."""
    of_ranks, firsts = world.gather(simulation.speed()), site_firsts()
    speeds = {}
    for name, begin, end in zip(_core.site_names(), firsts, [*firsts[1:], len(of_ranks)], strict=True):
        cost, seconds = (sum(each) for each in zip(*of_ranks[begin:end], strict=True))
        if cost > 0 and seconds > 0:
            speeds[name] = cost / seconds
    fastest = max(speeds.values(), default=1.0)
    set_site_speeds({name: max(round(speed / fastest, 2), LEAST) for name, speed in speeds.items()})
