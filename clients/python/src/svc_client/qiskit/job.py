"""Jobs as Qiskit has them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from qiskit.providers import JobStatus, JobV1
from qiskit.result import Result
from qiskit.result.models import ExperimentResult, ExperimentResultData, MeasLevel, MeasReturnType

from .._errors import JobTimeout
from .._result import CircuitResult
from .._sync.job import Job

if TYPE_CHECKING:
    from qiskit.transpiler import Target

    from .backend import SvcBackend

_STATUS = {
    "pending": JobStatus.QUEUED,
    "running": JobStatus.RUNNING,
    "completed": JobStatus.DONE,
    "failed": JobStatus.ERROR,
    "cancelled": JobStatus.CANCELLED,
}
# Several jobs together are in the first of these states in which one of them is.
_FIRST = (JobStatus.ERROR, JobStatus.CANCELLED, JobStatus.RUNNING, JobStatus.QUEUED, JobStatus.DONE)


def status_of(jobs: Iterable[Job]) -> JobStatus:
    """The state of jobs that make one result together."""
    states = {_STATUS.get(job.status, JobStatus.RUNNING) for job in jobs}
    return next((status for status in _FIRST if status in states), JobStatus.DONE)


class SvcJob(JobV1):
    """A job of a backend. ``svc`` is the job as the client knows it."""

    def __init__(self, backend: SvcBackend | None, job: Job) -> None:
        super().__init__(backend, job.id)
        self.svc = job

    def submit(self) -> None:
        """Raises RuntimeError: ``SvcBackend.run`` has submitted it."""
        raise RuntimeError(f"Job {self.job_id()} is submitted already")

    def status(self) -> JobStatus:
        """Its state now, read from the server until it has ended."""
        if not self.svc.done():
            self.svc = self.svc.refresh()
        return status_of([self.svc])

    def target(self) -> Target:
        """The target of its backend with the values of the time when it began to run; the present one before that."""
        backend = cast("SvcBackend", self.backend())
        return backend.target_history(self.svc.started)

    def cancel(self) -> None:
        """Cancels it while it is pending. Raises NotPendingError afterwards."""
        self.svc = self.svc.cancel()

    def wait_for_final_state(self, timeout: float | None = None, wait: float = 5, callback: Any = None) -> None:
        """Waits until it has ended, in any state.

        Args:
            timeout: seconds; no limit unless given.
            wait: seconds between calls of ``callback``; the end itself is noticed immediately.
            callback: called as ``callback(job_id, status, job)``.

        Raises:
            JobTimeout: it has not ended in time; it goes on.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while not self.svc.done():
            left = None if end is None else max(0.0, end - time.monotonic())
            if callback is None or (left is not None and left <= wait):
                self.svc = self.svc.wait(left)
                return
            callback(self.job_id(), self.status(), self)
            try:
                self.svc = self.svc.wait(wait)
            except JobTimeout:
                continue

    def result(self, timeout: float | None = None) -> Result:
        """Waits and returns the results: one experiment for each circuit and set of parameters.

        Raises:
            JobFailedError, JobCancelledError, JobTimeout: as ``Job.result``.
        """
        self.svc = self.svc.wait(timeout)
        found = self.svc.result()
        return Result(
            backend_name=found.backend,
            job_id=self.svc.id,
            success=True,
            results=[_experiment(each) for each in found],
            date=self.svc.finished,
            status="COMPLETED",
            metadata={"svc": found.metadata},
        )

    def __repr__(self) -> str:
        return f"<SvcJob {self.svc!r}>"


def _experiment(circuit: CircuitResult) -> ExperimentResult:
    """The outcomes of one circuit in the form of Qiskit, which reads them as hexadecimal numbers."""
    data: dict[str, Any] = {}
    level, returned = MeasLevel.CLASSIFIED, MeasReturnType.SINGLE
    if circuit.raw.get("counts") is not None:
        data["counts"] = {hex(int(bits or "0", 2)): count for bits, count in circuit.counts.items()}
    if circuit.memory is not None:
        data["memory"] = [hex(int(bits or "0", 2)) for bits in circuit.memory]
    elif circuit.iq is not None:
        data["memory"] = circuit.raw["memory"]
        level = MeasLevel.KERNELED
        returned = MeasReturnType.SINGLE if circuit.iq.ndim == 2 else MeasReturnType.AVERAGE
    return ExperimentResult(
        shots=circuit.shots,
        success=True,
        data=ExperimentResultData(**data),
        meas_level=level,
        meas_return=returned,
        status="DONE",
        header={**circuit.header, "metadata": circuit.metadata},
        metadata=circuit.raw.get("metadata") or {},
    )
