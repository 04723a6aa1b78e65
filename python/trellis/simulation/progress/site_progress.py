"""Progress of the sites of a run: a line for each with its share, waiting and messages, shown at the first site."""

from __future__ import annotations

import time

from trellis import _core
from trellis.parallel import world
from trellis.parallel.sites import site_firsts


class SiteProgress:
    """Compares the sites since the last call of `lines`; all ranks have one and make the same calls."""

    def __init__(self) -> None:
        self._names = _core.site_names()
        self._at = time.perf_counter()
        self._waited = _waited()
        self._links = _core.link_traffic()

    def lines(self, particles: int, steps: int) -> list[str]:
        """Return a line for each site; no lines in a run of one site.

        Parameters
        ----------
        particles : int
            Particles of this rank.
        steps : int
            Steps since the last call.
        """
        if not self._names:
            return []
        waited = _waited()
        of_all = world.gather((particles, (waited - self._waited) / steps))
        self._waited = waited
        links = self._link_rates()
        firsts = site_firsts()
        found = []
        for site, (begin, end) in enumerate(zip(firsts, [*firsts[1:], len(of_all)], strict=True)):
            share = sum(count for count, _ in of_all[begin:end]) / max(sum(count for count, _ in of_all), 1)
            longest = max(seconds for _, seconds in of_all[begin:end])
            found.append(f"{self._names[site]}: {100 * share:.0f} %, waits {longest:.3f} s/step{links.get(site, '')}")
        return found

    def _link_rates(self) -> dict[int, str]:
        """Return the rate of each link of the first site as text."""
        now, links = time.perf_counter(), _core.link_traffic()
        seconds = max(now - self._at, 1e-9)
        said = {}
        for site, link in links.items():
            out, back = (8e-6 * (link[way] - self._links[site][way]) / seconds for way in ("sent", "received"))
            trip = f", round trip {1e3 * link['round_trip']:.0f} ms" if link["round_trip"] > 0 else ""
            said[site] = f", {out:.3g} Mbit/s there and {back:.3g} back over {link['streams']:.0f} streams{trip}"
        self._at, self._links = now, links
        return said


def _waited() -> float:
    """Return for how long this rank has waited in calls that involve other sites."""
    return sum(seconds for name, seconds in _core.wide_traffic().items() if name.endswith("_waiting"))
