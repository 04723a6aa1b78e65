"""The ranks and sites that share a run."""

from trellis.parallel.sites import is_site_first, on_site_firsts, site_firsts
from trellis.parallel.threads import set_threads
from trellis.parallel.world import any_rank, collective, exchange, gather, on_first, rank, ranks

__all__ = [
    "any_rank",
    "collective",
    "exchange",
    "gather",
    "is_site_first",
    "on_first",
    "on_site_firsts",
    "rank",
    "ranks",
    "set_threads",
    "site_firsts",
]
