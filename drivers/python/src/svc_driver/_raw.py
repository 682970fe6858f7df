"""Raw data of a run, as xarray."""

from __future__ import annotations

import importlib
import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray


def open_run(folder: str | PathLike[str]) -> xarray.Dataset:
    """Opens the raw data of a run, a folder that ``-o save_raw_data=true`` made. Needs ``svc-driver[xarray]``.

    Each array is a variable named as its file, without ``.npy``: real, in V, with a last dimension ``quadrature``
    of ``i`` and ``q``, so that ``to_netcdf`` can store it. Its dimensions end with the number of the array, because
    those of different arrays have nothing in common: ``point_1``, ``acquisition_1``, and ``shot_1`` or ``ns_1``. The
    sweep of a routine is a coordinate of ``point_1`` if it has one value for each point. All labels are attributes;
    those that are neither text nor numbers are JSON.

    Raises:
        ImportError: xarray is not installed.
        FileNotFoundError: the folder has no ``index.json``, or lacks an array that it lists.
        ValueError: the index is of another version.
    """
    np, xr = _module("numpy"), _module("xarray")
    run = Path(folder)
    index = json.loads((run / "index.json").read_text(encoding="utf-8"))
    if index.get("version") != 1:
        raise ValueError(f"{run / 'index.json'} has version {index.get('version')}; this package reads version 1")
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"quadrature": ["i", "q"]}
    for entry in index["files"]:
        name = entry["file"].removesuffix(".npy")
        number = int(name.split("-")[0])
        labels = dict(entry["labels"])
        axes = labels.pop("axes", [f"axis{place}" for place in range(len(entry["shape"]))])
        dims = [f"{axis}_{number}" for axis in axes]
        values = np.load(run / entry["file"])
        parts = np.stack([values.real, values.imag], axis=-1)
        attributes = {"units": labels.pop("unit", ""), "at": entry["at"], **labels}
        variables[name] = ([*dims, "quadrature"], parts, _attributes(attributes))
        for swept, points in _sweeps_of(labels):
            if len(points) == len(values) and dims:
                coordinates[f"{swept}_{number}"] = (dims[0], points)
    given = {key: index[key] for key in ("run", "backend", "started_at", "missing") if key in index}
    dataset: xarray.Dataset = xr.Dataset(variables, coordinates, _attributes(given))
    return dataset


def _sweeps_of(labels: dict[str, Any]) -> list[tuple[str, list[float]]]:
    """Axes that alone can be that of the points: of one target, and of a length that no other axis has."""
    sweeps = list((labels.get("sweeps") or {}).values())
    if len(sweeps) != 1:
        return []
    axes: dict[str, list[float]] = sweeps[0]
    lengths = [len(points) for points in axes.values()]
    return [(name, points) for name, points in axes.items() if lengths.count(len(points)) == 1]


def _attributes(given: dict[str, Any]) -> dict[str, str | int | float]:
    """What a file of NetCDF can hold."""

    def held(value: Any) -> str | int | float:
        if isinstance(value, bool):
            return int(value)
        return value if isinstance(value, (str, int, float)) else json.dumps(value)

    return {key: held(value) for key, value in given.items() if value is not None}


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} is not installed; run: pip install 'svc-driver[xarray]'") from error
