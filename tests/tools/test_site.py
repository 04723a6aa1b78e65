"""The pages of reference say what a reader of the site needs, and leave nothing public out."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path

import pytest

import trellis

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools/site"))
public_part = importlib.import_module("headers").public_part
reference = importlib.import_module("reference")
gallery = importlib.import_module("gallery")

HEADER = """\
// A tank: holds *water*,
// up to a brim.
//
// struct Barrel;
#pragma once

#include "trellis/base/vec.hpp"

namespace trellis {

// Litres.
class Tank {
  public:
    explicit Tank(double brim) : brim_(brim) {}
    double level() const { return level_; }  // in litres

    // Longer than a line.
    template <class T>
    void pour(const T& flow,
              double time) {
        if (flow > 0) {
            level_ += flow * time;
        }
    }
    static constexpr int walls[2] = {1, 2};

  private:
    double level_ = 0, brim_;
};

template <class T>
concept Liquid = requires(const T& t) {
    { t.pour() };
};

inline double full(const Tank& tank);

}  // namespace trellis
"""

PUBLIC = """\
// struct Barrel;

// Litres.
class Tank {
  public:
    explicit Tank(double brim);
    double level() const;  // in litres

    // Longer than a line.
    template <class T>
    void pour(const T& flow,
              double time);
    static constexpr int walls[2] = {1, 2};
};

template <class T>
concept Liquid = requires(const T& t) {
    { t.pour() };
};

inline double full(const Tank& tank);"""


def test_public_part_has_declarations_and_their_comments_alone() -> None:
    assert public_part(HEADER) == (r"A tank: holds \*water\*, up to a brim.", PUBLIC)


@pytest.mark.parametrize("header", sorted(ROOT.glob("src/trellis/**/*.hpp")), ids=lambda path: path.name)
def test_public_part_of_each_header(header: Path) -> None:
    summary, declarations = public_part(header.read_text())
    assert summary, "a header begins with a comment that says what it is"
    assert declarations.count("{") == declarations.count("}")
    assert "private:" not in declarations
    code = [line.partition("//")[0] for line in declarations.splitlines() if not line.endswith("\\")]  # no macros
    assert "return " not in "".join(code)


def test_every_public_name_of_the_package_has_its_place() -> None:
    modules = {f"trellis.{name}" for name in trellis.__all__ if inspect.ismodule(getattr(trellis, name))}
    assert modules <= set(reference.MODULES)
    names = [name for name in trellis.__all__ if f"trellis.{name}" not in modules]
    assert sorted(names) == sorted(name for section in reference.NAMES.values() for name in section)


def test_names_of_a_package_that_are_files_too_are_described() -> None:
    page = reference.python_pages()["python/trellis/ic/README.md"]
    assert "::: trellis.ic.plummer.plummer\n" in page


def test_each_example_of_the_gallery_is_a_card() -> None:
    page = gallery.GALLERY.read_text()
    assert gallery.as_grid(page).count('<div class="card" markdown>') == page.count("\n### ")


def test_front_page_has_a_strip_of_pictures_below_its_first_one() -> None:
    page = gallery.with_strip((ROOT / "README.md").read_text())
    strip = page.partition('<div class="strip" markdown>\n')[2].partition("</div>")[0]
    assert len(strip.splitlines()) == len(gallery.ON_FRONT_PAGE)
    assert page.index("{ .lead }") < page.index(strip)


def test_every_room_has_its_page() -> None:
    page = reference.room_page("tree")
    assert page.startswith((ROOT / "src/trellis/tree/README.md").read_text())
    assert "## tree.hpp" in page


def test_the_site_is_searched_without_a_server() -> None:
    settings = (ROOT / "mkdocs.yml").read_text()
    assert "\n  - search\n  - offline\n" in settings
    assert "\n  polyfills: [iframe-worker.js]" in settings
    assert (ROOT / "tools/site/iframe-worker.js").is_file()
