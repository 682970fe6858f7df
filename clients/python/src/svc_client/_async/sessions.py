"""Sessions: a QPU held for the account without a booking."""

from __future__ import annotations

import logging
import time
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, AsyncIterator, List, Literal, Mapping, cast

from .._concurrency import async_sleep
from .._credentials import Credentials
from .._errors import AuthenticationError, NotFoundError, SessionEndedError, SessionTimeout, SvcError, is_temporary
from .._models import Qpu, QpuSession
from .._progress import say
from .._retries import Retries, backoff, pause_after
from .transport import AsyncTransport, segment

if TYPE_CHECKING:
    from .client import SvcAsyncClient

logger = logging.getLogger("svc_client")

SessionMode = Literal["exclusive", "batch"]

# How long the server holds a request, in s; proxies may end quiet connections after 60 s.
_HELD = 30
_ONCE = Retries(tries=1)

_ENDS = {
    "expired": "its time is over",
    "ended": "it was ended",
    "booking": "a booking of another user began",
    "balance": "the balance of QPU seconds is used up",
}


class AsyncSessions:
    """The sessions of the account. ``client.session`` starts one for a ``with`` statement."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def start(
        self,
        qpu: str | Qpu,
        *,
        seconds: int = 3600,
        idle_seconds: int | None = None,
        mode: SessionMode | None = None,
        holder: Mapping[str, str | bool] | None = None,
        idempotency_key: str | None = None,
    ) -> QpuSession:
        """Opens a session, or joins the open one of the same QPU and mode; repeated without harm, because it has a key.

        Args:
            seconds: how long it lasts after its first activation.
            idle_seconds: without a job for so long, it is paused and others run; default 60.
            mode: ``exclusive``, the default: only jobs of the account run, and the time is charged; ``batch``: they go
                first, and each is charged.
            holder: ``kind`` and ``id`` of what holds it, such as a batch job, and ``ends_at``, when that ends; with
                ``awaited``, it ends when nobody has waited for the queued session for 5 minutes.
            idempotency_key: a key of your own: starts with the same key are one.

        Raises:
            ConflictError: with a code such as ``session_open`` or ``no_balance``.
            NotFoundError: there is no such QPU; with the code ``no_sessions``, the server is older than this client.
        """
        given = {"idle_seconds": idle_seconds, "mode": mode, "holder": None if holder is None else dict(holder)}
        body = {"qpu_target": _id(qpu), "seconds": seconds, **{key: each for key, each in given.items() if each is not None}}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        what = f"The start of a session on QPU {_id(qpu)}"
        try:
            raw = await self._transport.until_response("POST", "/api/sessions", what=what, body=body, headers=headers)
        except NotFoundError as error:
            await self._assert_known(error)
            raise
        return QpuSession.of(raw)

    async def list(
        self, *, state: str | None = None, qpu: str | None = None, limit: int | None = None
    ) -> List[QpuSession]:
        """Sessions of the account, newest first; superusers read those of all."""
        query = {"state": state, "qpu": qpu, "limit": limit}
        return [QpuSession.of(raw) for raw in await self._transport.request("GET", "/api/sessions", query=query)]

    async def get(self, session: str | QpuSession) -> QpuSession:
        """Reads a session. Raises NotFoundError."""
        return await self._read(session)

    async def extend(self, session: str | QpuSession, seconds: int) -> QpuSession:
        """Changes how long a session lasts after its first activation. Raises SessionEndedError."""
        path = f"/api/sessions/{segment(str(session))}"
        body = {"seconds": seconds}
        return QpuSession.of(await self._transport.request("PATCH", path, body=body, is_repeatable=True))

    async def end(
        self, session: str | QpuSession, *, reason: str | None = None, when_done: bool = False
    ) -> QpuSession:
        """Ends a session; the running job ends first.

        What ``start`` has returned leaves one that others have joined, and so does a batch job that of its ``SVC_SESSION``.

        Args:
            reason: of a superuser, for its user.
            when_done: with the last of the jobs that were submitted in it, instead of cancelling those that wait.
        """
        holder = session.holder if isinstance(session, QpuSession) else ""
        query = {"holder": holder or None, "reason": reason, "when": "done" if when_done else None}
        path, secret = f"/api/sessions/{segment(str(session))}", self._transport.session
        if secret is not None and not holder and reason is None:
            try:
                return QpuSession.of(await self._transport.request("DELETE", path, query=query, headers=_bearer(secret)))
            except (AuthenticationError, NotFoundError):
                pass  # It is the secret of another session.
        return QpuSession.of(await self._transport.request("DELETE", path, query=query))

    async def wait(self, session: str | QpuSession, timeout: float | None = None) -> QpuSession:
        """Waits until a session is active, or paused only because no job came.

        Lost connections and restarts of the server do not end the wait.

        Args:
            timeout: seconds; no limit unless given.

        Raises:
            SessionEndedError: it has ended.
            SessionTimeout: it is not active in time.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        now, failures, shown = await self._read(session), 0, ""
        while not _is_ready(now):
            if _described(now) != shown:
                shown = _described(now)
                say(shown)
            left = _HELD if deadline is None else min(_HELD, deadline - time.monotonic())
            if left <= 0:
                raise SessionTimeout(f"Session {now.id} on QPU {now.qpu} is {now.state}, not active within {timeout:g} s")
            query = {"wait": max(1, int(left)), "state": now.state}
            try:
                # By its secret: the server knows that this program waits.
                headers = _bearer(now.secret) if now.secret else None
                now, failures = await self._read(now, query=query, headers=headers, retries=_ONCE), 0
            except SvcError as error:
                if not is_temporary(error):
                    raise
                failures += 1
                pause = backoff(failures) if error.retry_after is None else pause_after(error, failures)
                await async_sleep(min(pause, left))
        return now

    async def of_secret(self, secret: str) -> QpuSession:
        """The session that a secret belongs to, such as that of ``SVC_SESSION``."""
        found = await self._transport.request("GET", "/api/sessions", headers=_bearer(secret))
        return QpuSession.of({**found[0], "secret": secret})

    async def _read(self, session: str | QpuSession, **options: Any) -> QpuSession:
        known = session if isinstance(session, QpuSession) else None
        # The secret reads its session without an API token.
        own = {"holder": known.holder, "secret": known.secret} if known is not None else {}
        raw = await self._transport.request("GET", f"/api/sessions/{segment(str(session))}", **options)
        return QpuSession.of({**own, **raw})

    async def _assert_known(self, error: NotFoundError) -> None:
        """Raises NotFoundError that says so if the server is older than sessions."""
        try:
            await self._transport.request("GET", "/api/sessions")
        except NotFoundError:
            error.code = "no_sessions"
            error.message += ": this server has no sessions, it is older than this client"
            error.args = (error.message,)
            raise error from None


