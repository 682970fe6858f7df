"""Jobs of the primitives."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from qiskit.primitives import BasePrimitiveJob, PrimitiveResult
from qiskit.providers import JobStatus
from qiskit.providers.jobstatus import JOB_FINAL_STATES

from .._errors import NotPendingError, SvcError
from .._packing import Part, jobs_of
from .._result import CircuitResult, Result
from .._sync.job import Job
from .job import status_of
from .notes import note_of, with_note

if TYPE_CHECKING:
    from .._sync.client import SvcClient
    from .backend import SvcBackend

Plan = Mapping[str, Any]


class SvcPrimitiveJob(BasePrimitiveJob[PrimitiveResult[Any], JobStatus]):
    """The jobs of one call of a primitive: one, or several where a limit of the server requires it.

    ``job_id()`` has the ids of all, separated by commas: ``SvcPrimitiveJob.restore(client, ids)`` makes the same
    object in another process. ``svc`` has the jobs as the client knows them.
    """

    def __init__(self, client: SvcClient, jobs: Sequence[Job], plan: Plan) -> None:
        super().__init__(",".join(job.id for job in jobs))
        self.svc = tuple(jobs)
        self._client = client
        self._plan = plan
        self._result: PrimitiveResult[Any] | None = None

    @classmethod
    def restore(cls, client: SvcClient, ids: str | Sequence[str]) -> SvcPrimitiveJob:
        """The jobs of a call of a primitive that was made before, in this process or another.

        Args:
            ids: ``job_ids``, or ``job_id()`` with commas; in any order.

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
            self.svc = tuple(self._client.wait(self.svc, timeout=timeout, progress=progress))
            results = [job.result() for job in self.svc]
            circuits = [circuit for result in results for circuit in result]
            pubs = _assembler(self._plan["kind"])(self._plan, circuits)
            self._result = PrimitiveResult(pubs, metadata={"version": 2, "svc": _origin(results)})
        return self._result

    def status(self) -> JobStatus:
        """The state of all its jobs together, read from the server until they have ended."""
        self.svc = tuple(job if job.done() else job.refresh() for job in self.svc)
        return status_of(self.svc)

    def done(self) -> bool:
        return self.status() is JobStatus.DONE

    def running(self) -> bool:
        return self.status() is JobStatus.RUNNING

    def cancelled(self) -> bool:
        return self.status() is JobStatus.CANCELLED

    def in_final_state(self) -> bool:
        return self.status() in JOB_FINAL_STATES

    def cancel(self) -> bool:
        """Cancels the jobs that are pending. Returns whether there were any; others go on."""
        states = [_cancel(job) for job in self.svc]
        self.svc = tuple(job for job, _ in states)
        return any(is_cancelled for _, is_cancelled in states)

    def __repr__(self) -> str:
        return f"<SvcPrimitiveJob {self.job_id()}>"


def submit(backend: SvcBackend, parts: Sequence[Part], plan: Plan, stored: Plan, **options: Any) -> SvcPrimitiveJob:
    """Submits parts as one call of a primitive.

    Args:
        plan: how the results of the parts make the results of the call.
        stored: the same as JSON, for other processes.
        options: of ``SvcClient.submit_job``.
    """
    client, call = backend.client, str(uuid.uuid4())
    jobs: list[Job] = []
    divided = jobs_of(parts, backend.max_circuits)
    seed = options.pop("seed", None)
    try:
        for index, circuits in enumerate(divided):
            note = {"call": call, "index": index, "jobs": len(divided), **({} if index else {"plan": stored})}
            job = client.submit_job(
                [with_note(circuits[0], note), *circuits[1:]],
                qpu=backend.qpu,
                # Jobs with the same seed would have the same random numbers.
                seed=None if seed is None else seed + index,
                idempotency_key=f"{call}.{index}",
                **options,
            )
            jobs.append(job)
    except SvcError:
        # Nobody has a use for some of the results.
        with suppress(SvcError):
            for job in jobs:
                _cancel(job)
        raise
    return SvcPrimitiveJob(client, jobs, plan)


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
