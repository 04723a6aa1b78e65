"""The public part of a C++ header, as a page of the site shows it: declarations and their comments."""

from __future__ import annotations

import re
from collections.abc import Iterator

LEFT_OUT = re.compile(
    r"#pragma once|#include|namespace trellis \{|\}  // namespace trellis$|TRELLIS_ISA_(BEGIN|END)| *// NOLINT"
)
HIDDEN = re.compile(r"(?P<indent> *)(private|protected):")
KEPT_WHOLE = re.compile(r"\s*(template <.*> )?(namespace|class|struct|union|enum|extern)\b|.*(=|\brequires\b.*) \{$")
INITIALISERS = re.compile(r"(?<=\)) : \w+[({].*(?=\{)|^\s+: \w+[({].*(?=\{)")
ONE_LINE_BODY = re.compile(r"(?<=[\w)>]) ?\{(?:[^{}]|\{[^{}]*\})*\}(?= *(//.*)?$)")
MARKUP = re.compile(r"([\\`*_<>\[\]#|])")


def without_hidden_members(lines: list[str]) -> Iterator[str]:
    """Yield the lines that are in no private or protected part of a class."""
    end: tuple[str, ...] = ()  # lines with which the hidden part ends
    for line in lines:
        if hidden := HIDDEN.match(line):
            end = (f"{hidden['indent']}public:", f"{hidden['indent'][2:]}}};")
        elif line in end:
            end = ()
        if not end:
            yield line


def without_bodies(lines: list[str]) -> Iterator[str]:
    """Yield the lines with functions declared only; types and constants keep what they contain."""
    depth = 0  # of braces within a body
    for line in lines:
        if depth > 0:
            depth += line.count("{") - line.count("}")
        elif KEPT_WHOLE.match(line):
            yield line
        elif line.endswith("{"):
            depth = 1
            yield INITIALISERS.sub("", line).rstrip(" {") + ";"
        else:
            yield ONE_LINE_BODY.sub(";", INITIALISERS.sub(" ", line))


def public_part(header: str) -> tuple[str, str]:
    """Split a header into the first paragraph of the comment at its top, as Markdown, and its public declarations."""
    lines = header.splitlines()
    top = next((k for k, line in enumerate(lines) if not line.startswith("// ")), len(lines))
    summary = " ".join(line.removeprefix("// ") for line in lines[:top])
    rest = [line for line in lines[top:] if not LEFT_OUT.match(line)]
    declared = "\n".join(without_bodies(list(without_hidden_members(rest))))
    declared = re.sub(r"\n+(?=\n\n|\n *\};)|^#if.*\n#endif$", "", declared, flags=re.MULTILINE)
    return MARKUP.sub(r"\\\1", summary), declared.strip().removeprefix("//\n")
