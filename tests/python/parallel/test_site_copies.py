"""Copies of a checkpoint's files at each site."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from site_processes import ended, python_in, trusted_names

import trellis as tr

pytestmark = pytest.mark.skipif(
    tr.info()["network"] == "built without", reason="Trellis was built without Asio and OpenSSL"
)

FILES = ("parameters.toml", "changes.csv", "energy.csv", "sites.csv", "checkpoint.hdf5")

# The last site begins its copy once it has a message of the first, which the second one relays. The second one waits
# for its copy by then, which the first sends no faster than the last one takes it: there are more FILES than messages
# that may be on the way.
COPY = """
import sys
import time
from pathlib import Path
from trellis import _core
from trellis.output.folder import OutputFolder
from trellis.parallel.sites import join_sites, leave_sites
from trellis.run.site_copies import SiteCopies

site, ring = int(sys.argv[1]), sys.argv[2:]
relays = {} if site == 1 else {2 - site: 1}
join_sites(ring, ring[site], wait=60, grace=60, relays=relays)
copies = SiteCopies(OutputFolder(Path(f"site{site}")))
if site == 2:
    assert _core.world().receive(0) == b"begin"
copies.send()
if site == 0:
    while copies.seconds() < 0.5:  # the second site waits by now
        time.sleep(0.01)
    _core.world().send(2, b"begin")
copies.finish()
leave_sites()
"""


def test_a_site_that_waits_for_its_copy_relays_messages(tmp_path: Path, keys: Path) -> None:
    assert os.environ["TRELLIS_HOME"] == str(keys)
    ring = trusted_names(3)
    (tmp_path / "site0").mkdir()
    for name in FILES:
        (tmp_path / "site0" / name).write_text(name)
    done = ended([python_in(tmp_path, "-c", COPY, str(site), *ring) for site in range(3)])
    assert [code for code, _ in done] == [0, 0, 0], done
    for name in FILES:
        assert (tmp_path / "site1" / name).read_text() == (tmp_path / "site2" / name).read_text() == name
