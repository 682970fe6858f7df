"""What devices may use while they work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ._errors import Cancelled

Mode = Literal["fidelity_check", "partial", "full"]


class _TaskIo:
    """A task that may be cancelled from another thread."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self._on_cancel: Callable[[], object] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the task has to end."""
        return self._cancelled.is_set()

    def check(self) -> None:
        """Raises `Cancelled` when the task has to end; call it between steps."""
        if self._cancelled.is_set():
            raise Cancelled

    def sleep(self, seconds: float) -> None:
        """Waits; raises `Cancelled` as soon as the task has to end."""
        if self._cancelled.wait(seconds):
            raise Cancelled

    def _cancel(self) -> None:
        self._cancelled.set()
        if self._on_cancel is not None:
            self._on_cancel()


class JobIo(_TaskIo):
    """What a running job may use."""

    def __init__(self, phase: Callable[[str], None], seconds: float | None) -> None:
        super().__init__()
        self._phase = phase
        self.deadline = float("inf") if seconds is None else time.monotonic() + seconds
        """When the time of the job is over, as `time.monotonic()`; the process is killed 2 s later."""

    def phase(self, name: str) -> None:
        """Names what the device is doing; the heartbeats of the job report it."""
        self._phase(str(name)[:100])


class CalibrationIo(_TaskIo):
    """What a running calibration may use."""

    def __init__(self, progress: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._progress = progress

    def progress(self, step: Mapping[str, Any]) -> None:
        """Reports one step, at most ten times a second; its keys are those of ``CalibrationProgress``."""
        self._progress(dict(step))


class _DeviceIo:
    """What a device may use while it is open."""

    def __init__(
        self,
        emit: Callable[[str, dict[str, Any]], None],
        every: Callable[[float, Callable[[], object]], None],
    ) -> None:
        self._emit = emit
        self._every = every

    def emit(self, type: str, payload: Mapping[str, Any]) -> None:
        """Sends an event to the server; any thread may call it."""
        self._emit(type, dict(payload))

    def every(self, seconds: float, function: Callable[[], object]) -> None:
        """Calls ``function`` now and every ``seconds``, on the main thread and on a fixed schedule.

        What falls into a running call is skipped. An error is logged, and the next call takes place.
        """
        if not seconds > 0:
            raise ValueError(f"every({seconds}): the period must be longer than 0 s")
        self._every(seconds, function)


class MonitorIo(_DeviceIo):
    """What a monitor may use while it is open."""


class TunerIo(_DeviceIo):
    """What a tuner may use while it is open."""

    def __init__(
        self,
        emit: Callable[[str, dict[str, Any]], None],
        every: Callable[[float, Callable[[], object]], None],
        calibrate_now: Callable[[str, list[str]], dict[str, Any] | None],
    ) -> None:
        super().__init__(emit, every)
        self._calibrate_now = calibrate_now

    def calibrate_now(self, mode: Mode, target_qubits: Sequence[str] = ()) -> dict[str, Any] | None:
        """Runs a calibration without a queued request and returns its findings.

        The server receives its start, progress and report, and lets jobs wait meanwhile. None at once while another
        calibration runs, while the QPU is in maintenance, and while the server is not connected. Call it in what
        `every` runs, or in a thread of your own; never in a coroutine.
        """
        return self._calibrate_now(mode, [str(each) for each in target_qubits])


class StopIo:
    """What a device may use while it closes."""

    def __init__(self, extend: Callable[[float, str], None]) -> None:
        self._extend = extend

    def extend(self, seconds: float, reason: str) -> None:
        """Asks for more than the 2 s after which the process is killed: ``seconds`` from now, 30 s in all."""
        self._extend(float(seconds), str(reason))