class AsyncHolding:
    """Holding a QPU with a client: the sessions of ``with`` statements, and that of the environment."""

    sessions: AsyncSessions
    _credentials: Credentials

    def __init__(self) -> None:
        self._held: list[QpuSession] = []
        # Ids of the jobs of each, by its holder.
        self._jobs_of: dict[str, list[str]] = {}

    @asynccontextmanager
    async def session(
        self,
        qpu: str | Qpu | None = None,
        *,
        seconds: int = 3600,
        idle_seconds: int | None = None,
        mode: SessionMode | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[QpuSession]:
        """Holds a QPU for a ``with`` statement: between the jobs that this client submits in it, no others start.

        It starts a session, or joins the open one of the account, and waits until it is active. All jobs of this client go
        to its QPU then, from every thread, and are refused when it has ended. At its end the statement waits for the jobs
        that were submitted in it; an exception, or Ctrl+C, ends the session immediately, and what still waits is cancelled.
        In a batch job with ``SVC_SESSION`` it is that session, which does not end here.

        Args:
            qpu: name or id; may be omitted where ``SVC_QPU`` or ``SVC_SESSION`` names it.
            seconds, idle_seconds, mode: as of ``sessions.start``.
            timeout: seconds until it is active; no limit unless given.

        Raises:
            SessionEndedError: it ended before it was active.
            SessionTimeout: it was not active in time.
            ConflictError, NotFoundError: as ``sessions.start``.
            ValueError: there is no QPU, or ``SVC_SESSION`` holds another one.
        """
        secret = self._credentials.session
        if secret is not None:
            yield await self.sessions.wait(await self._given(secret, qpu), timeout)
            return
        target = qpu or await self._usual_qpu()
        started = await self.sessions.start(
            target, seconds=seconds, idle_seconds=idle_seconds, mode=mode, holder={"awaited": True}
        )
        try:
            held = await self.sessions.wait(started, timeout)
            self._held.append(held)
            self._jobs_of[held.holder] = []
            try:
                yield held
                await self._finish(held)
            finally:
                self._held = [each for each in self._held if each.holder != held.holder]
                del self._jobs_of[held.holder]
        finally:
            await self._end(started)

    async def _end(self, session: QpuSession, when_done: bool = False) -> None:
        """Ends a session that this client has started; a failure is no reason to lose what has run in it."""
        try:
            await self.sessions.end(session, when_done=when_done)
        except SvcError as error:
            logger.warning("Session %s on QPU %s was not ended, and lasts on: %s", session.id, session.qpu, error)

    async def _usual_qpu(self) -> str:
        """The QPU of the environment. Raises ValueError if it names none."""
        if self._credentials.qpu is not None:
            return self._credentials.qpu
        if self._credentials.session is not None:
            return (await self.sessions.of_secret(self._credentials.session)).qpu
        raise ValueError("No QPU: pass its name, or set SVC_QPU")

    async def _given(self, secret: str, qpu: str | Qpu | None) -> QpuSession:
        """The session of the environment. Raises ValueError if it holds another QPU."""
        given = await self.sessions.of_secret(secret)
        if qpu is not None and _id(qpu) not in (given.qpu, given.qpu_id):
            raise ValueError(f"SVC_SESSION is a session on QPU {given.qpu}, not on {_id(qpu)}")
        return given

    async def _finish(self, held: QpuSession) -> None:
        """Waits for the jobs that were submitted in a session: those that wait at its end are cancelled."""
        client, own = cast("SvcAsyncClient", self), self._jobs_of[held.holder]
        if own:
            left = [job async for job in client.jobs(status="pending,running", qpu=held.qpu_id) if job.id in own]
            await client.wait(left, progress=False)

    def _session_for(self, qpu: str | None, session: QpuSession | None) -> QpuSession | None:
        """The session of a submission. Raises ValueError if it is not clear which, or cannot be."""
        if session is None and self._held:
            fitting = [each for each in self._held if qpu is None or qpu in (each.qpu, each.qpu_id)]
            found = fitting if len(self._held) > 1 else self._held
            if len({each.qpu_id for each in found}) != 1:
                names = ", ".join(each.qpu for each in self._held)
                raise ValueError(f"Sessions on the QPUs {names} are open; pass qpu, one of them")
            session = found[-1]
        if session is not None and not session.secret:
            raise ValueError(f"Session {session.id} was read, and only what sessions.start returns can submit jobs")
        return session


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def _is_ready(session: QpuSession) -> bool:
    """Whether jobs may run, now or as soon as there are some. Raises SessionEndedError if it has ended."""
    if session.state == "closed":
        why = _ENDS.get(session.end, session.end)
        raise SessionEndedError(f"Session {session.id} on QPU {session.qpu} has ended: {why}", status=409, code="session_ended")
    return session.state == "active" or session.paused_by == "idle"


def _described(session: QpuSession) -> str:
    text = f"Session on QPU {session.qpu}: {session.state}"
    if session.paused_by:
        text += f" ({session.paused_by})"
    if session.position is not None:
        text += f", place {session.position}"
    if session.expected_start is not None:
        text += f", starts by {session.expected_start[1].astimezone():%H:%M}"
    return text


def _id(qpu: str | Qpu) -> str:
    return qpu.id if isinstance(qpu, Qpu) else qpu
