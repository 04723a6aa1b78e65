"""The page of a run: a figure of plotly in HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trellis.errors import RunError
from trellis.plot.drawable import drawable
from trellis.plot.scales import Scales
from trellis.plot.sources import type_name
from trellis.plot.style import Style

MOST_LINE = 2000  # points of a line
CAMERA = {"eye": {"x": 1.3, "y": 1.3, "z": 0.8}, "center": {"x": 0, "y": 0, "z": -0.18}}
ENERGIES = ("kinetic", "potential", "external", "internal", "total")


@dataclass(frozen=True)
class Frame:
    """Particles at one time.

    Attributes
    ----------
    time : float
        The time as it is shown.
    positions : dict
        Positions, as they are shown, of the particles of each type, shape (N, 3).
    total : int
        Number of particles, shown or not.
    """

    time: float
    positions: dict[int, NDArray[np.float32]]
    total: int


def check_plotly() -> None:
    """Raise a RuntimeError if there is no package plotly."""
    try:
        import plotly  # noqa: F401
    except ImportError:
        raise RunError("the viewer needs the package plotly: pip install plotly") from None


def page(
    title: str,
    frames: Sequence[Frame],
    middle: NDArray[np.float64],
    half_width: float,
    scales: Scales,
    log: Mapping[str, NDArray[np.float64]],
    style: Style,
) -> str:
    """Return the page.

    Parameters
    ----------
    title : str
        The title.
    frames : sequence of Frame
        The frames, in order of time.
    middle : array, shape (3,)
        The middle of the space that is seen, as it is shown.
    half_width : float
        Half the side of the cube that is seen, as it is shown.
    scales : Scales
        The units of what is shown.
    log : dict
        Columns of the energy log; empty: there are no curves.
    style : Style
        The colours.
    """
    from plotly import graph_objects

    kinds = sorted({kind for frame in frames for kind in frame.positions})
    lines = _lines(scales.time * log["time"], log, style) if log else []
    spans = [_span(lines, axis) for axis in ("y", "y2")] if log else []
    moving = [[*_clouds(frame, kinds, style), *_marks(frame.time, spans, style)] for frame in frames]
    numbers = [*range(len(kinds)), *(len(kinds) + len(lines) + k for k in range(len(spans)))]
    figure = graph_objects.Figure(
        data=[*moving[0][: len(kinds)], *lines, *moving[0][len(kinds) :]],
        frames=[graph_objects.Frame(name=str(k), data=traces, traces=numbers) for k, traces in enumerate(moving)],
        layout=_layout(title, frames, middle, half_width, scales, style, curves=bool(log)),
    )
    body = figure.to_html(
        full_html=False, include_plotlyjs=True, auto_play=False, default_height="100vh", config={"displaylogo": False}
    )
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title>'
    looks = f"<style>html, body {{ margin: 0; background: {style.page}; }}</style>"
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}{looks}</head>\n<body>\n{body}\n</body>\n</html>\n'


def _clouds(frame: Frame, kinds: Sequence[int], style: Style) -> list[dict[str, Any]]:
    """Return the particles of each type in space."""
    nothing = np.empty((0, 3), dtype=np.float32)
    clouds = []
    for kind in kinds:
        x, y, z = np.ascontiguousarray(frame.positions.get(kind, nothing).T)
        marker = {"size": 0.6, "color": style.types[kind], "opacity": 0.7, "line": {"width": 0}}
        name = type_name(kind)
        cloud = {"type": "scatter3d", "mode": "markers", "x": x, "y": y, "z": z, "marker": marker, "name": name}
        clouds.append({**cloud, "hoverinfo": "skip", "legend": "legend", "showlegend": len(kinds) > 1})
    return clouds


def _lines(time: NDArray[np.float64], log: Mapping[str, NDArray[np.float64]], style: Style) -> list[dict[str, Any]]:
    """Return energies and virial ratio against time."""
    every = slice(None, None, 1 + len(time) // MOST_LINE)
    shown = [name for name in ENERGIES if np.any(log[name] != 0)]
    lines = [
        {"y": drawable(log[name])[every], "name": name, "line": {"color": colour, "width": 2}, "legend": "legend2"}
        for name, colour in zip(shown, style.lines, strict=False)
    ]
    ratio = {"y": drawable(log["virial_ratio"])[every], "line": {"color": style.lines[0], "width": 2}, "yaxis": "y2"}
    lines.append({**ratio, "xaxis": "x2", "name": "virial ratio", "showlegend": False})
    return [{"type": "scatter", "mode": "lines", "x": time[every], **line} for line in lines]


def _span(lines: Sequence[dict[str, Any]], axis: str) -> tuple[float, float]:
    """Return the lowest and the highest value of the lines along an axis."""
    values = np.concatenate([line["y"] for line in lines if line.get("yaxis", "y") == axis])
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if len(values) > 0 else (0.0, 1.0)


def _marks(time: float, spans: Sequence[tuple[float, float]], style: Style) -> list[dict[str, Any]]:
    """Return the lines that stand beside at the time of a frame."""
    look = {"type": "scatter", "mode": "lines", "line": {"color": style.ink, "width": 1.5}}
    what = {**look, "showlegend": False, "hoverinfo": "skip"}
    axes: tuple[dict[str, str], ...] = ({}, {"xaxis": "x2", "yaxis": "y2"})
    return [{**what, **axis, "x": [time, time], "y": list(span)} for axis, span in zip(axes, spans, strict=False)]


def _layout(
    title: str,
    frames: Sequence[Frame],
    middle: NDArray[np.float64],
    half_width: float,
    scales: Scales,
    style: Style,
    *,
    curves: bool,
) -> dict[str, Any]:
    plain = {"gridcolor": style.faint, "linecolor": style.faint, "zerolinecolor": style.faint, "gridwidth": 0.5}
    space = {**plain, "backgroundcolor": style.page, "showbackground": True}
    scene = {
        f"{axis}axis": {**space, "title": {"text": scales.axis(axis)}, "range": [at - half_width, at + half_width]}
        for axis, at in zip("xyz", middle.tolist(), strict=True)
    }
    axes = {
        "xaxis": {**plain, "domain": [0.7, 1], "anchor": "y", "showticklabels": False, "matches": "x2"},
        "yaxis": {**plain, "domain": [0.55, 0.95], "title": {"text": "energy"}},
        "xaxis2": {**plain, "domain": [0.7, 1], "anchor": "y2", "title": {"text": scales.time_axis}},
        "yaxis2": {**plain, "domain": [0.1, 0.5], "anchor": "x2", "title": {"text": "virial ratio 2T/|W|"}},
    }
    legend = {"orientation": "h", "bgcolor": "rgba(0,0,0,0)", "itemsizing": "constant"}
    return {
        "title": {"text": title, "x": 0.02, "font": {"size": 16}},
        "paper_bgcolor": style.page,
        "plot_bgcolor": style.page,
        "font": {"color": style.ink, "size": 13},
        "margin": {"l": 20, "r": 30, "t": 60, "b": 20},
        "scene": {
            "domain": {"x": [0, 0.62 if curves else 1], "y": [0.02, 1]},
            "aspectmode": "cube",
            "camera": CAMERA,
            **scene,
        },
        **(axes if curves else {}),
        "legend": {**legend, "x": 0.02, "y": 0.99},
        "legend2": {**legend, "x": 0.7, "y": 0.96, "yanchor": "bottom"},
        "sliders": [_slider(frames, scales, style)],
        "updatemenus": [_buttons(style)],
        "uirevision": "the camera stays",
    }


def _slider(frames: Sequence[Frame], scales: Scales, style: Style) -> dict[str, Any]:
    at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": True}, "transition": {"duration": 0}}
    steps = [
        {"method": "animate", "args": [[str(k)], at_once], "label": f"{frame.time:.3g}"}
        for k, frame in enumerate(frames)
    ]
    now = {"prefix": "t = ", "suffix": f" {scales.time_unit}", "font": {"size": 16}}
    looks = {"bgcolor": style.faint, "bordercolor": style.faint, "tickcolor": style.faint, "font": {"color": style.ink}}
    return {"steps": steps, "currentvalue": now, "x": 0.1, "len": 0.88, "pad": {"t": 10}, **looks}


def _buttons(style: Style) -> dict[str, Any]:
    play = {"fromcurrent": True, "frame": {"duration": 150, "redraw": True}, "transition": {"duration": 0}}
    stop = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}}
    buttons = [
        {"label": "▶", "method": "animate", "args": [None, play]},
        {"label": "❚❚", "method": "animate", "args": [[None], stop]},
    ]
    where = {"type": "buttons", "direction": "left", "x": 0.08, "y": 0, "xanchor": "right", "yanchor": "top"}
    looks = {"showactive": False, "bgcolor": style.page, "bordercolor": style.faint}
    return {**where, **looks, "pad": {"t": 30}, "buttons": buttons}
