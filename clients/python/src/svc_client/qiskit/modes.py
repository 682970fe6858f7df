"""How the jobs of primitives reach a QPU: one by one, within a session or a booking, or as a batch."""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from qiskit.primitives import PrimitiveResult

from .._errors import NotFoundError
from .._models import QpuSession, Slot, iso
from .._sync.sessions import SessionMode

if TYPE_CHECKING:
    from .._sync.client import SvcClient
    from .backend import SvcBackend
    from .primitive_job import SvcPrimitiveJob

ContextT = TypeVar("ContextT", bound="_Context")
_OPEN: ContextVar[tuple[_Context, ...]] = ContextVar("svc_client_open", default=())


class _Context:
    """What sessions and batches have in common: a QPU, and the jobs that are submitted through them."""

    def __init__(self, backend: SvcBackend, held: QpuSession | None) -> None:
        self._backend = backend
        # None: a booking, or a server that is older than sessions.
        self._held = held
        # That of a batch job is not ended here.
        self._is_own = held is not None and held.secret != self.service._credentials.session
        self._jobs: list[SvcPrimitiveJob] = []
        self._is_closed = False

    @property
    def service(self) -> SvcClient:
        """The client of the server."""
        return self._backend.client

    @property
    def session_id(self) -> str:
        """The id of the session; of a booking, that of its slot."""
        return "" if self._held is None else self._held.id

    @property
    def jobs(self) -> list[SvcPrimitiveJob]:
        """The jobs that were submitted, in order."""
        return list(self._jobs)

    def backend(self) -> str:
        """The name of the QPU."""
        return str(self._backend.name)

    def close(self) -> None:
        """Takes no further jobs. Those that were submitted go on, and with the last one the session ends."""
        self._is_closed = True
        self._end(when_done=True)

    def cancel(self) -> None:
        """Takes no further jobs, cancels those that are pending, and ends the session."""
        self._is_closed = True
        for job in self._jobs:
            job.cancel()
        self._end()

    def status(self) -> str:
        """``Pending``, ``In progress, accepting new jobs``, ``In progress, not accepting new jobs`` or ``Closed``."""
        state = self._state()
        if state == "closed":
            return "Closed"
        return "Pending" if state == "queued" else f"In progress, {'not ' if self._is_closed else ''}accepting new jobs"

    def details(self) -> dict[str, Any]:
        """Id, QPU, times, state and use; ``max_time`` is how long it lasts in seconds."""
        state = self._state()
        held = self._held
        return {
            "id": self.session_id,
            "backend_name": self._backend.name,
            "max_time": None if held is None else held.seconds,
            "state": "closed" if state == "closed" else "active",
            "accepting_jobs": not self._is_closed and state != "closed",
            "started_at": None if held is None else held.raw["activated_at"] or None,
            "closed_at": None if held is None or held.ends_at is None else iso(held.ends_at),
            "mode": "dedicated" if isinstance(self, Session) else "batch",
            "usage_time": self.usage(),
        }

    def usage(self) -> float:
        """Seconds charged: for the jobs that have ended, and for the time for which an exclusive session was active."""
        self._state()
        return sum(job.usage() for job in self._jobs) + (0 if self._held is None else self._held.held_seconds)

    def results(self, timeout: float | None = None, progress: bool | None = None) -> list[PrimitiveResult[Any]]:
        """Waits for all jobs together, many with one request, and returns their results in order.

        Args:
            timeout: seconds for all together; no limit unless given.
            progress: whether to show the state meanwhile; by default in a terminal or a notebook.

        Raises:
            JobFailedError, JobCancelledError, JobTimeout: as ``Job.result``.
        """
        parts = [part for job in self._jobs for part in job.svc]
        ended = {part.id: part for part in self.service.wait(parts, timeout=timeout, progress=progress)}
        for job in self._jobs:
            job.svc = tuple(ended[part.id] for part in job.svc)
        return [job.result() for job in self._jobs]

    def _state(self) -> str:
        """Its state, as the server says; that of a batch without session follows from its jobs."""
        if self._held is None:
            return "closed" if self._is_closed and all(job.in_final_state() for job in self._jobs) else "active"
        self._held = self.service.sessions.get(self._held)
        return self._held.state

    def _end(self, when_done: bool = False) -> None:
        if self._held is not None and self._is_own:
            self._is_own = when_done
            self.service._end(self._held, when_done)

    def _assert_open(self) -> None:
        if self._is_closed:
            raise RuntimeError(f"This {type(self).__name__} is closed; make another one")

    def __enter__(self: ContextT) -> ContextT:
        self._assert_open()
        _OPEN.set((*_OPEN.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _OPEN.set(tuple(each for each in _OPEN.get() if each is not self))
        self.close()
        if error is not None:
            self._end()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._backend.name}: {len(self._jobs)} jobs>"


class Session(_Context):
    """A QPU that is held for its jobs: between them no others start.

    With a current booking of the account on the QPU it is that booking, which ``close`` does not end, and in a batch job
    the session of ``SVC_SESSION``. Otherwise it starts an exclusive session, or joins the open one of the account, whose
    time is charged while it is active. It does not wait until it is active: the first job does.

    What differs from sessions of qiskit-ibm-runtime: the session is opened when it is made rather than by the first job.

    Args:
        backend: the QPU.
        max_time: seconds that it lasts after its first activation.

    Raises:
        ConflictError: with a code such as ``session_open``, where a batch is open, or ``no_balance``.
        NotFoundError: with code ``no_sessions``: the server is older than this client.
    """

    def __init__(self, backend: SvcBackend, max_time: int = 3600) -> None:
        is_given = backend.client._credentials.session is not None
        self._slot = None if is_given else _current_slot(backend)
        super().__init__(backend, None if self._slot else _held(backend, "exclusive", max_time))

    @property
    def session_id(self) -> str:
        """The id of the session; of a booking, that of its slot."""
        return super().session_id if self._slot is None else self._slot.id

    @property
    def slot(self) -> Slot | None:
        """The booking, if it is one."""
        return self._slot

    def details(self) -> dict[str, Any]:
        """Id, QPU, times, state and use; ``max_time`` is how long it lasts in seconds."""
        found = super().details()
        if self._slot is not None:
            start, end = self._slot.start, self._slot.end
            found |= {"max_time": (end - start).total_seconds(), "started_at": iso(start), "closed_at": iso(end)}
        return found

    def _state(self) -> str:
        if self._slot is None:
            return super()._state()
        return "closed" if _now() >= self._slot.end else "active"

    def _assert_open(self) -> None:
        super()._assert_open()
        if self._slot is not None and _now() >= self._slot.end:
            raise RuntimeError(f"The booking of QPU {self._backend.name} ended at {iso(self._slot.end)}; make another Session")


class Batch(_Context):
    """Jobs that are submitted one after the other without waiting, and awaited together.

    They go first on the QPU while jobs of others run between them, and each is charged: a session of mode ``batch``; in a
    batch job it is that of ``SVC_SESSION``. ``results`` waits for all of them with requests for up to 500 jobs. With a
    server that is older than sessions, its jobs stand in the queue like any others.

    Args:
        backend: the QPU.
        max_time: seconds that it lasts after its first activation.

    Raises:
        ConflictError: with code ``session_open``, where an exclusive session is open.
    """

    def __init__(self, backend: SvcBackend, max_time: int = 3600) -> None:
        try:
            held = _held(backend, "batch", max_time)
        except NotFoundError as error:
            if error.code != "no_sessions":
                raise
            held = None
        super().__init__(backend, held)


def _held(backend: SvcBackend, mode: SessionMode, seconds: int) -> QpuSession:
    client = backend.client
    if client._credentials.session is not None:
        return client._given(client._credentials.session, backend.qpu)
    return client.sessions.start(backend.qpu, seconds=seconds, mode=mode)


Mode = Union["SvcBackend", Session, Batch, None]


@dataclass(frozen=True)
class Opened:
    """Where a primitive submits its jobs."""

    svc_backend: SvcBackend
    context: Any


def opened(mode: Mode) -> Opened:
    """The QPU of a mode, and its session or batch.

    Raises:
        TypeError: there is no mode, no ``with`` statement of a session or a batch around, and no QPU in the environment.
    """
    if mode is None:
        contexts = _OPEN.get()
        if not contexts:
            return Opened(_usual_backend(*(os.environ.get(name) for name in _VARIABLES)), None)
        return Opened(contexts[-1]._backend, contexts[-1])
    if isinstance(mode, _Context):
        return Opened(mode._backend, mode)
    if not hasattr(mode, "client"):
        raise TypeError(f"mode is {mode!r}; expected a backend of client.get_backend(name), a Session or a Batch")
    return Opened(mode, None)


_VARIABLES = ("SVC_ADDR", "SVC_API_TOKEN", "SVC_SESSION", "SVC_QPU")


@cache
def _usual_backend(address: str | None, token: str | None, session: str | None, qpu: str | None) -> SvcBackend:
    """The QPU of the environment; the same one for all primitives of a process, so that they share its connection."""
    if not (session or qpu):
        raise TypeError("mode is missing: pass the backend, a Session or a Batch, or set SVC_QPU")
    from .._sync.client import SvcClient  # noqa: PLC0415

    return SvcClient().get_backend()


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _current_slot(backend: SvcBackend) -> Slot | None:
    """The running booking of the account on a QPU."""
    client, now = backend.client, _now()
    own = client.me().id
    # Texts of the server's times can be compared: the ends of all that are not over.
    after = iso(now).replace("T", " ")
    found = client.collection("time_slots").list(
        filter=f"booked_by = '{own}' && end_time > '{after}' && (qpu = '{backend.qpu.id}' || qpu = '')",
        sort="start_time",
        per_page=100,
    )
    slots = [Slot.of(each) for each in found.items]
    return next((slot for slot in slots if slot.start <= now < slot.end), None)
