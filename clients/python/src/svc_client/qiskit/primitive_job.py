"""Jobs of the primitives."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from qiskit.primitives import BasePrimitiveJob, PrimitiveResult
from qiskit.providers import JobStatus
from qiskit.providers.jobstatus import JOB_FINAL_STATES

from .._errors import NotFoundError, NotPendingError, SvcError
from .._models import iso
from .._packing import Part, jobs_of
from .._result import CircuitResult, Result
from .._sync.job import Job
from .._sync.transport import segment
from .job import status_of
from .notes import note_of, with_note

if TYPE_CHECKING:
    from qiskit.transpiler import Target

    from .._sync.client import SvcClient
    from .backend import SvcBackend
    from .modes import Opened
    from .properties import Properties

Plan = Mapping[str, Any]


class SvcPrimitiveJob(BasePrimitiveJob[PrimitiveResult[Any], JobStatus]):
    """The jobs of one call of a primitive: one, or several where a limit of the server requires it.

    ``job_id()`` has the ids of all, separated by commas: ``SvcPrimitiveJob.restore(client, ids)`` makes the same
    object in another process. ``svc`` has the jobs as the client knows them.
    """

    def __init__(self, client: SvcClient, jobs: Sequence[Job], plan: Plan, mode: Opened | None = None) -> None:
        super().__init__(",".join(job.id for job in jobs))
        self.svc = tuple(jobs)
        self._client = client
        self._plan = plan
        self._backend = None if mode is None else mode.svc_backend
        self._result: PrimitiveResult[Any] | None = None

    @classmethod
    def restore(cls, client: SvcClient, ids: str | Sequence[str]) -> SvcPrimitiveJob:
        """The jobs of a call of a primitive that was made before, in this process or another.

        Args:
            ids: ``job_ids``, or ``job_id()`` with commas; in any order. Within 24 hours, one of them is enough.

        Raises:
            ValueError: ids are missing, or are not those of one call of a primitive.
            NotFoundError: there is no such job.
        """
        given = [each.strip() for each in ids.split(",")] if isinstance(ids, str) else list(ids)
        found = [client.job(each) for each in given]
        notes = [note_of(job.circuits()[0]) for job in found]
        if not found or any(note is None for note in notes) or len({note["call"] for note in notes}) != 1:
            raise ValueError(f"{', '.join(given) or 'No id'}: expected the ids of one call of a primitive")
        ordered = {note["index"]: job for note, job in zip(notes, found)}
        for index in set(range(notes[0]["jobs"])) - set(ordered):
            with suppress(NotFoundError):
                job = client.resume(_key(notes[0]["call"], index))
                ordered[index], found, notes = job, [*found, job], [*notes, note_of(job.circuits()[0])]
        if len(ordered) != notes[0]["jobs"] or len(found) != len(ordered):
            raise ValueError(f"The call made {notes[0]['jobs']} jobs; pass the ids of all of them, each once")
        plan = next(note["plan"] for note in notes if note["index"] == 0)
        return cls(client, [ordered[index] for index in sorted(ordered)], plan)

    @property
    def job_ids(self) -> list[str]:
        """The ids of its jobs, in order."""
        return [job.id for job in self.svc]

    def result(self, timeout: float | None = None, progress: bool | None = None) -> PrimitiveResult[Any]:
        """Waits and returns the results, one for each pub.

        Args:
            timeout: seconds; no limit unless given.
            progress: whether to show the state meanwhile; by default in a terminal or a notebook.

        Raises:
            JobFailedError, JobCancelledError, JobTimeout: as ``Job.result``.
        """
        if self._result is None:
            self._keep(self._client.wait(self.svc, timeout=timeout, progress=progress))
            results = [job.result() for job in self.svc]
            circuits = [circuit for result in results for circuit in result]
            pubs = _assembler(self._plan["kind"])(self._plan, circuits)
            self._result = PrimitiveResult(pubs, metadata={"version": 2, "svc": _origin(results)})
        return self._result

    def backend(self) -> SvcBackend:
        """The QPU that runs the jobs or that they ask for."""
        if self._backend is None:
            from .backend import SvcBackend  # noqa: PLC0415

            self._backend = SvcBackend(self._client, self.svc[0].qpu or "")
        return self._backend

    @property
    def primitive_id(self) -> str:
        """``sampler`` or ``estimator``."""
        return str(self._plan["kind"])

    @property
    def creation_date(self) -> datetime:
        """When the first of its jobs was submitted, in local time."""
        return min(job.created for job in self.svc).astimezone()

    @property
    def tags(self) -> list[str]:
        """The tags of its jobs."""
        return list(self.svc[0].tags)

    def update_tags(self, new_tags: Sequence[str]) -> list[str]:
        """Replaces the tags of its jobs; returns them as they are then. Raises InvalidRequestError."""
        for job in self.svc:
            body = {"tags": list(new_tags)}
            self._client._transport.request("PATCH", f"/api/jobs/{segment(job.id)}", body=body, is_repeatable=True)
        self.svc = tuple(job.refresh() for job in self.svc)
        return self.tags

    @property
    def inputs(self) -> dict[str, Any]:
        """The programs that were submitted, with their parameter values and shots, and the options of the jobs."""
        paths = [f"/api/jobs/{segment(job.id)}" for job in self.svc]
        payloads = [self._client._transport.read(path, "results")["payload"] for path in paths]
        options = {key: value for key, value in payloads[0].items() if key != "circuits"}
        return {"circuits": [each for payload in payloads for each in payload["circuits"]], "options": options}

    def metrics(self) -> dict[str, Any]:
        """Times and use of its jobs together.

        Returns:
            ``timestamps``: ``created``, ``running`` (of the first that runs) and ``finished`` (of the last), in UTC as
            text, None if not yet; ``usage``: ``quantum_seconds`` that the jobs ran, ``charged_seconds`` and ``status``
            (``pending`` until all have ended); ``executions``, ``attempts`` and ``job_ids``.
        """
        self._refresh()
        starts = [job.started for job in self.svc if job.started is not None]
        ends = [job.finished for job in self.svc if job.finished is not None]
        is_done = all(job.done() for job in self.svc)
        return {
            "timestamps": {
                "created": iso(min(job.created for job in self.svc)),
                "running": iso(min(starts)) if starts else None,
                "finished": iso(max(ends)) if is_done and ends else None,
            },
            "usage": {
                "quantum_seconds": sum(float(job.raw.get("duration") or 0) for job in self.svc),
                "charged_seconds": sum(job.charged_seconds or 0.0 for job in self.svc),
                "status": "completed" if is_done else "pending",
            },
            "attempts": sum(job.attempt for job in self.svc),
            "job_ids": self.job_ids,
        }

    def usage(self, partial: bool = False) -> float:
        """Seconds of QPU time that were charged; 0 until all of its jobs have ended.

        Args:
            partial: also count those that have ended while others have not.
        """
        usage = self.metrics()["usage"]
        return float(usage["charged_seconds"]) if partial or usage["status"] == "completed" else 0.0

    def queue_position(self) -> int | None:
        """The position of the first of its jobs that are pending, 1 = next; None if none is in a queue."""
        self._refresh()
        positions = [job.queue_position for job in self.svc if job.queue_position is not None]
        return min(positions, default=None)

    def error_message(self) -> str | None:
        """Why its jobs have failed, of the first that has; None if none has."""
        self._refresh()
        return next((job.error.message for job in self.svc if job.error is not None), None)

    def properties(self, refresh: bool = False) -> Properties:
        """The properties of the QPU when the first of its jobs began to run; those of now before that."""
        return self.backend().properties(refresh, self._started())

    def target(self) -> Target:
        """The target of the QPU with the values of that time, as ``properties``."""
        return self.backend().target_history(self._started())

    def _started(self) -> datetime | None:
        return min((job.started for job in self.svc if job.started is not None), default=None)

    def wait_for_final_state(self, timeout: float | None = None) -> None:
        """Waits until all its jobs have ended, in any state. Raises JobTimeout after ``timeout`` s; they go on."""
        self._keep(self._client.wait(self.svc, timeout=timeout))

    def status(self) -> JobStatus:
        """The state of all its jobs together, read from the server until they have ended."""
        self._refresh()
        return status_of(self.svc)

    def _refresh(self) -> None:
        self._keep(job if job.done() else job.refresh() for job in self.svc)

    def _keep(self, jobs: Iterable[Job]) -> None:
        self.svc = tuple(jobs)

    def done(self) -> bool:
        """Whether all its jobs are completed."""
        return self.status() is JobStatus.DONE

    def running(self) -> bool:
        """Whether one of its jobs runs."""
        return self.status() is JobStatus.RUNNING

    def cancelled(self) -> bool:
        """Whether one of its jobs was cancelled."""
        return self.status() is JobStatus.CANCELLED

    def errored(self) -> bool:
        """Whether one of its jobs has failed."""
        return self.status() is JobStatus.ERROR

    def in_final_state(self) -> bool:
        """Whether all its jobs have ended, or one has failed or was cancelled."""
        return self.status() in JOB_FINAL_STATES

    def cancel(self) -> bool:
        """Cancels the jobs that are pending. Returns whether there were any; others go on."""
        states = [_cancel(job) for job in self.svc]
        self.svc = tuple(job for job, _ in states)
        return any(is_cancelled for _, is_cancelled in states)

    def __repr__(self) -> str:
        return f"<SvcPrimitiveJob {self.job_id()}>"


def submit(mode: Opened, parts: Sequence[Part], plan: Plan, stored: Plan, **options: Any) -> SvcPrimitiveJob:
    """Submits parts as one call of a primitive.

    Args:
        mode: where to.
        plan: how the results of the parts make the results of the call.
        stored: the same as JSON, for other processes.
        options: of ``SvcClient.submit_job``.
    """
    backend = mode.svc_backend
    if mode.context is not None:
        mode.context._assert_open()
    client, call = backend.client, str(uuid.uuid4())
    jobs: list[Job] = []
    divided = jobs_of(parts, backend.max_circuits)
    seed = options.pop("seed", None)
    try:
        for index, circuits in enumerate(divided):
            note = {"call": call, "index": index, "jobs": len(divided), **({} if index else {"plan": stored})}
            submitted = client.submit_job(
                [with_note(circuits[0], note), *circuits[1:]],
                qpu=backend.qpu,
                # Jobs with the same seed would have the same random numbers.
                seed=None if seed is None else seed + index,
                session=None if mode.context is None else mode.context._held,
                idempotency_key=_key(call, index),
                **options,
            )
            jobs.append(submitted)
    except SvcError:
        # Nobody has a use for some of the results.
        with suppress(SvcError):
            for each in jobs:
                _cancel(each)
        raise
    job = SvcPrimitiveJob(client, jobs, plan, mode)
    if mode.context is not None:
        mode.context._jobs.append(job)
    return job


def _key(call: str, index: int) -> str:
    """The idempotency key of a job of a call."""
    return f"{call}.{index}"


def _cancel(job: Job) -> tuple[Job, bool]:
    """Cancels a job if it is pending; returns it as it is then, and whether it was."""
    try:
        return job.cancel(), True
    except NotPendingError:
        return job.refresh(), False


def _assembler(kind: str) -> Callable[[Plan, Sequence[CircuitResult]], list[Any]]:
    from .estimator import estimated  # noqa: PLC0415
    from .sampler import sampled  # noqa: PLC0415

    return {"sampler": sampled, "estimator": estimated}[kind]


def _origin(results: Sequence[Result]) -> dict[str, Any]:
    return {"job_ids": [each.job_id for each in results], "provenance": [each.provenance for each in results]}
