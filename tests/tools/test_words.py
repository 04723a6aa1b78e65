"""The check of words finds each refused one, in names as in text, and says what to write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).parents[2] / "tools/check_words.py"


def check(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, CHECK, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.hpp", "int n;\nvoid take_so_many();\n", "a.hpp:2: 'so many': name the number"),
        ("a.cpp", "TEST(RanksTest, NobodyWaits) {}\n", "a.cpp:1: 'nobody': no process"),
        ("a.cpp", 'throw InputError("a call to a device is none");\n', "'is none': is empty"),
        ("a.py", "lists = anew()\n", "'anew': again, rebuilt"),
        ("a.md", "Every rank is told the length.\n", "'told': notify, report"),
        ("a.hpp", "std::span<const Vec3<double>> places;\n", "'> places': positions"),
        ("a.hpp", "// Of the last step.\nint n;\n", "'Of the last': begin with the subject"),
        ("a.hpp", "int n;  // of the last step\n", "'of the last': begin with the subject"),
        ("a.toml", "seed = 2 # of the model\n", "'of the model': begin with the subject"),
        ("a.py", '"""What a parameter is."""\n', "'What a parameter': begin with the subject"),
    ],
)
def test_finds_refused_word(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    (tmp_path / name).write_text(text)
    result = check(tmp_path)
    assert complaint in result.stdout
    assert result.returncode == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", '"""Power spectra of matter."""\nif x is None and numbers == "tells apart":\n    pass\n'),
        ("a.hpp", "// Particles in a leaf, each\n// of the largest radius.\nint n;  // the criterion is met\n"),
        ("a.cpp", "if (object.is_none()) return;  // to five decimal places\n"),
        ("a.md", "# What a step costs\n\nHow many particles interact is given by `count`.\n"),
        ("a.png", "anew"),
    ],
)
def test_accepts_words_of_the_field(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    result = check(tmp_path)
    assert result.returncode == 0, result.stdout


def test_counts_by_folder(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.hpp").write_text("// Made anew, alike.\n")
    assert check("--count", tmp_path).stdout.split() == ["2", str(tmp_path / "src"), "2", "in", "all"]
