"""Waiting for jobs, whatever happens to the network and the server meanwhile."""

from __future__ import annotations

import threading
import time
from typing import Any, AsyncGenerator, Iterable, Mapping

from .._concurrency import AsyncEvent, async_sleep
from .._errors import NotFoundError, SvcError, is_temporary, other_response
from .._models import has_ended
from .._progress import Progress
from .._retries import Retries, backoff, pause_after
from .transport import AsyncTransport, segment

# Jobs of one request; the server takes no more.
_MAX_JOBS = 500
# How long the server holds a request, in s; proxies may end quiet connections after 60 s.
_HELD = 30.0
# The same for a request beside another one, and for one of several that ask for different jobs in turn.
_HELD_BRIEFLY = 2.0
# Requests for jobs that nobody has asked for yet, which are sent although another one is held.
_MAX_HELD = 4
# Pauses where a server answers immediately although asked to wait, in s.
_POLL_FIRST, _POLL_LAST = 0.1, 2.0
# A 404 may come from a proxy: after this time in s, the route for many jobs is asked again.
_OLD_FOR = 60.0
# The program does not change.
_OMITTED = "payload"
_ONCE = Retries(tries=1)
# Time beyond the deadline for the last request, in s.
_GRACE = 2.0

Raw = dict[str, Any]


class _Group:
    """The jobs that one caller awaits."""

    def __init__(self, statuses: dict[str, str], progress: Progress | None) -> None:
        # Status of each job as the caller knows it; empty if it is to be read in any case.
        self.statuses = statuses
        self.progress = progress
        # Jobs that were read and that the caller does not know yet.
        self.news: dict[str, Raw] = {}
        self.error: SvcError | None = None
        # Whether a request for these jobs is on its way, and whether there has been one.
        self.is_covered = self.was_covered = False
        self.signal = AsyncEvent()


