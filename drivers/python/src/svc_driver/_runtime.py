"""The worker's side of the protocol ``svc-device``, version 1: what it does with each message."""

from __future__ import annotations

import heapq
import inspect
import itertools
import json
import logging
import os
import platform
import queue
import threading
import time
import traceback
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NoReturn

from . import _registry
from ._device import CalibrationRequest, Context, create, takes_any_option
from ._errors import Cancelled, StartupError, calibration_failure, job_failure
from ._frames import FrameTooLarge, UnsendableValue
from ._io import CalibrationIo, JobIo, MonitorIo, StopIo, TunerIo
from ._job import Job
from ._options import declared_options
from ._results import complete, not_finite
from ._version import VERSION

PROTOCOLS = [1]
DESCRIBE_EVERY_S = 10.0
_TOO_LARGE = {
    "class": "user",
    "message": "The results are larger than 64 MiB; ask for fewer shots or circuits, for memory_format packed, "
    "or for meas_level 2 without memory",
    "error_code": "results_too_large",
    "executed": True,
}

Message = dict[str, Any]


def hello() -> Message:
    """The first message of a worker."""
    return {
        "m": "hello",
        "protocols": PROTOCOLS,
        "sdk": VERSION,
        "python": platform.python_version(),
        "pid": os.getpid(),
        "routines": True,
    }


