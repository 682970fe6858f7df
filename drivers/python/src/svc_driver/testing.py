"""Devices without a server and without the driver, for tests of your own.

    from svc_driver.testing import run

    def test_coin():
        results = run(Coin, {"bias": 1.0}, "OPENQASM 3.0; qubit q; bit c; c = measure q;", shots=10)
        assert results["counts"] == {"1": 10}
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._check import contradiction, expected_results
from ._described import check_described
from ._device import CalibrationRequest, Context, create
from ._errors import Cancelled, JobError
from ._io import CalibrationIo, JobIo, Mode, StopIo
from ._job import Job
from ._options import declared_options
from ._program import read_program
from ._results import INVALID_RESULTS, complete, not_finite
from ._runtime import Runtime

__all__ = ["calibrate", "open_device", "readings", "run"]



def _fields(cls: type, options: Mapping[str, Any], environment: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Declared options and variables, complete with their defaults. Raises `TypeError` for a missing or unknown one."""
    found = []
    for declared, given, noun in zip(declared_options(cls), (options, environment), ("option", "variable")):
        names = {each.key for each in declared}
        unknown = sorted(set(given) - names)
        missing = [each.key for each in declared if each.required and each.key not in given]
        if unknown or missing:
            problem, name = ("unknown", unknown[0]) if unknown else ("missing required", missing[0])
            raise TypeError(f"{problem} {noun} {name}; declared are {', '.join(sorted(names)) or 'none'}")
        found.append({each.key: given.get(each.key, each.default) for each in declared})
    return tuple(found)


@contextmanager
def open_device(
    cls: type,
    options: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, Any] | None = None,
    raw: Mapping[str, str] | None = None,
    data_dir: Path | None = None,
    events: list[tuple[str, dict[str, Any]]] | None = None,
) -> Iterator[tuple[Any, Runtime]]:
    """Creates and starts a device, and stops it at the end. Its events are added to ``events``.

    ``options`` are values as the device reads them, not texts. The data folder is temporary unless given.
    """
    values, variables = _fields(cls, options or {}, environment or {})
    recorded: list[tuple[str, dict[str, Any]]] = [] if events is None else events

    def send(message: dict[str, Any]) -> None:
        if message["m"] == "event":
            recorded.append((message["type"], message["payload"]))

    with tempfile.TemporaryDirectory(prefix="svc-driver-") as temporary:
        context = Context(
            name=cls.__name__,
            options=values,
            raw=raw or {},
            environment=variables,
            data_dir=Path(temporary) if data_dir is None else data_dir,
        )
        runtime = Runtime(send)
        device = create(cls, context)
        runtime._device = device
        runtime._start(cls)
        try:
            yield device, runtime
        finally:
            runtime._call(device.stop, StopIo(lambda seconds, reason: None))


def run(
    cls: type,
    options: Mapping[str, Any] | None = None,
    program: str | Path | Sequence[str] = "",
    *,
    shots: int = 1024,
    parameter_values: Sequence[Sequence[float]] | None = None,
    meas_level: int = 2,
    meas_return: str = "single",
    memory: bool = False,
    seed: int | None = None,
    timeout: float = 60.0,
    phases: list[str] | None = None,
    progress: list[float] | None = None,
    on_hang: Callable[[], None] | None = None,
    **device: Any,
) -> dict[str, Any]:
    """Runs one job on a device and returns its results, checked as the driver checks them.

    ``program`` is OpenQASM, a path or several of them; ``parameter_values`` belong to the first. What ``run`` raises is
    raised; a run that takes longer than ``timeout`` seconds is cancelled, and ``on_hang`` is called 2 s later if it still
    runs. Phases and progress that it reports are added to ``phases`` and ``progress``. What `describe` excludes is refused. ``device`` goes to `open_device`.
    """
    programs = [program] if isinstance(program, (str, Path)) else list(program)
    texts = [each.read_text() if isinstance(each, Path) else each for each in programs]
    circuits: list[dict[str, Any]] = [{"circuit": text} for text in texts]
    if parameter_values is not None:
        circuits[0]["parameter_values"] = [list(each) for each in parameter_values]
    payload: dict[str, Any] = {
        "circuits": circuits,
        "shots": shots,
        "meas_level": meas_level,
        "meas_return": meas_return,
        "memory": memory,
    }
    if seed is not None:
        payload["seed"] = seed
    with open_device(cls, options, **device) as (opened, runtime):
        bound = [read_program(text) for text in texts] if getattr(cls, "bind", False) else None
        description = runtime._call(opened.describe) if hasattr(opened, "describe") else None
        check_described(description, payload, bound or [], compiles=bool(getattr(cls, "compiles", True)))
        job = Job("000000000000000", 1, payload, bound)
        io = JobIo(
            (phases if phases is not None else []).append,
            timeout,
            progress=(progress if progress is not None else []).append,
        )
        with _limit(io, timeout, on_hang) as is_over:
            returned = io._returned(runtime._call(opened.run, job, io, io=io))
        if is_over():
            raise JobError(f"job timed out after {timeout:g} s", code="timed_out")
    executions = sum(max(1, len(each.get("parameter_values") or [])) for each in circuits)
    results = complete(returned, backend=cls.__name__, executions=executions, metadata={})
    error: JobError | None = not_finite(results)
    if error is not None:
        raise error
    problem = contradiction(results, expected_results(payload, [each.get("clbits") for each in bound or [{}] * len(circuits)]))
    if problem is not None:
        raise JobError(f"The results of device {cls.__name__} contradict the job: {problem}", code=INVALID_RESULTS)
    return results


@contextmanager
def _limit(io: JobIo, seconds: float, on_hang: Callable[[], None] | None) -> Iterator[Callable[[], bool]]:
    """Cancels a run that takes longer, as the driver does; then a `Cancelled` ends it quietly."""
    over = threading.Event()

    def cancel() -> None:
        over.set()
        io._cancel()

    timers = [threading.Timer(seconds, cancel)] + ([threading.Timer(seconds + 2, on_hang)] if on_hang else [])
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield over.is_set
    except Cancelled:
        if not over.is_set():
            raise
    finally:
        for timer in timers:
            timer.cancel()


def readings(
    cls: type, options: Mapping[str, Any] | None = None, *, count: int = 1, timeout: float = 10.0, **device: Any
) -> list[tuple[str, dict[str, Any]]]:
    """The first events of a monitor, each as (type, payload). Raises `TimeoutError` when they do not come."""
    events: list[tuple[str, dict[str, Any]]] = []
    with open_device(cls, options, events=events, **device) as (_, runtime):
        end = time.monotonic() + timeout
        while len(events) < count:
            if time.monotonic() > end:
                raise TimeoutError(f"{cls.__name__} emitted {len(events)} of {count} events within {timeout:g} s")
            runtime._tick()
            time.sleep(0.005)
    return events[:count]


def calibrate(
    cls: type,
    options: Mapping[str, Any] | None = None,
    *,
    mode: Mode = "full",
    target_qubits: Sequence[str] = (),
    steps: list[dict[str, Any]] | None = None,
    **device: Any,
) -> Any:
    """Runs one calibration of a tuner and returns its findings; its steps are added to ``steps``."""
    with open_device(cls, options, **device) as (opened, runtime):
        io = CalibrationIo((steps if steps is not None else []).append)
        request = CalibrationRequest("000000000000000", "000000000000001", mode, tuple(target_qubits))
        return runtime._call(opened.calibrate, request, io, io=io)