class AsyncWaiting:
    """Waits with requests for many jobs that the server holds until one of them changes.

    All who wait share requests: one of them sends it, for all jobs that no other request asks for. Failures of the
    network and of the server never end the wait.
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self._groups: dict[_Group, None] = {}
        # Of each request on its way: how long it may take, in s.
        self._held: list[float] = []
        # Of threads; nothing is awaited while it is held.
        self._lock = threading.Lock()
        self._failures = self._early = 0
        # Until when the server counts as older than this client, which answers for one job at a time.
        self._old_until = 0.0

    async def read(self, id: str, *, query: Mapping[str, Any] | None = None, **options: Any) -> Raw:
        """Reads a job as it is. Raises SvcError."""
        job: Raw = await self._transport.read(f"/api/jobs/{segment(id)}", _OMITTED, query=query, **options)
        return job

    async def read_first(self, id: str) -> Raw:
        """Reads a job of which nothing is known yet; repeated for as long as a submission. Raises SvcError."""
        return await self._read_first(f"/api/jobs/{segment(id)}", f"The request for job {id}")

    async def read_of_key(self, key: str) -> Raw:
        """Reads the job that was submitted with an idempotency key, as ``read_first``. Raises SvcError."""
        return await self._read_first(f"/api/jobs/by-key/{segment(key)}", f"The request for the job of {key}")

    async def _read_first(self, path: str, what: str) -> Raw:
        job: Raw = await self._transport.read(path, _OMITTED, what=what)
        return job

    async def readings(
        self,
        jobs: Mapping[str, str],
        *,
        deadline: float | None = None,
        every: float | None = None,
        progress: Progress | None = None,
    ) -> AsyncGenerator[Raw, None]:
        """Yields jobs as they are read, at least whenever a status has changed, until all have ended.

        Args:
            jobs: the status of each as it is known; empty if nothing is.
            deadline: time of ``time.monotonic()`` at which it stops.
            every: seconds after which a job is read although its status is the same.
            progress: shows what is read, and failures.

        Raises:
            SvcError: a job can no longer be read, because it is gone or the account may not.
        """
        # Jobs of lists and of cancellations have no results: they are read again.
        group = _Group({id: "" if has_ended(status) else status for id, status in jobs.items()}, progress)
        with self._lock:
            self._groups[group] = None
        try:
            while group.statuses:
                is_last = deadline is not None and time.monotonic() >= deadline
                if not group.news and group.error is None:
                    await self._until_news(group, deadline, every, is_last)
                if group.error is not None:
                    raise group.error
                if not group.news:
                    if is_last:
                        return
                    continue
                job = group.news.pop(next(iter(group.news)))
                if has_ended(job["status"]):
                    group.statuses.pop(job["id"], None)
                elif job["id"] in group.statuses:
                    group.statuses[job["id"]] = job["status"]
                if progress is not None:
                    progress.show(job)
                yield job
        finally:
            with self._lock:
                self._groups.pop(group, None)

    async def _until_news(self, group: _Group, deadline: float | None, every: float | None, is_last: bool) -> None:
        """Returns when a job of the group was read, and at the latest after ``every`` s or at the deadline."""
        # All who begin to wait in the same turn share a request.
        await async_sleep(0)
        covered, most = self._cover(group, is_last)
        if not covered:
            await group.signal.wait(_until(deadline, _HELD if every is None else every))
            group.signal.clear()
            return
        try:
            await self._ask(covered, _until(deadline, min(most, every or _HELD)), deadline)
        finally:
            with self._lock:
                self._held.remove(most)
                for each in covered:
                    each.is_covered = False
            for each in covered:
                each.signal.set()
        if every is not None and not group.news:
            group.statuses.update(dict.fromkeys(group.statuses, ""))

    def _cover(self, group: _Group, is_last: bool) -> tuple[list[_Group], float]:
        """The groups for which the caller asks now, none if another one does or soon will, and for how long in s."""
        with self._lock:
            is_soon = any(held < _HELD for held in self._held) if group.was_covered else len(self._held) >= _MAX_HELD
            if (group.is_covered or is_soon) and not is_last:
                return [], 0.0
            covered = [group] if group.is_covered else [each for each in self._groups if not each.is_covered]
            for each in covered:
                each.is_covered = each.was_covered = True
            most = _HELD_BRIEFLY if self._held else _HELD
            self._held.append(most)
            return covered, most

    async def _ask(self, covered: list[_Group], held: float, deadline: float | None) -> None:
        """Sends a request for jobs of these groups, and gives each what it does not know."""
        known: dict[str, str] = {}
        for group in covered:
            for id, status in group.statuses.items():
                # What two callers know differently is read.
                known[id] = status if known.get(id, status) == status else ""
        if len(known) > _MAX_JOBS:
            # The others are next: each group gets those that were asked for to its end.
            known = dict(list(known.items())[:_MAX_JOBS])
            held = min(held, _HELD_BRIEFLY)
        started = time.monotonic()
        try:
            jobs, gone = await self._changes(known, held, _after(deadline))
            for id in gone:
                await self._read_gone(id, [group for group in covered if id in group.statuses], deadline)
        except SvcError as error:
            await self._fail(covered, error, deadline)
            return
        self._failures = 0
        for group in covered:
            for id in [id for id in group.statuses if id in known]:
                group.statuses[id] = group.statuses.pop(id)
            group.news.update({job["id"]: job for job in jobs if job["id"] in group.statuses})
        # A server that does not hold the request is not asked again immediately.
        self._early = self._early + 1 if not jobs and not gone and time.monotonic() - started < min(held, _POLL_FIRST) else 0
        if self._early > 0:
            await async_sleep(_until(deadline, min(_POLL_LAST, _POLL_FIRST * 2.0 ** min(self._early - 1, 10))))

    async def _read_gone(self, id: str, groups: list[_Group], deadline: float | None) -> None:
        """Ends the waits of a job that does not exist for the account, with what the server says of it."""
        try:
            await self.read(id, retries=_ONCE, deadline=_after(deadline))
        except SvcError as error:
            if is_temporary(error):
                raise
            for group in groups:
                group.error = error

    async def _fail(self, covered: list[_Group], error: SvcError, deadline: float | None) -> None:
        """Takes in a failure: of the request, which ends the waits, or for the moment."""
        if not is_temporary(error):
            for group in covered:
                group.error = error
            return
        self._failures += 1
        for group in covered:
            if group.progress is not None:
                group.progress.fail(self._transport.address, error)
        pause = backoff(self._failures) if error.retry_after is None else pause_after(error, self._failures)
        await async_sleep(_until(deadline, pause))

    async def _changes(self, known: dict[str, str], held: float, deadline: float | None) -> tuple[list[Raw], list[str]]:
        """Jobs that have another status than the known one, as soon as there is one, and those that do not exist."""
        if time.monotonic() < self._old_until:
            return await self._changes_of_each(known, held, deadline)
        body = {"known": [{"id": id, "status": status} for id, status in known.items()], "wait": held}
        try:
            found = await self._transport.request(
                "POST", "/api/jobs/changes", body=body, is_repeatable=True, retries=_ONCE, deadline=deadline
            )
        except SvcError as error:
            if error.status not in (404, 405):
                raise
            self._old_until = time.monotonic() + _OLD_FOR
            return await self._changes_of_each(known, held, deadline)
        other = next((id for id in (*(job["id"] for job in found["jobs"]), *found["unknown"]) if id not in known), None)
        if other is not None:
            raise other_response("the changes of jobs", other)
        return found["jobs"], found["unknown"]

    async def _changes_of_each(
        self, known: dict[str, str], held: float, deadline: float | None
    ) -> tuple[list[Raw], list[str]]:
        """The same from a server of an earlier release."""
        jobs: list[Raw] = []
        gone: list[str] = []
        for id, status in known.items():
            query = {"wait": int(held), "status": status} if status and len(known) == 1 else {}
            try:
                job = await self.read(id, query=query, retries=_ONCE, deadline=deadline)
            except NotFoundError:
                gone.append(id)
                continue
            if job["status"] != status:
                jobs.append(job)
        if not jobs and not gone and len(known) > 1:
            await async_sleep(min(held, _HELD_BRIEFLY))
        return jobs, gone


def _until(deadline: float | None, seconds: float) -> float:
    """At most so many seconds, and at most until the deadline."""
    return seconds if deadline is None else max(0.0, min(seconds, deadline - time.monotonic()))


def _after(deadline: float | None) -> float | None:
    """Until when a request that started before the deadline may take: its response may be the result."""
    return None if deadline is None else max(deadline, time.monotonic()) + _GRACE
