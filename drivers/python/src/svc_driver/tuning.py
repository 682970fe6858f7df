"""Calibration routines in Python, for the tuners of svc.

    from svc_driver.tuning import Axis, Fit, Routine, Value

    class Cpmg(Routine):
        reads = ["clock_freqs.f01", "rxy.amp180"]
        optional_writes = {"coherence.t2_cpmg": "s"}
        axes = {"delay": Axis("s", min=0, max=1)}

        def sweep(self, context): ...
        def schedule(self, context, delay): ...
        def fit(self, context, delays, populations): ...

``calibration.yml`` names it: ``routines: {lab.cpmg:Cpmg: {after: t2_echo}}``. Times are in s, frequencies in Hz, angles in
rad, currents in A, amplitudes fractions of full scale.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ._schedule import Schedule

__all__ = ["Axis", "Benchmark", "Context", "Element", "Finding", "Fit", "Routine", "RoutineError", "Schedule", "Value"]


class RoutineError(Exception):
    """Why a routine found nothing on a target; the report shows code and message.

    ``no_signal``, ``unresolved``, ``edge_of_sweep`` and codes of your own are followed by another attempt, up to
    ``max_attempts``; ``declined`` skips the target: it cannot have what the routine calibrates.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Axis:
    """A swept quantity whose range ``calibration.yml`` may set, with the limits of every value.

    ``relative_to`` is the path that the values multiply. ``line`` names what plays a frequency: ``drive``, ``drive_12``,
    ``readout`` or ``coupling``; the sweep is cut to its band.
    """

    unit: Literal["Hz", "s", "A", "deg", ""]
    min: float = -1e15
    max: float = 1e15
    relative_to: str | None = None
    line: Literal["drive", "drive_12", "readout", "coupling"] | None = None


@dataclass(frozen=True)
class Value:
    """A found value, a number or nested lists of numbers, with its standard error. The routine declares its unit.

    ``scale`` is what the error is compared with, by default the value itself; a value with ``is_swept`` has to lie within
    the sweep. ``check_limit`` is the change of the value from which on the check of the routine is out.
    """

    value: Any
    error: float | None = None
    scale: float | None = None
    is_swept: bool = False
    check_limit: float | None = None


@dataclass
class Fit:
    """A curve through measured points, and the values that follow from it, by path in the device file.

    ``x``, ``y`` and ``curve`` are as long as the sweep. ``parameters`` is the number of fitted parameters.
    """

    x: Any
    y: Any
    curve: Any
    values: Mapping[str, Value]
    parameters: int
    model: str = "curve"
    x_name: str = "x"
    x_unit: str = ""
    y_name: str = "population"
    y_unit: str = ""

    def _wire(self) -> dict[str, Any]:
        axes = {"x": _numbers(self.x), "y": _numbers(self.y), "curve": _numbers(self.curve)}
        names = {"model": self.model, "x_name": self.x_name, "x_unit": self.x_unit, "y_name": self.y_name, "y_unit": self.y_unit}
        return {**axes, **names, "parameters": self.parameters, "values": _values(self.values)}


@dataclass
class Benchmark:
    """A figure of merit. ``fidelity_error`` is its standard error, ``leakage`` the population that a gate loses."""

    metric: str
    fidelity: float | None = None
    error: float | None = None
    fidelity_error: float | None = None
    gate_duration: float | None = None
    leakage: float | None = None
    leakage_error: float | None = None


@dataclass
class Finding:
    """What a routine found on a target. ``is_unresolved``: valid, but no better than the present value, which is kept."""

    parameters: Mapping[str, Value] = field(default_factory=dict)
    fit: Fit | None = None
    quality: Mapping[str, float] = field(default_factory=dict)
    benchmark: Benchmark | None = None
    notes: Sequence[str] = ()
    is_unresolved: bool = False

    def _wire(self) -> dict[str, Any]:
        benchmark = self.benchmark and {key: each for key, each in vars(self.benchmark).items() if each is not None}
        return {
            "parameters": _values(self.parameters),
            "fit": self.fit and self.fit._wire(),
            "quality": {name: float(each) for name, each in self.quality.items()},
            "benchmark": benchmark,
            "notes": _texts(self.notes, "notes"),
            "is_unresolved": bool(self.is_unresolved),
        }


