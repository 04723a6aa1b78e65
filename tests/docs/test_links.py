"""Every link of the repository's pages leads to a file that is there, and every anchor to a heading of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ROOT

FOLDERS = ("", "docs", "bench", "bench/notes", "bench/results", "src/trellis/**")
PAGES = sorted(page for folder in FOLDERS for page in ROOT.glob(f"{folder}/*.md".lstrip("/")))

CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*([^)#\s]*)(?:#([^)\s]*))?\s*\)")


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    anchors: list[str] = []
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        anchors.append(slug if slug not in anchors else f"{slug}-{anchors.count(slug)}")
    return set(anchors)


def test_pages_are_found() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {
        "README.md",
        "ARCHITECTURE.md",
        "docs/tour.md",
        "bench/notes/README.md",
        "src/trellis/forces/sph/README.md",
    } <= names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(CODE.sub("", page.read_text())):
        if "://" in target:
            continue
        linked = page.parent / target if target else page
        assert linked.is_file(), f"{page.name} links to {target}, which is no file"
        assert not anchor or anchor in anchors_of(linked), f"{page.name} links to {target}#{anchor}"


def test_the_page_of_the_package_has_no_links_into_the_repository() -> None:
    named = re.search(r'^readme = "(.+?)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert named is not None
    links = LINK.findall(CODE.sub("", (ROOT / named[1]).read_text()))
    assert [target for target, _ in links if "://" not in target] == []
