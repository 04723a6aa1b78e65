"""The symbols of the model, as the table of docs/model.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trellis.config import Parameters
from trellis.model.systems import SECTIONS

PAPER = ("host", "accelerator", "network", "coefficients")


def symbols() -> str:
    """All symbols of the paper's equations: key, default, unit and meaning."""
    return table_of({section: SECTIONS[section] for section in PAPER})


def table_of(sections: Mapping[str, type[Parameters]]) -> str:
    """Return the keys of sections: key, default, unit and meaning."""
    lines = ["| section | key | default | unit | meaning |", "|---|---|---|---|---|"]
    for section, kind in sections.items():
        for name, field in kind.model_fields.items():
            extra = field.json_schema_extra
            unit = extra.get("unit", "") if isinstance(extra, dict) else ""
            default = "(must be given)" if field.is_required() else _text(field.default)
            lines.append(f"| {section} | `{name}` | {default} | {unit} | {field.description} |")
    return "\n".join(lines) + "\n"


def _text(default: Any) -> str:
    return json.dumps(default) if isinstance(default, bool) else f"{default:g}"