class Element:
    """The values of a qubit or edge, as known at this moment of the run."""

    def __init__(self, name: str, which: str, ask: Callable[..., Any]) -> None:
        self.name = name
        self._which = which
        self._ask = ask

    def number(self, path: str) -> float:
        """A value; raises `RoutineError` ``not_set`` when it is absent or was never measured."""
        return float(self._ask("number", element=self._which, path=path))

    def optional(self, path: str) -> float | None:
        """The value, or None when it is absent or was never measured."""
        value = self._ask("optional", element=self._which, path=path)
        return None if value is None else float(value)

    def table(self, path: str) -> list[Any] | None:
        """A list or table of numbers, or None."""
        found: list[Any] | None = self._ask("table", element=self._which, path=path)
        return found

    def has(self, path: str) -> bool:
        """Whether the element can hold a value at this path."""
        return bool(self._ask("has", element=self._which, path=path))


class Context:
    """What a routine may read, and how it measures. Every method may raise `RoutineError`."""

    def __init__(self, started: Mapping[str, Any], ask: Callable[..., Any]) -> None:
        self._ask = ask
        self.target: str = started["target"]
        """Name of the qubit or edge."""
        self.attempt: int = started["attempt"]
        """Counted from 1."""
        self.failures: tuple[str, ...] = tuple(started["failures"])
        """Codes of the attempts before, oldest first."""
        self.self = Element(self.target, "self", ask)
        self.parent = Element(started["parent"], "parent", ask)
        """Of an edge, the first qubit; of a qubit, itself."""
        self.child = Element(started["child"], "child", ask)

    def axis(
        self,
        name: str,
        start: float | None = None,
        stop: float | None = None,
        points: int | None = None,
        *,
        values: Iterable[float] | None = None,
        scale: Literal["lin", "log"] = "lin",
        of: str | None = None,
    ) -> list[float]:
        """The values to sweep: on the first attempt those of ``calibration.yml`` if it has this axis, otherwise these.

        They are cut to what the hardware plays or holds on the line of ``of``, by default the target.
        """
        if values is not None:
            derived: Any = _numbers(values)
        elif start is None or stop is None or points is None:
            raise TypeError(f"axis {name}: give start, stop and points, or values")
        else:
            derived = {"start": float(start), "stop": float(stop), "points": int(points), "scale": scale}
        return _floats(self._ask("axis", name=name, derived=derived, of=of))

    def shots(self, derived: int) -> int:
        """Shots per point: those of ``calibration.yml``, otherwise the given number."""
        return int(self._ask("shots", derived=int(derived)))

    def seconds_left(self) -> float:
        """What is left of the time limit of the routine, s."""
        left = self._ask("seconds_left")
        return math.inf if left is None else float(left)

    def populations(self, schedules: Sequence[Schedule], shots: int = 1_000) -> list[float]:
        """The population of state 1 after each schedule; references are measured with them.

        All schedules read the same qubit: the target, or one end of an edge.
        """
        return _floats(self._ask("populations", schedules=_ops(schedules), shots=int(shots)))

    def averages(self, schedules: Sequence[Schedule], shots: int = 1_000) -> list[complex]:
        """The mean signal after each schedule, V."""
        found = self._ask("averages", schedules=_ops(schedules), shots=int(shots))
        return [complex(*_floats(pair)) for pair in found]

    def points(self, schedules: Sequence[Schedule], shots: int = 1_000) -> list[list[list[complex]]]:
        """The signal of every shot, ``[schedule][acquisition][shot]``, V."""
        found = self._ask("points", schedules=_ops(schedules), shots=int(shots))
        return [[[complex(*_floats(shot)) for shot in window] for window in point] for point in found]

    def current(self, edge: str) -> tuple[float, float]:
        """The current that a coupler feels, and the largest magnitude that it can be given, A."""
        amps, limit = self._ask("current", edge=edge)
        return float(amps), float(limit)

    def ramp(self, edge: str, amps: float) -> None:
        """Ramps the current of a coupler; it returns when the routine ends for whatever reason."""
        self._ask("ramp", edge=edge, amps=float(amps))

    def accept(self, fit: Fit) -> dict[str, float]:
        """The figures of a fit that passes the tests of the built-in routines.

        Raises `RoutineError` with ``no_data``, ``no_signal``, ``unresolved`` or ``edge_of_sweep`` for another.
        """
        found: dict[str, float] = self._ask("accept", fit=fit._wire())
        return found


