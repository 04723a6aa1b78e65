"""The search of the site, opened from its files in a browser."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# the title becomes what stands beside the magnifier
BESIDE = """<script>
window.addEventListener('load', () => {
  const button = document.querySelector('.md-header__button[for="__search"]');
  document.title = getComputedStyle(button, '::after').content;
});
</script>"""

pytestmark = [pytest.mark.whole, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings")
    folder = tmp_path_factory.mktemp("built") / "site"
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "-d", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    return folder


def opened(address: str, folder: Path, width: int) -> str:
    """Return a page as headless Chromium has it once its scripts have run."""
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"]
    done = subprocess.run(
        [str(CHROMIUM), *words, f"--window-size={width},800", f"--user-data-dir={folder / 'browser'}", address],
        capture_output=True,
        text=True,
        check=True,
    )
    return html.unescape(done.stdout)


def test_a_word_is_found_without_a_server(site: Path, tmp_path: Path) -> None:
    page = opened(f"file://{site}/index.html?q=softening", tmp_path, 1200)
    found = re.search(r'md-search-result__meta">(\d+) matching documents', page)
    assert found is not None
    assert int(found[1]) > 10
    assert f"file://{site}/docs/algorithm.html?h=softening#" in page


@pytest.mark.parametrize(("width", "beside"), [(390, '"Search"'), (1200, "none")])
def test_the_magnifier_has_a_word_beside_it_on_a_phone(site: Path, tmp_path: Path, width: int, beside: str) -> None:
    page = site / f"page_{width}.html"
    page.write_text((site / "index.html").read_text().replace("</body>", f"{BESIDE}</body>"))
    assert f"<title>{beside}</title>" in opened(f"file://{page}", tmp_path, width)
