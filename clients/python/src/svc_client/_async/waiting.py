"""Waiting for jobs, whatever happens to the network and the server meanwhile."""

from __future__ import annotations

import json
import time
from contextlib import aclosing
from typing import Any, AsyncGenerator, Iterable, Mapping
from urllib.parse import quote

from .._concurrency import AsyncEvent, AsyncLock, AsyncTask, async_sleep
from .._errors import SvcError, is_temporary
from .._http import AsyncHttpStream, ClosedError
from .._models import has_ended
from .._progress import Progress
from .._retries import Retries, backoff, pause_after
from .stream import changes_of
from .transport import AsyncTransport, segment

# From this number of awaited jobs on, one event stream replaces a waiting request for each.
_STREAM_FROM = 3
# How long the server holds a request, in s; proxies may end quiet connections after 60 s.
_HELD = 30.0
# The same for each of two jobs that are awaited in turn.
_HELD_IN_TURN = 2.0
# Time between two lists of the active jobs, from the first to the last value, in s.
_SYNC_FIRST, _SYNC_LAST, _SYNC_GROWTH = 2.0, 30.0, 1.5
_SYNC_SOON, _SYNC_AT_MOST_EVERY = 0.05, 1.0
# Shortest pause before the stream is opened again, in s.
_REOPEN = 0.5
# Pauses where a server answers at once although asked to wait, in s.
_POLL_FIRST, _POLL_LAST = 0.1, 2.0
# Rows of one page of jobs that have not ended.
_PAGE = 1000
# Everything but the program: it does not change.
_FIELDS = ",".join(
    "id name tags status qpu qpu_target shots attempt held error results created started_at finished_at duration "
    "charged_seconds timeline waiting queue_position estimated_start user_id driver".split()
)
_ONCE = Retries(tries=1)
# Time beyond the deadline for the last request, in s.
_GRACE = 2.0

Raw = dict[str, Any]


class _Group:
    """The jobs that one caller awaits."""

    def __init__(self, statuses: dict[str, str]) -> None:
        # Status of each job as the caller knows it.
        self.statuses = statuses
        # Jobs whose status is another one by now, as far as is known without having read them.
        self.changed: dict[str, None] = {}
        self.signal = AsyncEvent()

    def compare(self, statuses: Mapping[str, str | None]) -> None:
        """Notes jobs whose status differs from the one that the caller knows."""
        changed = {id for id, status in list(self.statuses.items()) if id in statuses and statuses[id] != status}
        if changed:
            self.changed.update(dict.fromkeys(changed))
            self.signal.set()


class _Feed:
    """The event stream that all awaited jobs of a client share."""

    def __init__(self) -> None:
        self.stop = AsyncEvent()
        self.stream: AsyncHttpStream | None = None
        self.task: AsyncTask | None = None

    def open(self, stream: AsyncHttpStream) -> None:
        """Takes the stream that ``close`` interrupts."""
        self.stream = stream
        if self.stop.is_set():
            stream.interrupt()

    def close(self) -> None:
        """Ends the task or thread that reads the stream."""
        self.stop.set()
        if self.stream is not None:
            self.stream.interrupt()
        if self.task is not None:
            self.task.stop()


