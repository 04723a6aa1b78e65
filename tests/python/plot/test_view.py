from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import Command
from PIL import Image

import trellis as tr
from trellis.errors import InputError, RunError
from trellis.io import write_snapshot
from trellis.output.energy_log import COLUMNS, HEADING
from trellis.plot.style import STYLES
from trellis.plot.view import _frames

pytestmark = pytest.mark.pixels

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# the last frame; and a sign for the test that it is there
LAST_FRAME = """<script>
window.addEventListener('load', () => {
  const page = document.querySelector('.plotly-graph-div');
  const clouds = () => page._fullData.filter(each => each.type == 'scatter3d');
  Plotly.animate(page, ['2'], {mode: 'immediate', frame: {duration: 0, redraw: true}, transition: {duration: 0}})
    .then(() => console.log('shown: ' + clouds().map(each => each.x.length)));
});
</script>"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A folder with what a run writes: gas at the left, stars at the right, which move apart in three snapshots."""
    folder = tmp_path / "run & more"
    folder.mkdir()
    lines = [HEADING]
    for k in range(3):
        particles = tr.ic.sphere(400)
        particles.add_field("type")
        particles.type[200:] = 4
        particles.position *= 0.3
        particles.position[:, 0] += np.where(particles.type == 4, 1.0, -1.0) * k
        write_snapshot(folder / f"snapshot_{k:04d}.hdf5", particles, time=0.5 * k)
        logged = {
            "step": k,
            "time": 0.5 * k,
            "kinetic": 0.5,
            "potential": -1.0 - k,
            "total": -0.5 - k,
            "virial_ratio": 1 / (1 + k),
        }
        lines.append(",".join(str(logged.get(name, 0.0)) for name in COLUMNS))
    (folder / "energy.csv").write_text("\n".join([*lines, ""]))
    return folder


def opened(page: Path, picture: Path) -> tuple[np.ndarray, str]:
    """Open a page in headless Chromium: its pixels, and what was said in its console."""
    done = subprocess.run(
        [
            str(CHROMIUM),
            "--headless",
            "--no-sandbox",
            "--use-angle=swiftshader",  # WebGL by the processor
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            "--window-size=1200,700",
            "--virtual-time-budget=4000",
            "--enable-logging=stderr",
            f"--user-data-dir={picture.parent / 'browser'}",
            f"--screenshot={picture}",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert picture.exists(), done.stderr
    said = "\n".join(line for line in done.stderr.splitlines() if ":CONSOLE" in line)
    return np.asarray(Image.open(picture).convert("RGB")).astype(int), said


def places(pixels: np.ndarray, colour: str) -> np.ndarray:
    """Rows and columns of pixels in the part for space whose hue is that of a colour."""
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    space = pixels[60:520, :700]
    strength = space @ wanted / (wanted @ wanted)
    near = np.abs(space - strength[:, :, None] * wanted).max(axis=2) < 20
    return np.argwhere(near & (strength > 0.5))


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_page_in_a_browser(run: Path, tmp_path: Path, trellis: Command) -> None:
    page = tmp_path / "run.html"
    done = trellis("view", run, "-o", page)
    assert done.returncode == 0, done.stderr
    assert re.search(r"run.html' written: 3 snapshots, [\d.]+ MB", done.stdout)
    text = page.read_text()
    assert "run &amp; more: 400 particles" in text
    assert not re.search(r"<(script|link)[^>]+(src|href)=", text)  # nothing is loaded
    page.write_text(text.replace("</body>\n</html>", f"{LAST_FRAME}</body>\n</html>"))
    pixels, said = opened(page, tmp_path / "page.png")
    assert "shown: 200,200" in said
    assert not re.search(r"error|fail", said, re.IGNORECASE), said
    gas, stars = (places(pixels, STYLES["dark"].types[kind]) for kind in (0, 4))
    assert len(gas) > 100
    assert len(stars) > 100
    # x points to the lower right of the picture: the clouds have moved apart along it
    assert np.hypot(*(stars.mean(axis=0) - gas.mean(axis=0))) > 100
    beside = pixels[60:520, 800:]
    assert np.ptp(beside.reshape(-1, 3), axis=0).min() > 150  # lines, and their axes


def test_the_same_particles_at_all_times(run: Path, tmp_path: Path) -> None:
    found, *_ = _frames(sorted(run.glob("*.hdf5")), 100, lambda: None)
    for frame in found:
        assert sum(map(len, frame.positions.values())) == 100
    moved = [frame.positions[4] - found[0].positions[4] for frame in found]
    assert moved[2] == pytest.approx(np.tile([2.0, 0, 0], (len(moved[2]), 1)), abs=1e-6)
    assert 30 < len(moved[2]) < 70
    tr.plot.view(run, tmp_path / "a.html", points=100)
    assert "400 particles, of which 100 are shown, chosen by a hash of their ids" in (tmp_path / "a.html").read_text()


def test_points_are_chosen_evenly_among_ids(tmp_path: Path) -> None:
    particles = tr.ic.plummer(20_000)
    write_snapshot(tmp_path / "snapshot_0000.hdf5", particles)
    found, *_ = _frames([tmp_path / "snapshot_0000.hdf5"], 2000, lambda: None)
    rows = np.flatnonzero(np.isin(particles.position[:, 0].astype(np.float32), found[0].positions[1][:, 0]))
    counts = np.bincount(rows // 200, minlength=100)
    assert abs(counts.sum() - 2000) < 5  # places may be equal in single precision
    assert 0.6 < counts.var() / 18 < 1.5  # as of random picks: 200 * 0.1 * 0.9


def test_what_cannot_be_viewed(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"^points is 0, but must be from 1 to 100,000$"):
        tr.plot.view(run, tmp_path / "a.html", points=0)
    with pytest.raises(InputError, match=r"^style is 'grey': "):
        tr.plot.view(run, tmp_path / "a.html", style="grey")
    with pytest.raises(InputError, match="there is no run to draw in"):
        tr.plot.view(tmp_path, tmp_path / "a.html")
    monkeypatch.setitem(sys.modules, "plotly", None)
    with pytest.raises(RunError, match=r"needs the package plotly: pip install plotly$"):
        tr.plot.view(run, tmp_path / "a.html")
    assert not (tmp_path / "a.html").exists()
