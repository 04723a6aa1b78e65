"""List words that a reader from the field has to read twice, with the field's word for each.

usage: check_words.py [--count] [PATH...]

Comments, docstrings, messages, names and pages are read, of the files and folders named, or of the whole repository.
Names are taken apart first: ``so_many`` and ``SoMany`` are read as "so many". The program prints one line for each
breach, or with --count their number by folder, and fails if there is any.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The text to read, and files that are left out: results are records, and the words stand in the script and its test.
READ = ["src", "python", "tests", "bench", "tools", "examples", "docs", "cmake", "*.md", "Makefile", "CMakeLists.txt"]
SUFFIXES = {".c", ".cpp", ".cu", ".cuh", ".f90", ".h", ".hpp", ".in", ".py", ".md", ".toml", ".cmake", ".sh", ".txt"}
LEFT_OUT = ["bench/results/", "tools/check_words.py", "tests/tools/test_words.py"]

# A pattern, in names taken apart and text in small letters, and what to write instead.
WORDS = [
    (r"\bso (many|much)\b", "name the number: count, n, size"),
    (r"\bis none\b(?!\()|\bare none\b", "is empty, is missing, is not a ..., there is no ..."),
    (r"\banew\b", "again, rebuilt"),
    (r"\balike\b", "the same, equal, in the same way"),
    (r"\b(nobody|somebody)\b", "no process, no rank, no caller; a process"),
    (r"\bwhom\b", "name them: which rank, which particle, the peer that"),
    (r"(?<!\.)\b(told|telling|tells?)\b(?!.*\b(apart|from)\b)", "notify, report, send, set; tell apart: distinguish"),
    (r"\b(hears?|heard|hearing)\b", "receive, be notified"),
    (r"\bmeets?\b", "interact with, be tested against, overlap; of a time: end at, reach"),
    (r"\b(?<!is )(?<!be )(?<!are )met\b", "interacting, tested, found; a criterion is met"),
    (r"\bcouriers?\b", "site router"),
    (r"\bfarewells?\b", "close"),
    (r"\bgreet(s|ed|ing|ings)?\b", "handshake"),
    (r"\bdoubt(s|ed|ful)?\b", "mismatch"),
    (r"\b(liars?|lied|lying)\b", "faulty device, wrong result"),
    (r"\bstrangers?\b", "rejected peer, unknown peer"),
    (r"\bseats?\b", "local view, slot"),
    (r"\bsurroundings\b", "neighbourhood, result of the walk"),
    (r"\bpiles?\b", "index buffer, list"),
    (r"\bconductors?\b", "emulated clock"),
    (r"\bwish(es|ed)?\b", "request, override, signal state"),
    (r"(?<!for a )\btalk(s|ed|ing)?\b", "communicate, exchange messages"),
    (r"[&*>] ?places\b|\bplaces(\[|->|\.[a-z]|_)", "positions"),
]
# Words that a sentence without a subject begins with, and the same at the head of a module.
HEADLESS = "What|Of|Whether|Those|Where|How|That|Some|Who|Whose"
COMMENT = re.compile(rf"\s*(?://+!?|#+|!)\s+((?:{HEADLESS})\b.*)")
TRAILING = re.compile(r"[^\s/#].*\s(?://+<?|#) (of\b.*)")
DOCSTRING = re.compile(rf'\s*r?"""((?:{HEADLESS})\b.*)')
ANY_COMMENT = re.compile(r"\s*(//|#(?!include|define|if|el|end|pragma)|!)")
SUBJECT = "begin with the subject: a noun, or a verb for a function"


def taken_apart(line: str) -> str:
    """Return a line in small letters, its names as words; None of Python stays, which is no word."""
    line = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", line.replace("None", "NONE")).replace("_", " ")
    return re.sub(r"[A-Z][a-z]", lambda match: match[0].lower(), line)


def refused_words(line: str) -> Iterator[tuple[str, str]]:
    """Yield each refused word of a line with what to write instead."""
    words = taken_apart(line)
    for pattern, instead in WORDS:
        for match in re.finditer(pattern, words):
            yield match[0], instead


def headless(lines: list[str], number: int, suffix: str) -> Iterator[tuple[str, str]]:
    """Yield the first words of a comment or a module that has no subject, in the line of this number."""
    line = lines[number]
    if suffix == ".md" or line.startswith("#!"):
        return
    starts_block = number == 0 or not ANY_COMMENT.match(lines[number - 1])
    match = COMMENT.match(line) if starts_block else None
    if suffix == ".py" and all(not text.strip() or text.startswith("#") for text in lines[:number]):
        match = match or DOCSTRING.match(line)
    if match := match or (None if ANY_COMMENT.match(line) else TRAILING.match(line)):
        yield " ".join(match[1].split()[:3]), SUBJECT


def breaches(path: Path) -> Iterator[str]:
    """Yield a line for each refused word of a file."""
    lines = path.read_text(errors="replace").splitlines()
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    for number, line in enumerate(lines):
        for word, instead in [*headless(lines, number, path.suffix), *refused_words(line)]:
            yield f"{shown}:{number + 1}: {word!r}: {instead}"


def files_of(paths: list[Path]) -> Iterator[Path]:
    """Yield the files to read among `paths` and in the folders of them."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            place = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else file.as_posix()
            readable = file.suffix in SUFFIXES or file.name == "Makefile"
            if file.is_file() and readable and not any(place.startswith(left_out) for left_out in LEFT_OUT):
                yield file


def main() -> int:
    """Print the breaches of the paths on the command line, or of the repository that holds this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--count", action="store_true", help="print the number of breaches by folder")
    arguments = parser.parse_args()
    paths = [path.resolve() for path in arguments.paths] or [path for name in READ for path in sorted(ROOT.glob(name))]
    found = [(file, breach) for file in files_of(paths) for breach in breaches(file)]
    if arguments.count:
        folders = Counter(Path(breach.split(":")[0]).parent.as_posix() for _, breach in found)
        print("\n".join(f"{number:6} {folder}" for folder, number in sorted(folders.items())))
        print(f"{len(found):6} in all")
    else:
        print("\n".join(breach for _, breach in found) or "words: all of the field")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