class AsyncWaiting:
    """Waits with requests that the server holds, or for many jobs with one event stream.

    The stream and the list of active jobs only say which job to read. What counts is the reading, so that no end is
    missed. Failures of the network and of the server never end the wait.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self._groups: set[_Group] = set()
        self._feed: _Feed | None = None
        self._sync_lock = AsyncLock()
        # When active jobs are to be listed and were listed last, and the pause after that.
        self._due = self._listed = 0.0
        self._pause = _SYNC_FIRST

    async def read(
        self,
        id: str,
        *,
        query: Mapping[str, Any] | None = None,
        retries: Retries | None = None,
        deadline: float | None = None,
    ) -> Raw:
        """Reads a job as it is. Raises SvcError."""
        job: Raw = await self._transport.request(
            "GET",
            f"/api/jobs/{segment(id)}",
            query={**(query or {}), "fields": _FIELDS},
            retries=retries,
            deadline=deadline,
        )
        return job

    async def read_of_key(self, key: str) -> Raw:
        """Reads the job that was submitted with an idempotency key. Raises SvcError."""
        path = f"/api/jobs/by-key/{segment(key)}"
        job: Raw = await self._transport.request("GET", path, query={"fields": _FIELDS})
        return job

    async def readings(
        self,
        jobs: Iterable[Raw],
        *,
        deadline: float | None = None,
        every: float | None = None,
        progress: Progress | None = None,
    ) -> AsyncGenerator[Raw, None]:
        """Yields jobs as they are read, at least whenever a status has changed, until all have ended.

        Args:
            deadline: time of ``time.monotonic()`` at which it stops.
            every: seconds after which a single job is read although its status is the same.
            progress: shows what is read, and failures.

        Raises:
            SvcError: a job can no longer be read, because it is gone or the account may not.
        """
        known = {job["id"]: job for job in jobs}
        group = _Group({id: job["status"] for id, job in known.items()})
        # Jobs of lists and of cancellations have no results.
        group.changed = {id: None for id, job in known.items() if has_ended(job["status"])}
        self._groups.add(group)
        failures = polls = 0
        is_over = False
        try:
            # What is known to have changed at the deadline is still read.
            while group.statuses and (not is_over or group.changed):
                started = time.monotonic()
                try:
                    job = await self._look(group, deadline, every)
                except SvcError as error:
                    if not is_temporary(error):
                        raise
                    if is_over:
                        return
                    failures += 1
                    if progress is not None:
                        progress.fail(self._transport.address, error)
                    pause = backoff(failures) if error.retry_after is None else pause_after(error, failures)
                    await async_sleep(_until(deadline, pause))
                    is_over = _is_past(deadline)
                    continue
                failures = 0
                is_over = _is_past(deadline)
                if job is None:
                    continue
                polls = polls + 1 if self._is_early(group, job, started) else 0
                if has_ended(job["status"]):
                    group.statuses.pop(job["id"], None)
                elif job["id"] in group.statuses:
                    group.statuses[job["id"]] = job["status"]
                if progress is not None:
                    progress.show(job)
                yield job
                if polls > 0:
                    await async_sleep(_until(deadline, min(_POLL_LAST, _POLL_FIRST * 2.0 ** min(polls - 1, 10))))
        finally:
            self._leave(group)

    def _is_early(self, group: _Group, job: Raw, started: float) -> bool:
        """Whether a server that was asked to hold the request answered at once without news."""
        is_same = group.statuses.get(job["id"]) == job["status"]
        return is_same and self._feed is None and time.monotonic() - started < _POLL_FIRST

    async def _look(self, group: _Group, deadline: float | None, every: float | None) -> Raw | None:
        """Reads the next job, at the latest after a while; None if there is nothing to read."""
        if not group.changed:
            if self._feed is None and sum(len(each.statuses) for each in self._groups) < _STREAM_FROM:
                return await self._hold(group, deadline, every)
            await self._until_changed(group, deadline, every)
        while group.changed:
            id = next(iter(group.changed))
            if id in group.statuses:
                job = await self.read(id, retries=_ONCE, deadline=_after(deadline))
                group.changed.pop(id, None)
                return job
            group.changed.pop(id, None)
        return None

    async def _hold(self, group: _Group, deadline: float | None, every: float | None) -> Raw:
        """Reads a job when its status changes; two jobs in turn."""
        id, status = next(iter(group.statuses.items()))
        held = _HELD if len(group.statuses) == 1 else _HELD_IN_TURN
        if every is not None:
            held = min(held, every)
        # The other job of two is next.
        group.statuses[id] = group.statuses.pop(id)
        # In the last second before the deadline the job is polled.
        query = {"wait": int(_until(deadline, held)), "status": status}
        return await self.read(id, query=query, retries=_ONCE, deadline=_after(deadline))

    async def _until_changed(self, group: _Group, deadline: float | None, every: float | None) -> None:
        """Returns when a job of the group is to be read, or at the deadline."""
        self._follow()
        # What was read before the stream began may have changed; all that begin to wait together share a request.
        self._sync_soon()
        started = time.monotonic()
        until = started + every if every is not None else None
        if _is_past(deadline):
            self._due = started
            await self._sync(_after(deadline))
        while not group.changed:
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                return
            if until is not None and now >= until:
                group.changed.update(dict.fromkeys(group.statuses))
                return
            if now >= self._due:
                await self._sync(_after(deadline))
                continue
            ends = [self._due, *(end for end in (deadline, until) if end is not None)]
            await group.signal.wait(max(0.001, min(ends) - now))
            group.signal.clear()

    def _sync_soon(self) -> None:
        now = time.monotonic()
        self._due = min(self._due, max(now + _SYNC_SOON, self._listed + _SYNC_AT_MOST_EVERY))

    async def _sync(self, deadline: float | None) -> None:
        """Notes jobs that are not active with the status that is known: one request for a thousand jobs."""
        async with self._sync_lock:
            self._listed = time.monotonic()
            if self._listed < self._due:
                return
            self._due = self._listed + self._pause
            self._pause = min(_SYNC_LAST, self._pause * _SYNC_GROWTH)
            active: dict[str, str] = {}
            before: str | None = None
            # Jobs that begin to be awaited during the request may be younger than its response.
            awaited = {id for group in self._groups for id in group.statuses}
            while True:
                query = {"status": "pending,running", "fields": "id,status", "limit": _PAGE, "before": before}
                page = await self._transport.request(
                    "GET", "/api/jobs", query=query, retries=_ONCE, deadline=deadline
                )
                active.update((job["id"], job["status"]) for job in page)
                if len(page) < _PAGE:
                    break
                before = page[-1]["id"]
            self._tell({id: active.get(id) for id in awaited})

    def _tell(self, statuses: Mapping[str, str | None]) -> None:
        for group in list(self._groups):
            group.compare(statuses)

    def _follow(self) -> None:
        """Opens the shared stream unless it is open."""
        if self._feed is None:
            feed = self._feed = _Feed()
            self._due, self._pause = time.monotonic() + _SYNC_FIRST, _SYNC_FIRST
            feed.task = AsyncTask(self._run_feed, feed)

    async def _run_feed(self, feed: _Feed) -> None:
        """Notes what the stream tells; opens it again until nobody waits."""
        options = quote(json.dumps({"query": {"fields": "id,status"}}), safe="")
        topics = [f"quantum_jobs/*?options={options}"]
        failures = 0
        while not feed.stop.is_set():
            retry_after = 0.0
            try:
                async with aclosing(changes_of(self._transport, topics, feed.open)) as changes:
                    async for change in changes:
                        if feed.stop.is_set():
                            return
                        failures = 0
                        self._note(change)
            except ClosedError:
                return
            except SvcError as error:
                # Without a stream, which the server may refuse, the list of active jobs remains.
                retry_after = error.retry_after or 0.0
            failures += 1
            # Each attempt takes up to three requests, also at a server that restarts again and again.
            await feed.stop.wait(retry_after + _REOPEN + backoff(failures))

    def _note(self, change: dict[str, Any] | None) -> None:
        if change is not None:
            self._tell({change["record"]["id"]: change["record"].get("status")})
            return
        # The stream has begun: events may have been missed until now.
        self._sync_soon()
        for group in list(self._groups):
            group.signal.set()

    def _leave(self, group: _Group) -> None:
        self._groups.discard(group)
        feed = self._feed
        if feed is None or self._groups:
            return
        self._feed = None
        feed.close()


def _until(deadline: float | None, seconds: float) -> float:
    """At most so many seconds, and at most until the deadline."""
    return seconds if deadline is None else max(0.0, min(seconds, deadline - time.monotonic()))


def _is_past(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _after(deadline: float | None) -> float | None:
    """Until when a request that started before the deadline may take: its response may be the result."""
    return None if deadline is None else max(deadline, time.monotonic()) + _GRACE
