"""Columns of a group of particles: the dataset of each field, and the powers of a and h that its values have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trellis.errors import InputError
from trellis.io.gadget_layout import DATASETS, GAS_FIELDS, number
from trellis.io.layouts.codes import GADGET_POWERS, LAYOUTS, Layout

NAMES = {
    field: tuple(dict.fromkeys(each.columns[field] for each in LAYOUTS if field in each.columns)) for field in DATASETS
}
"""Datasets that may hold a field, in any of the layouts."""

PHYSICAL = "Value stored as physical"
"""Attribute of SWIFT's datasets: above 0 where the powers have been multiplied into the values."""


def dataset_of(where: str, group: Any, field: str, layout: Layout) -> str | None:
    """Return the name of the dataset that has a field, None if no dataset has it.

    Parameters
    ----------
    where : str
        Name of the file and group in messages.
    group : group of HDF5, or a stand-in
        The particles of one type.
    field, layout : str, Layout
        The field, and the layout of the file.

    Raises
    ------
    ValueError
        If two datasets have it.
    """
    there = [name for name in NAMES[field] if name in group and name not in layout.unlike]
    if len(there) > 1:
        raise InputError(f"{where} has both {there[0]} and {there[1]}, but must have one of them")
    return there[0] if there else None


def columns_of(where: str, group: Any, layout: Layout) -> dict[str, str]:
    """Return the dataset of each field that a group of particles has, fields that Trellis wrote among them."""
    found = {field: dataset_of(where, group, field, layout) for field in DATASETS}
    return {field: name for field, name in found.items() if name is not None} | {
        name: name for name in own_fields(where, group, layout) if name not in DATASETS
    }


def own_fields(where: str, group: Any, layout: Layout) -> dict[str, tuple[int, str, str]]:
    """Return fields that not every set has, those of gas and what Trellis wrote: components, unit and meaning."""
    of_gas = {name: dataset_of(where, group, name, layout) for name in GAS_FIELDS}
    fields = {name: GAS_FIELDS[name] for name, dataset in of_gas.items() if dataset is not None}
    fields_of = {dataset: name for name, dataset in of_gas.items() if dataset is not None}
    known = {name for names in NAMES.values() for name in names}
    for name, dataset in group.items():
        if (name in fields_of or name not in known) and "meaning" in dataset.attrs:
            components = 3 if len(dataset.shape) == 2 else 1
            fields[fields_of.get(name, name)] = (components, dataset.attrs["unit"], dataset.attrs["meaning"])
    return fields


def factor(path: Path, name: str, field: str, attrs: Any, layout: Layout, a: float, h: float) -> float:
    """Return by what a column's values are multiplied to have Gadget's powers of a and h.

    Parameters
    ----------
    path, name : Path, str
        Name of the file and the dataset in messages.
    field : str
        The field that it has.
    attrs : mapping
        Its attributes: its powers, if it names them.
    layout : Layout
        Has the powers otherwise.
    a, h : float
        The scale factor, and the Hubble constant in 100 km/s/Mpc.

    Raises
    ------
    ValueError
        If a power is no number.
    """
    if field not in GADGET_POWERS:
        return 1.0
    usual = layout.powers.get(field, GADGET_POWERS[field])
    named = (each.power_names for each in LAYOUTS if each.power_names[0])
    names = next((each for each in named if each[0] in attrs), None)
    if names is not None:
        try:
            usual = (number(attrs, names[0]), number(attrs, names[1]) if names[1] in attrs else usual[1])
        except InputError as error:
            raise InputError(f"'{path}': {name}: {error}") from None
        if number(attrs, PHYSICAL) > 0:
            usual = (0.0, usual[1])
    wanted = GADGET_POWERS[field]
    return float(a ** (usual[0] - wanted[0]) * h ** (usual[1] - wanted[1]))
