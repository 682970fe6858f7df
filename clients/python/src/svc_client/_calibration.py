"""Reports of calibrations."""

from __future__ import annotations

import importlib
import json
import math
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Iterator

from ._models import time_of

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class CalibrationReport:
    """The report of a calibration. ``raw`` has all of it, with the names of the HTTP interface."""

    id: str
    qpu: str
    mode: str
    status: str
    backend: str
    started_at: datetime | None
    finished_at: datetime | None
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> CalibrationReport:
        """That of a response."""
        id, qpu, mode, status, backend = (
            str(raw.get(name) or "") for name in ("id", "qpu", "mode", "status", "backend")
        )
        started, finished = time_of(raw.get("started_at")), time_of(raw.get("finished_at"))
        return cls(id, qpu, mode, status, backend, started, finished, raw)

    def to_xarray(self) -> xarray.Dataset:
        """The traces and the values of the report. Needs ``svc-client[xarray]``.

        A trace is a variable ``ROUTINE_TARGET``, with the fitted curve beside it (``…_curve``) and its axes as
        coordinates; all have names and units, and the results of the fit as attributes. Shots of prepared states have
        the dimensions ``state``, ``shot`` and ``quadrature``. Values that were found are ``value`` and ``error`` along
        ``parameter`` (``q0.clock_freqs.f01``), with ``unit``; fidelities of benchmarks are ``fidelity`` and
        ``fidelity_error`` along ``benchmark``. Traces that the server has removed are not there.

        Raises:
            ImportError: xarray is not installed.
        """
        try:
            xr = importlib.import_module("xarray")
        except ModuleNotFoundError as error:
            raise ImportError("xarray is not installed; run: pip install 'svc-client[xarray]'") from error
        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {}
        for routine in self.raw.get("routines") or []:
            trace = routine.get("fit")
            if isinstance(trace, dict):
                name = _unused(f"{routine['routine']}_{routine['target']}", variables)
                _add_trace(name, trace, _figures_of(routine, trace), variables, coordinates)
        _add_table("parameter", _parameters_of(self.raw), ("value", "error"), variables, coordinates)
        _add_table("benchmark", _benchmarks_of(self.raw), ("fidelity", "fidelity_error"), variables, coordinates)
        names = ("id", "qpu", "status", "backend", "started_at", "finished_at")
        attributes = {name: str(self.raw.get(name) or "") for name in names}
        # A file of NetCDF has a mode of its own.
        attributes["calibration_mode"] = self.mode
        attributes["notes"] = json.dumps(self.raw.get("notes") or [])
        dataset: xarray.Dataset = xr.Dataset(variables, coordinates, attributes)
        return dataset


def _unused(name: str, variables: dict[str, Any]) -> str:
    """A routine that ran again has a number."""
    count, unused = 1, name
    while unused in variables:
        count += 1
        unused = f"{name}_{count}"
    return unused


def _add_trace(
    name: str, trace: dict[str, Any], figures: dict[str, Any], variables: dict[str, Any], coordinates: dict[str, Any]
) -> None:
    kind = trace.get("kind")
    if kind == "iq":
        states = trace["states"]
        length = max((len(state["i"]) for state in states), default=0)
        pairs = [zip(*(_padded(state[part], length) for part in ("i", "q"))) for state in states]
        shots = [[list(pair) for pair in each] for each in pairs]
        of_state, of_shot, of_quadrature = (f"{axis}_{name}" for axis in ("state", "shot", "quadrature"))
        coordinates[of_state] = (of_state, [str(state["label"]) for state in states])
        coordinates[of_quadrature] = (of_quadrature, ["i", "q"])
        extra = {"centroids": json.dumps(trace["centroids"]), "assignment": json.dumps(trace["assignment"])}
        variables[name] = ((of_state, of_shot, of_quadrature), shots, {"units": trace.get("unit", ""), **figures, **extra})
    elif kind in ("line", "map"):
        axes = [trace["x"]] if kind == "line" else [trace["y"], trace["x"]]
        dims = tuple(f"{axis['name']}_{name}" for axis in axes)
        for dim, axis in zip(dims, axes):
            attributes = {"units": axis["unit"], "long_name": axis["name"]}
            coordinates[dim] = (dim, _numbers(axis["values"]), attributes)
        if kind == "map":
            width = len(trace["x"]["values"])
            values = _numbers(trace["z"])
            rows = [values[start : start + width] for start in range(0, len(values), width)]
            variables[name] = (dims, rows, figures)
            return
        described = {"units": trace.get("y_unit", ""), "long_name": trace.get("y_name", "")}
        variables[name] = (dims, _numbers(trace["y"]), {**described, **figures})
        if trace.get("curve"):
            variables[f"{name}_curve"] = (dims, _numbers(trace["curve"]), described)


def _figures_of(routine: dict[str, Any], trace: dict[str, Any]) -> dict[str, Any]:
    """What is known of a trace beside its points, as attributes that a file of NetCDF can hold."""
    figures: dict[str, Any] = {key: str(routine.get(key) or "") for key in ("routine", "target", "status")}
    figures["model"] = str(trace.get("model") or "")
    if routine.get("superseded"):
        figures["superseded"] = 1
    if routine.get("error"):
        figures["error"] = json.dumps(routine["error"])
    for key, value in (trace.get("params") or {}).items():
        figures[key], figures[f"{key}_error"] = _numbers(value)
    for key, value in (trace.get("goodness") or {}).items():
        if isinstance(value, (int, float)):
            figures[f"goodness_{key}"] = float(value)
    return figures


def _parameters_of(raw: dict[str, Any]) -> Iterator[tuple[str, Any, Any, str]]:
    for routine in raw.get("routines") or []:
        if routine.get("status") == "success" and not routine.get("superseded"):
            for path, found in (routine.get("parameters") or {}).items():
                name = f"{routine['target']}.{path}"
                yield name, found.get("value"), found.get("error"), str(found.get("unit") or "")


def _benchmarks_of(raw: dict[str, Any]) -> Iterator[tuple[str, Any, Any, str]]:
    for found in raw.get("benchmarks") or []:
        if not found.get("superseded"):
            name = f"{found['target']}.{found['protocol']}"
            yield name, found.get("fidelity"), found.get("fidelity_error"), ""


def _add_table(
    dim: str,
    rows: Iterator[tuple[str, Any, Any, str]],
    names: tuple[str, str],
    variables: dict[str, Any],
    coordinates: dict[str, Any],
) -> None:
    """Numbers with errors by name, of each the last one; tables of numbers stay in ``raw``."""
    last = {name: (value, error, unit) for name, value, error, unit in rows if isinstance(value, (int, float))}
    if not last:
        return
    coordinates[dim] = (dim, list(last))
    coordinates[f"{dim}_unit"] = (dim, [unit for _, _, unit in last.values()])
    for place, name in enumerate(names):
        variables[name] = (dim, _numbers([row[place] for row in last.values()]))


def _numbers(values: list[Any]) -> list[float]:
    """Numbers that JSON does not have are null."""
    return [float(value) if isinstance(value, (int, float)) else math.nan for value in values]


def _padded(values: list[Any], length: int) -> list[float]:
    return _numbers([*values, *[None] * (length - len(values))])
