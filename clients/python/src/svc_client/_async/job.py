"""Jobs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, AsyncIterator

from .._errors import JobCancelledError, JobFailedError
from .._models import JobRecord, has_ended, job_fields, warn_if_recalled
from .._result import PartialResults, Result
from .transport import segment

if TYPE_CHECKING:
    from .client import SvcAsyncClient

# Between two readings of the position in the queue and of the progress, in s.
_POSITION_EVERY = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class AsyncJob(JobRecord):
    """A job as it was when it was read. Methods that read it again return a new one."""

    _client: SvcAsyncClient = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any], client: SvcAsyncClient) -> AsyncJob:
        """The job of a response."""
        return cls(**job_fields(raw), _client=client)

    async def refresh(self) -> AsyncJob:
        """Reads it again."""
        return self._with(await self._client._waiting.read_first(self.id))

    async def cancel(self) -> AsyncJob:
        """Cancels it while it is pending. Raises NotPendingError afterwards."""
        path = f"/api/jobs/{segment(self.id)}/cancel"
        return self._with(await self._client._transport.request("POST", path, is_repeatable=True))

    async def circuits(self) -> list[str]:
        """The programs that it consists of, in OpenQASM."""
        payload = self.raw.get("payload")
        if payload is None:
            path = f"/api/jobs/{segment(self.id)}"
            payload = (await self._client._transport.read(path, "results"))["payload"]
        return [circuit["circuit"] for circuit in payload["circuits"]]

    async def wait(self, timeout: float | None = None, progress: bool | None = None) -> AsyncJob:
        """Waits until it has ended, also when it fails.

        Without ``timeout`` there is no limit: lost connections and restarts of the server do not end the wait.

        Args:
            timeout: seconds.
            progress: whether to show the state meanwhile; by default in a terminal or a notebook.

        Raises:
            JobTimeout: it has not ended in time; it goes on.
            SvcError: it can no longer be read, because it is gone or the account may not.
        """
        return (await self._client.wait([self], timeout=timeout, progress=progress))[0]

    async def result(self, timeout: float | None = None, progress: bool | None = None) -> Result:
        """Waits as ``wait`` does and returns the results.

        Warns with ``RecalledResultWarning`` if they were recalled: an operator has declared the calibration or the
        time bad with which they were measured. A job that has ended is as it was read: ``refresh`` it to know of
        later recalls.

        Raises:
            JobFailedError: it has failed.
            JobCancelledError: it was cancelled.
            JobTimeout: it has not ended in time; it goes on.
        """
        job = await self.wait(timeout, progress)
        if job.status == "cancelled":
            why = ": its session has ended" if any(step.detail == "session_ended" for step in job.timeline) else ""
            raise JobCancelledError(f"Job {self.id} was cancelled{why}", job_id=self.id)
        if job.status == "failed":
            code, text = (job.error.code, job.error.message) if job.error else ("", "unknown reason")
            raise JobFailedError(f"Job {self.id} failed: {text}", job_id=self.id, code=code)
        warn_if_recalled(job.raw)
        return Result(self.id, job.raw["results"], job.raw)

    async def partial_results(self) -> PartialResults:
        """Reads the results of circuits that have ended, without waiting: of a job that runs, has failed or waits again.

        There are none of a job with one circuit, and from servers of an earlier release (NotFoundError).
        """
        path = f"/api/jobs/{segment(self.id)}/partial-results"
        return PartialResults.of(await self._client._transport.request("GET", path))

    async def watch(self) -> AsyncIterator[AsyncJob]:
        """Yields it now and at each change of its status, position, estimate or progress, until it has ended."""
        raw = await self._client._waiting.read_first(self.id)
        yield self._with(raw)
        if has_ended(raw["status"]):
            return
        shown = _news(raw)
        async for raw in self._client._waiting.readings({self.id: raw["status"]}, every=_POSITION_EVERY):
            if _news(raw) != shown:
                shown = _news(raw)
                yield self._with(raw)

    def _with(self, raw: dict[str, Any]) -> AsyncJob:
        lasting = {name: value for name, value in self.raw.items() if name not in _OF_THE_MOMENT}
        return AsyncJob.of({**lasting, **raw}, self._client)


# Why a job waits is left out of the response once it does not.
_OF_THE_MOMENT = ("waiting", "queue_position", "estimated_start")


def _news(raw: dict[str, Any]) -> tuple[Any, ...]:
    waiting = raw.get("waiting") or {}
    place = raw.get("queue_position"), str(raw.get("estimated_start"))
    return raw["status"], raw.get("progress"), waiting.get("text"), *place