class Routine:
    """One routine. Give ``sweep``, ``schedule`` and ``fit``, or ``measure`` for anything else.

    An instance is created for each target and attempt. Paths of ``reads`` have to be set, of ``priors`` are used when they
    are; ``end:`` in front means both qubits of an edge. ``writes`` and ``optional_writes`` have the unit of each path.
    """

    name: str = ""
    """`^[a-z][a-z0-9_]*$`; by default the name of the class, ``T2Echo`` as ``t2_echo``."""
    kind: Literal["resonator", "qubit", "edge"] = "qubit"
    depends_on: Sequence[str] = ()
    reads: Sequence[str] = ()
    priors: Sequence[str] = ()
    writes: Mapping[str, str] = {}
    optional_writes: Mapping[str, str] = {}
    needs: Sequence[str] = ()
    refiner: bool = False
    axes: Mapping[str, Axis] = {}
    points: int = 41
    shots: int = 1_000
    check: Callable[[Context], float] | None = None
    """A quick look at whether the present values hold: the deviation in units of its limit, above 1 is out."""

    def sweep(self, context: Context) -> Sequence[float]:
        """The values of the sweep, mostly from ``context.axis``."""
        raise NotImplementedError(f"{type(self).__name__} needs sweep(), schedule() and fit(), or measure()")

    def schedule(self, context: Context, value: float) -> Schedule:
        """What is played at one value of the sweep."""
        raise NotImplementedError(f"{type(self).__name__} needs schedule(), or measure()")

    def signal(self, context: Context, schedules: Sequence[Schedule]) -> Sequence[Any]:
        """Measures the points of the sweep; by default populations."""
        return context.populations(schedules, self.shots)

    def fit(self, context: Context, x: Sequence[float], y: Sequence[Any]) -> Fit:
        """The curve through the points. An error that the fit raises fails the routine on this target."""
        raise NotImplementedError(f"{type(self).__name__} needs fit(), or measure()")

    def accept(self, context: Context, fit: Fit) -> Mapping[str, float]:
        """The figures of an accepted fit; raises `RoutineError` for another. Add tests of your own around it."""
        return context.accept(fit)

    def measure(self, context: Context) -> Finding:
        """Measures one target: sweep, schedules, fit, acceptance, values."""
        x = self.sweep(context)
        y = self.signal(context, [self.schedule(context, value) for value in x])
        fit = self.fit(context, x, y)
        return Finding(parameters=fit.values, fit=fit, quality=self.accept(context, fit))


def describe(cls: type[Routine], path: str) -> dict[str, Any]:
    """What a class declares, for the tuner."""
    name = cls.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
    lists = {key: _texts(getattr(cls, key), key) for key in ("depends_on", "reads", "priors", "needs")}
    units = {key: {str(at): str(unit) for at, unit in getattr(cls, key).items()} for key in ("writes", "optional_writes")}
    axes = {key: {at: each for at, each in vars(axis).items() if each is not None} for key, axis in cls.axes.items()}
    flags = {"kind": cls.kind, "refiner": bool(cls.refiner), "has_check": cls.check is not None}
    return {"path": path, "name": name, **flags, **lists, **units, "axes": axes, "points": cls.points, "shots": cls.shots}


def _texts(values: Iterable[str], what: str) -> list[str]:
    if isinstance(values, str):
        raise TypeError(f"{what} is a text; expected a list of texts")
    return [str(each) for each in values]


def _ops(schedules: Sequence[Schedule]) -> list[list[dict[str, Any]]]:
    if isinstance(schedules, Schedule):
        raise TypeError("expected a list of schedules, got one")
    return [each.operations for each in schedules]


def _numbers(values: Iterable[float]) -> list[float | None]:
    """Numbers for the wire, where one that is not finite is null."""
    found = [float(each) for each in values]
    return [each if math.isfinite(each) else None for each in found]


def _floats(values: Iterable[float | None]) -> list[float]:
    return [math.nan if each is None else float(each) for each in values]


def _values(values: Mapping[str, Value]) -> dict[str, dict[str, Any]]:
    return {path: {key: each for key, each in vars(value).items() if each is not None} for path, value in values.items()}
