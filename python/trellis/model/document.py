"""The symbols of the model, as the table of docs/model.md."""

from __future__ import annotations

from trellis.model.systems import SECTIONS

PAPER = ("host", "accelerator", "network", "coefficients")


def symbols() -> str:
    """All symbols of the paper's equations: key, default, unit and meaning."""
    lines = ["| section | key | default | unit | meaning |", "|---|---|---|---|---|"]
    for section in PAPER:
        for name, field in SECTIONS[section].model_fields.items():
            extra = field.json_schema_extra
            unit = extra.get("unit", "") if isinstance(extra, dict) else ""
            default = "(must be given)" if field.is_required() else f"{field.default:g}"
            lines.append(f"| {section} | `{name}` | {default} | {unit} | {field.description} |")
    return "\n".join(lines) + "\n"