class Runtime:
    """Runs one device. `deliver` is called by the thread that reads, everything else by the main thread."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._cls: type | None = None
        self._name = ""
        self._device: Any = None
        self._task: tuple[str, JobIo | CalibrationIo] | None = None
        self._stop: Message | None = None
        self._ticks: list[tuple[float, int, Callable[[], float]]] = []
        self._ids = itertools.count(1)
        self._calls: dict[str, queue.SimpleQueue[Any]] = {}
        self._absent: tuple[Message, ...] = ({}, {})
        self._described, self._description = "", None
        self._loop: Any = None
        self._measurements: Any = None
        self._log = logging.getLogger("svc_driver")

    # The thread that reads

    def deliver(self, message: Message) -> None:
        """Takes one message of the host. What concerns the running task takes effect immediately."""
        kind = message["m"]
        if kind == "cancel":
            task = self._task
            if task is not None and task[0] == message.get("task"):
                task[1]._cancel()
        elif kind == "calibrated":
            waiting = self._calls.pop(str(message.get("call")), None)
            if waiting is not None:
                waiting.put(message.get("findings"))
        else:
            if kind == "stop":
                self._stop = message
                task = self._task
                if task is not None:
                    task[1]._cancel()
                for call in list(self._calls.values()):
                    call.put(None)
            self._inbox.put(message)

    # The main thread

    def serve(self) -> None:
        """Handles messages and scheduled calls until the host stops the worker."""
        while self._step():
            pass

    def _step(self) -> bool:
        """Handles the next message, or what is due. False after the last one."""
        timeout = max(0.0, self._ticks[0][0] - time.monotonic()) if self._ticks else None
        try:
            message = self._inbox.get(timeout=timeout)
        except queue.Empty:
            self._tick()
            return True
        if message["m"] == "stop":
            self._close()
            return False
        self._handle(message)
        return True

    def _tick(self) -> None:
        now = time.monotonic()
        while self._ticks and self._ticks[0][0] <= now and self._stop is None:
            _, order, run = heapq.heappop(self._ticks)
            heapq.heappush(self._ticks, (run(), order, run))

    def _handle(self, message: Message) -> None:
        kind = message["m"]
        try:
            if kind == "describe":
                self._describe_class(message)
            elif kind == "open":
                self._open(message)
            elif kind == "run":
                self._run(message)
            elif kind == "calibrate":
                self._calibrate(message)
            elif kind == "routines":
                self._describe_routines(message)
            elif kind in ("measure", "reply", "abandon") and self._measurements is not None:
                self._measurements.handle(message)
            elif kind == "maintenance" and self._device is not None:
                self._guarded("maintenance", lambda: self._call(self._device.maintenance, bool(message.get("on"))))
        except StartupError as error:
            self._send({"m": "refused", "reasons": list(error.reasons)})
        except SystemExit as error:
            _exit(error)

    def _describe_class(self, message: Message) -> None:
        device = str(message["device"])
        try:
            self._cls = _registry.find(device)
        except _registry.UnknownDevice:
            self._send({"m": "refused", "reasons": [], "known": sorted(_registry.installed())})
            return
        self._name = _registry.class_name(device, self._cls)
        try:
            options, variables = declared_options(self._cls)
        except TypeError as error:
            raise StartupError(f"device {device}: {error}") from error
        # Absent values do not reach JSON.
        self._absent = tuple({each.key: None for each in some} for some in (options, variables))
        self._send(
            {
                "m": "described",
                "name": self._name,
                "operation": getattr(self._cls, "operation", None),
                "version": getattr(self._cls, "version", None),
                "bind": bool(getattr(self._cls, "bind", False)),
                "describes": _overrides(self._cls, "describe"),
                # A class that does not derive from `ProcessDevice` says nothing of it.
                "compiles": bool(getattr(self._cls, "compiles", True)),
                "takes_any_option": takes_any_option(self._cls),
                "job_timeout": getattr(self._cls, "job_timeout", None),
                "options": [each.wire() for each in options],
                "environment": [each.wire() for each in variables],
            }
        )

    def _describe_routines(self, message: Message) -> None:
        from ._tuning import Measurements

        self._measurements = Measurements(self._send)
        self._measurements.describe([str(path) for path in message["paths"]])

    def _open(self, message: Message) -> None:
        assert self._cls is not None
        logging.getLogger().setLevel(str(message.get("log_level") or "info").upper())
        data_dir = Path(message["data_dir"])
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
            context = Context(
                name=self._name,
                options={**self._absent[0], **message["options"]},
                raw=message["raw"],
                environment={**self._absent[1], **message["environment"]},
                data_dir=data_dir,
            )
            self._device = create(self._cls, context)
            self._start(self._cls)
        except StartupError:
            raise
        except Exception as error:
            self._log.error("device failed to start", exc_info=True)
            raise StartupError(f"startup error: {error}") from error
        if _overrides(self._cls, "describe"):
            self._describe()
            self._every(DESCRIBE_EVERY_S, self._describe, first_s=DESCRIBE_EVERY_S)
        self._send({"m": "ready"})

    def _start(self, cls: type) -> None:
        operation = getattr(cls, "operation", None)
        start = getattr(self._device, "start", None)
        if start is None:
            return
        if operation == "monitor":
            self._call(start, MonitorIo(self._emit, self._every))
        elif operation == "calibrate":
            self._call(start, TunerIo(self._emit, self._every, self._calibrate_now))
        else:
            self._call(start)

    def _run(self, message: Message) -> None:
        task, received = str(message["task"]), message["job"]
        job = Job(received["id"], received["attempt"], received["payload"], message.get("programs"))
        deadline_ms = message.get("deadline_ms")
        executions = sum(max(1, len(each.get("parameter_values") or [])) for each in job.payload["circuits"])

        def report(results: list[tuple[int, Any]]) -> None:
            # That of the only circuit follows immediately.
            if executions == 1:
                return
            found = [{"index": index, "result": result} for index, result in results]
            try:
                self._send({"m": "results", "task": task, "results": found})
            except (FrameTooLarge, UnsendableValue):
                # The end of the job says so.
                pass

        io = JobIo(
            lambda phase: self._send({"m": "phase", "task": task, "phase": phase}),
            None if deadline_ms is None else deadline_ms / 1_000,
            progress=lambda part: self._send({"m": "job_progress", "task": task, "progress": part}),
            send=report,
        )
        started = time.monotonic()
        started_at = _now()

        def work() -> Message:
            returned = io._returned(self._call(self._device.run, job, io, io=io))
            seconds = time.monotonic() - started
            metadata = {"device": self._name, "started": started_at, "finished": _now(), "seconds": seconds}
            return complete(returned, backend=self._name, executions=executions, metadata=metadata)

        retry_on = tuple(getattr(self._device, "retry_on", ()))
        failure_of = lambda error: job_failure(error, retry_on)  # noqa: E731
        self._finish(task, io, work, "results", failure_of, "job execution failed")

    def _calibrate(self, message: Message) -> None:
        task, received = str(message["task"]), message["request"]
        request = CalibrationRequest(
            received["run_id"], received["id"], received["mode"], tuple(received["target_qubits"])
        )
        io = CalibrationIo(lambda step: self._send({"m": "progress", "task": task, "step": step}))
        work = lambda: self._call(self._device.calibrate, request, io, io=io)  # noqa: E731
        self._finish(task, io, work, "findings", calibration_failure, "calibration failed")

    def _finish(
        self,
        task: str,
        io: JobIo | CalibrationIo,
        work: Callable[[], Any],
        answer: str,
        failure_of: Callable[[BaseException], Message],
        title: str,
    ) -> None:
        """Runs a task and reports its end, exactly once."""
        outer, self._task = self._task, (task, io)
        if self._stop is not None:
            io._cancel()
        try:
            end: Message = {"m": "done", "task": task, answer: work()}
        except SystemExit:
            raise
        except BaseException as error:
            if isinstance(io, JobIo):
                io._flush()
            failure = failure_of(error)
            if failure["message"].endswith("see the driver log"):
                self._log.error(title, exc_info=True)
            end = {"m": "failed", "task": task, "error": failure}
        finally:
            self._task = outer
        # The result does not wait for the description, which follows it; the next job does.
        describes = _overrides(type(self._device), "describe")
        end["describes"] = describes
        failed: Message = {"m": "failed", "task": task, "describes": describes}
        try:
            self._send(end)
        except FrameTooLarge:
            self._send({**failed, "error": _TOO_LARGE})
        except UnsendableValue as error:
            unsendable = not_finite(end.get(answer))
            failure = job_failure(unsendable) if unsendable else failure_of(error)
            self._send({**failed, "error": failure})
        if describes and not self._describe():
            self._send({"m": "description", "description": self._description})

    def _close(self) -> None:
        stop = getattr(self._device, "stop", None)
        if stop is not None:
            extend = lambda seconds, reason: self._send({"m": "extend", "seconds": seconds, "reason": reason})  # noqa: E731
            self._guarded("device failed to close", lambda: self._call(stop, StopIo(extend)))
        if self._loop is not None:
            self._loop.close()
        self._send({"m": "stopped"})

    # What devices use

    def _emit(self, type: str, payload: Message) -> None:
        try:
            self._send({"m": "event", "type": type, "payload": payload})
        except UnsendableValue as error:
            path = error.path.removeprefix("payload.")
            raise ValueError(f"event {type}: {path} is not a finite number, text or truth value") from None

    def _every(self, seconds: float, function: Callable[[], object], *, first_s: float = 0.0) -> None:
        beat = time.monotonic() + first_s

        def run() -> float:
            nonlocal beat
            self._guarded("scheduled call failed", lambda: self._call(function))
            now = time.monotonic()
            # Ticks during a running call are skipped.
            beat += max(1, int((now - beat) // seconds) + 1) * seconds
            return beat

        heapq.heappush(self._ticks, (beat, next(self._ids), run))

    def _calibrate_now(self, mode: str, target_qubits: list[str]) -> Message | None:
        if self._stop is not None:
            return None
        if self._loop is not None and self._loop.is_running():
            raise RuntimeError("calibrate_now() would wait for itself in a coroutine; call it from a function")
        call = str(next(self._ids))
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._calls[call] = answer
        self._send({"m": "calibrate_now", "call": call, "mode": mode, "target_qubits": target_qubits})
        if threading.current_thread() is not threading.main_thread():
            return _findings(answer.get())
        # The calibration itself runs on this thread, so messages are handled here meanwhile.
        while answer.empty() and self._stop is None:
            try:
                message = self._inbox.get(timeout=0.05)
            except queue.Empty:
                continue
            if message["m"] == "stop":
                self._inbox.put(message)
                return None
            self._handle(message)
        return _findings(answer.get()) if not answer.empty() else None

    def _describe(self) -> bool:
        """Sends the description of a process device if it has changed; whether it was sent."""
        before = self._described

        def ask() -> None:
            description = self._call(self._device.describe)
            text = json.dumps(description, default=str)
            if description is not None and text != self._described:
                self._send({"m": "description", "description": description})
                self._described, self._description = text, description

        self._guarded("the device could not be described", ask)
        return self._described != before

    # Calls into the device

    def _guarded(self, title: str, work: Callable[[], object]) -> None:
        """Runs what must not end the worker; an error is logged."""
        try:
            work()
        except Cancelled:
            pass
        except Exception:
            self._log.warning(title, exc_info=True)

    def _call(self, function: Callable[..., Any], *args: Any, io: JobIo | CalibrationIo | None = None) -> Any:
        """Calls a function of the device that may be a generator, a coroutine or both."""
        returned = function(*args)
        if inspect.isgenerator(returned):
            return [_yielded(io, index, each) for index, each in enumerate(returned)]
        if inspect.isasyncgen(returned):
            returned = _collect(returned, io)
        return self._await(returned, io) if inspect.isawaitable(returned) else returned

    def _await(self, awaitable: Any, io: JobIo | CalibrationIo | None) -> Any:
        import asyncio

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        loop = self._loop

        async def work() -> Any:
            if io is not None:
                task = asyncio.current_task()
                assert task is not None
                io._on_cancel = lambda: loop.call_soon_threadsafe(task.cancel)
                io.check()
            return await awaitable

        try:
            return loop.run_until_complete(work())
        except asyncio.CancelledError:
            raise Cancelled from None
        finally:
            if io is not None:
                io._on_cancel = None


async def _collect(generator: Any, io: JobIo | CalibrationIo | None) -> list[Any]:
    found: list[Any] = []
    async for each in generator:
        found.append(_yielded(io, len(found), each))
    return found


def _yielded(io: JobIo | CalibrationIo | None, index: int, each: Any) -> Any:
    """What a generator yields; the results of a job are reported."""
    if isinstance(io, JobIo):
        io._add(index, each)
    return each


def _findings(value: Any) -> Message | None:
    return dict(value) if isinstance(value, dict) else None


def _overrides(cls: type, name: str) -> bool:
    """Whether a class has a function of its own in the place of one of `Device`."""
    found = getattr(cls, name, None)
    return found is not None and getattr(found, "__module__", "") != "svc_driver._device"


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def _exit(error: SystemExit) -> NoReturn:
    code = error.code
    if isinstance(code, str):
        traceback.print_exception(error)
    os._exit(0 if code is None else code if isinstance(code, int) else 1)
