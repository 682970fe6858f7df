"""The worker's side of calibration routines: imports them, and runs each measurement in a thread of its own."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from ._errors import Cancelled, StartupError
from ._frames import FrameTooLarge, UnsendableValue
from ._imports import imported_files, loaded_modules
from ._registry import import_attribute
from .tuning import Context, Finding, Routine, RoutineError, describe

Message = dict[str, Any]


class Measurements:
    """The routines of one tuner. A measurement waits whenever it asks for something, so one thread at a time works."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._routines: dict[str, type[Routine]] = {}
        self._replies: dict[int, queue.SimpleQueue[Message | None]] = {}
        self._log = logging.getLogger("svc_driver")

    def describe(self, paths: list[str]) -> None:
        """Imports the routines and sends what they declare, with the files that they consist of."""
        before = loaded_modules()
        described: list[Message] = []
        refused: list[str] = []
        for path in paths:
            try:
                described.append(self._import(path))
            except StartupError as error:
                refused += error.reasons
        if refused:
            raise StartupError(refused)
        names = [path.split(":")[0] for path in paths]
        self._send({"m": "routines", "routines": described, "files": imported_files(names, before)})

    def _import(self, path: str) -> Message:
        cls = import_attribute(f"routine {path}", *path.split(":"))
        if not (isinstance(cls, type) and issubclass(cls, Routine)):
            raise StartupError(f"routine {path} is no routine; derive a class from svc_driver.tuning.Routine")
        self._routines[path] = cls
        try:
            return describe(cls, path)
        except (AttributeError, TypeError, ValueError) as error:
            raise StartupError(f"routine {path}: {error}") from error

    def handle(self, message: Message) -> None:
        """Takes the start of a measurement, a reply to its request, or its end from outside."""
        call = int(message["call"])
        if message["m"] == "measure":
            self._replies[call] = queue.SimpleQueue()
            threading.Thread(target=self._run, args=(call, message), name=f"measurement {call}", daemon=True).start()
        elif (replies := self._replies.get(call)) is not None:
            replies.put(message if message["m"] == "reply" else None)

    def _run(self, call: int, started: Message) -> None:
        path = started["routine"]
        try:
            end = self._measure(call, started)
        except Cancelled:
            return
        except RoutineError as error:
            end = {"m": "unmeasured", "code": str(error.code)[:100], "message": str(error)[:4_000]}
        except BaseException as error:
            # Also SystemExit, which would end this thread without a word.
            self._log.error("routine failed by a defect", exc_info=True, extra={"routine": path, "target": started["target"]})
            end = {"m": "unmeasured", "code": "internal", "message": f"{type(error).__name__}: see the driver log"}
        finally:
            self._replies.pop(call, None)
        self._end(call, end)

    def _end(self, call: int, end: Message) -> None:
        try:
            self._send({**end, "call": call})
        except UnsendableValue as error:
            message = f"the routine found a value that is no finite number, at {error.path}"
            self._send({"m": "unmeasured", "call": call, "code": "invalid_result", "message": message})
        except FrameTooLarge:
            message = "what the routine found is larger than 64 MiB"
            self._send({"m": "unmeasured", "call": call, "code": "invalid_result", "message": message})

    def _measure(self, call: int, started: Message) -> Message:
        context = Context(started, lambda what, **parts: self._ask(call, {"ask": what, **parts}))
        routine = self._routines[started["routine"]]()
        if started["what"] == "check":
            assert routine.check is not None
            return {"m": "checked", "margin": abs(float(routine.check(context)))}
        finding = routine.measure(context)
        if not isinstance(finding, Finding):
            raise TypeError(f"measure() returned {type(finding).__name__}; expected a Finding")
        return {"m": "found", "finding": finding._wire()}

    def _ask(self, call: int, request: Message) -> Any:
        replies = self._replies[call]
        self._send({"m": "request", "call": call, "request": request})
        reply = replies.get()
        if reply is None:
            raise Cancelled
        error = reply.get("error")
        if error is not None:
            raise RoutineError(error["code"], error["message"])
        return reply.get("value")
