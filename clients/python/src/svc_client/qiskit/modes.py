"""How the jobs of primitives reach a QPU: one by one, within a booking, or as a batch."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timezone
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from qiskit.primitives import PrimitiveResult

from .._models import Slot, iso

if TYPE_CHECKING:
    from .._sync.client import SvcClient
    from .backend import SvcBackend
    from .primitive_job import SvcPrimitiveJob

ContextT = TypeVar("ContextT", bound="_Context")
_OPEN: ContextVar[tuple[_Context, ...]] = ContextVar("svc_client_open", default=())


class _Context:
    """What sessions and batches have in common: a QPU, and the jobs that are submitted through them."""

    def __init__(self, backend: SvcBackend) -> None:
        self._backend = backend
        self._jobs: list[SvcPrimitiveJob] = []
        self._is_closed = False

    @property
    def service(self) -> SvcClient:
        """The client of the server."""
        return self._backend.client

    @property
    def jobs(self) -> list[SvcPrimitiveJob]:
        """The jobs that were submitted, in order."""
        return list(self._jobs)

    def backend(self) -> str:
        """The name of the QPU."""
        return str(self._backend.name)

    def close(self) -> None:
        """Takes no further jobs. Those that were submitted go on."""
        self._is_closed = True

    def cancel(self) -> None:
        """Takes no further jobs, and cancels those that are pending."""
        self.close()
        for job in self._jobs:
            job.cancel()

    def usage(self) -> float:
        """Seconds charged for the jobs that have ended."""
        return sum(job.usage() for job in self._jobs)

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


class Session(_Context):
    """The current booking of the account on a QPU, in which its jobs run before those of others.

    What differs from sessions of qiskit-ibm-runtime: a session is not opened by the first job and has no priority of
    its own. The QPU is booked (``client.book``), and within the booked time the jobs of whoever booked it run first,
    in the order of their submission. A session therefore begins and ends with its booking, which ``close`` does not
    end: what is left of it is given back with **End now** of the calendar. Jobs that are pending when the booking ends
    stay in the queue. Outside of a booking, submit jobs without a session.

    Args:
        backend: the QPU.

    Raises:
        RuntimeError: the account has no booking now; the text says how to book, and when its next one begins.
    """

    def __init__(self, backend: SvcBackend) -> None:
        super().__init__(backend)
        self._slot = _current_slot(backend)

    @property
    def session_id(self) -> str:
        """The id of the booking."""
        return self._slot.id

    @property
    def slot(self) -> Slot:
        """The booking."""
        return self._slot

    def status(self) -> str:
        """``In progress, accepting new jobs``, ``In progress, not accepting new jobs`` or ``Closed``."""
        if _now() >= self._slot.end:
            return "Closed"
        return f"In progress, {'not ' if self._is_closed else ''}accepting new jobs"

    def details(self) -> dict[str, Any]:
        """Id, QPU, times and state; ``max_time`` is the length of the booking in seconds."""
        return {
            "id": self._slot.id,
            "backend_name": self._backend.name,
            "max_time": (self._slot.end - self._slot.start).total_seconds(),
            "state": "closed" if self.status() == "Closed" else "active",
            "accepting_jobs": not self._is_closed and _now() < self._slot.end,
            "started_at": iso(self._slot.start),
            "closed_at": iso(self._slot.end),
            "mode": "dedicated",
            "usage_time": self.usage(),
        }

    def _assert_open(self) -> None:
        super()._assert_open()
        if _now() >= self._slot.end:
            raise RuntimeError(f"The booking of QPU {self._backend.name} ended at {iso(self._slot.end)}; {_how(self._backend)}")

    def __repr__(self) -> str:
        return f"<Session {self._backend.name} until {iso(self._slot.end)}>"


class Batch(_Context):
    """Jobs that are submitted one after the other without waiting, and awaited together.

    What differs from batches of qiskit-ibm-runtime: the server has no object for a batch. Its jobs stand in the queue
    in the order of their submission, like any others, so that jobs of other accounts may run between them; book the
    QPU to avoid that. ``results`` waits for all of them with requests for up to 500 jobs.

    Args:
        backend: the QPU.
    """

    def status(self) -> str:
        """``In progress, accepting new jobs``, ``In progress, not accepting new jobs`` or ``Closed``."""
        if self._is_closed and all(job.in_final_state() for job in self._jobs):
            return "Closed"
        return f"In progress, {'not ' if self._is_closed else ''}accepting new jobs"

    def details(self) -> dict[str, Any]:
        """QPU, state and use."""
        return {
            "backend_name": self._backend.name,
            "state": "closed" if self.status() == "Closed" else "active",
            "accepting_jobs": not self._is_closed,
            "mode": "batch",
            "usage_time": self.usage(),
        }

    def __repr__(self) -> str:
        return f"<Batch {self._backend.name}: {len(self._jobs)} jobs>"


Mode = Union["SvcBackend", Session, Batch, None]


@dataclass(frozen=True)
class Opened:
    """Where a primitive submits its jobs."""

    svc_backend: SvcBackend
    context: Any


def opened(mode: Mode) -> Opened:
    """The QPU of a mode, and its session or batch.

    Raises:
        TypeError: there is no mode, and no ``with`` statement of a session or a batch around.
    """
    if mode is None:
        contexts = _OPEN.get()
        if not contexts:
            raise TypeError("mode is missing: pass the backend, a Session or a Batch")
        mode = contexts[-1]  # type: ignore[assignment]
    if isinstance(mode, _Context):
        return Opened(mode._backend, mode)
    if not hasattr(mode, "client"):
        raise TypeError(f"mode is {mode!r}; expected a backend of client.get_backend(name), a Session or a Batch")
    return Opened(mode, None)  # type: ignore[arg-type]


def _now() -> datetime:
    return datetime.now(timezone.utc)


def _how(backend: SvcBackend) -> str:
    return f'book it: client.book("{backend.name}", start, end)'


def _current_slot(backend: SvcBackend) -> Slot:
    """The running booking of the account on a QPU. Raises RuntimeError without one."""
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
    for slot in slots:
        if slot.start <= now < slot.end:
            return slot
    next_one = f"; your next one begins at {iso(slots[0].start)}" if slots else ""
    raise RuntimeError(f"You have no booking of QPU {backend.name} now{next_one}; {_how(backend)}")
