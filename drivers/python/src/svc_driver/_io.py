"""What devices may use while they work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ._errors import Cancelled
from ._job import Execution
from ._results import counts_result

# Time for which the results of a job wait for others, in s; the driver passes them on once a second.
_SENT_AFTER = 0.1

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

    def __init__(
        self,
        phase: Callable[[str], None],
        seconds: float | None,
        *,
        progress: Callable[[float], None] | None = None,
        send: Callable[[list[tuple[int, Mapping[str, Any]]]], None] | None = None,
    ) -> None:
        super().__init__()
        self._phase = phase
        self._progress = progress
        self._send = send
        self._results: dict[int, Mapping[str, Any]] = {}
        self._unsent: list[tuple[int, Mapping[str, Any]]] = []
        self._sending = threading.Lock()
        self._timer: threading.Timer | None = None
        self.deadline = float("inf") if seconds is None else time.monotonic() + seconds
        """When the time of the job is over, as `time.monotonic()`; the process is killed 2 s later."""

    def phase(self, name: str) -> None:
        """Names what the device is doing; the heartbeats of the job report it."""
        self._phase(str(name)[:100])

    def progress(self, part: float) -> None:
        """Reports which part of the job is done, from 0 to 1; by default that of the results reported so far."""
        if not 0 <= part <= 1:
            raise ValueError(f"progress({part}): expected a number from 0 to 1")
        if self._progress is not None:
            self._progress(float(part))

    def result(
        self,
        execution: Execution,
        result: Mapping[Any, Any],
        *,
        memory: Sequence[str] | str | None = None,
        discarded_shots: int = 0,
        metadata: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any]:
        """Reports the result of one execution before the job ends: users see it, and keep it if the job fails.

        ``result`` has the counts, with the rest as of `counts_result`, or is what that or `points_result` returned. The
        result is returned; a ``run`` that has reported all of them may return None. What ``run`` yields is reported.
        """
        if "header" not in result:
            kept = {"memory": memory, "discarded_shots": discarded_shots, "metadata": metadata}
            result = counts_result(execution, result, **kept)  # type: ignore[arg-type]
        self._add(execution.index, result)
        return result

    def _add(self, index: int, result: Any) -> None:
        if index in self._results or not isinstance(result, Mapping):
            return
        self._results[index] = result
        with self._sending:
            self._unsent.append((index, result))
            if self._timer is None:
                self._timer = threading.Timer(_SENT_AFTER, self._flush)
                self._timer.daemon = True
                self._timer.start()

    def _flush(self) -> None:
        """Sends what is left to send; also at the end of a job that fails."""
        with self._sending:
            unsent, self._unsent = self._unsent, []
            self._timer = None
            if unsent and self._send is not None:
                self._send(unsent)

    def _returned(self, returned: Any) -> Any:
        """What ``run`` has returned, or what it has reported."""
        if returned is None and self._results:
            return [self._results[index] for index in sorted(self._results)]
        return returned


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

        The server receives its start, progress and report, and lets jobs wait meanwhile. None immediately while another
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
