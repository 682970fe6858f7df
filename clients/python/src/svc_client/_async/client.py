"""The client of a server."""

from __future__ import annotations

import time
import uuid
from contextlib import aclosing
from dataclasses import replace
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence

from .._concurrency import AsyncLocal
from .._credentials import credentials_of, save_account
from .._errors import JobTimeout, SvcError, TooLargeError
from .._http import AsyncHttp, AsyncTransport as HttpTransport, Timeout, close_at_end
from .._interrupts import going_on, interrupted_with
from .._models import (
    Busy,
    DryRun,
    Notification,
    Qpu,
    QpuSession,
    Slot,
    TimeRequest,
    Unavailable,
    User,
    iso,
    warn_of_submission,
)
from .._progress import progress_of
from .._result import Result
from .._retries import Retries
from .._submission import (
    Circuit,
    Circuits,
    Decoupling,
    MeasLevel,
    MeasReturn,
    OptimizationLevel,
    ParameterValues,
    Precision,
    Scheduling,
    body_of,
    circuits_of,
    with_places,
)
from .._synchronous import with_options
from .adapters import AsyncAdapters
from .admin import AsyncAdmin
from .calibrations import AsyncCalibrations
from .collection import AsyncCollection
from .job import AsyncJob
from .sessions import AsyncHolding, AsyncSessions
from .tokens import AsyncTokens
from .transport import AsyncTransport, segment
from .waiting import AsyncWaiting

Raw = dict[str, Any]

# What lists leave out: it may be large.
_OMITTED = "payload,results"
_PAGE = 100
# Between two readings of the position in the queue while it is shown, in s.
_SHOWN_EVERY = 5.0


class SvcAsyncClient(AsyncAdapters, AsyncHolding):
    """A client of one server.

    It may be used by several threads and event loops, and after ``os.fork``: each process and each loop has connections
    of its own. Copies within a process are the client itself; a pickled client contains its API token.

    Args:
        base_url: address of the server, or several, of which the next is used when one does not respond or does not
            lead; default ``SVC_ADDR``, else that of the saved account.
        api_token: default ``SVC_API_TOKEN``, else that of the saved account.
        profile: an account that ``svc login`` has saved; default ``SVC_PROFILE``, else ``default``.
        timeout: limits of one attempt.
        retries: limits of the repetition of one request.
        ca_file: file with a CA certificate to trust besides those of the system.
        ca_fingerprint: SHA-256 fingerprint of the server's own root CA, which is then the only one that is trusted; default
            ``SVC_CA_FINGERPRINT`` with the address of ``SVC_ADDR``.
        user_agent: name of the program, for the log of the server.
        session: the secret of a session, by which jobs are submitted, and read unless there is an API token; default
            ``SVC_SESSION``.
        qpu: where jobs go that name no QPU; default ``SVC_QPU``.
        transport: a transport of ``httpx``.

    Raises:
        ValueError: there is no address, or one that is no URL; the profile does not exist.
    """

    save_account = staticmethod(save_account)

    def __init__(
        self,
        base_url: str | Sequence[str] | None = None,
        api_token: str | None = None,
        *,
        profile: str | None = None,
        timeout: Timeout = Timeout(connect=5, read=75),
        retries: Retries = Retries(),
        ca_file: str | None = None,
        ca_fingerprint: str | None = None,
        user_agent: str | None = None,
        session: str | None = None,
        qpu: str | None = None,
        transport: HttpTransport | None = None,
    ) -> None:
        super().__init__()
        self._credentials = credentials = credentials_of(base_url, api_token, profile, ca_fingerprint, session, qpu)
        self._options = (credentials, timeout, retries, ca_file, user_agent)
        self._has_transport = transport is not None
        http = AsyncHttp(timeout, ca_file=ca_file, ca_fingerprint=credentials.ca_fingerprint, transport=transport)
        self._transport = AsyncTransport(credentials, http, retries, user_agent)
        close_at_end(self._transport, http)
        self._waits = AsyncLocal(partial(AsyncWaiting, self._transport))
        self.tokens = AsyncTokens(self._transport)
        self.admin = AsyncAdmin(self._transport)
        self.calibrations = AsyncCalibrations(self._transport)
        self.sessions = AsyncSessions(self._transport)

    async def submit_job(
        self,
        circuits: Circuits,
        *,
        qpu: str | Qpu | None = None,
        shots: int | None = None,
        parameter_values: ParameterValues | None = None,
        meas_level: MeasLevel = 2,
        meas_return: MeasReturn = "single",
        memory: bool = False,
        optimization_level: OptimizationLevel | None = None,
        dynamical_decoupling: Decoupling | None = None,
        scheduling: Scheduling | None = None,
        seed: int | None = None,
        allow_uncalibrated: bool = False,
        exact: bool = False,
        precision: Precision | None = None,
        max_seconds: float | None = None,
        require: Mapping[str, str] | None = None,
        give_up_after: str | None = None,
        name: str | None = None,
        tags: Sequence[str] = (),
        session: QpuSession | None = None,
        idempotency_key: str | None = None,
    ) -> AsyncJob:
        """Submits a job: exactly one, whatever happens to the connection, because each submission has a key.

        Without a response it is repeated for 10 minutes (``Retries.without_response``). Warns with
        ``SubmissionWarning`` of what the server warns of, as ``check_job`` returns it, such as a recalled calibration.

        Args:
            circuits: one or several programs: OpenQASM text, ``pathlib.Path``, ``Circuit``, or a circuit of Qiskit,
                Cirq or PennyLane.
            qpu: name or id; any QPU unless given.
            shots: of each circuit that does not state its own; default 1024.
            parameter_values: one set of values for the inputs of each program without its own, or several sets.
            meas_level: 2 = bits, 1 = complex points of each slot.
            meas_return: of points: those of each shot, or their mean.
            memory: also return the outcome of each shot.
            optimization_level: how much a compiler changes the circuits: 0 (gates as written), 1 or 2; the device
                decides unless given.
            dynamical_decoupling: pulses in the waits of qubits against slow noise, ``XX`` or ``XY4``; none unless given.
            scheduling: when operations start: as late as possible (``alap``, the default) or as early (``asap``).
            seed: makes the results of a simulator repeatable.
            allow_uncalibrated: also use parts of the chip that are not calibrated; ``warnings`` of the results name
                them.
            exact: exact values in place of shots, on simulators only: ``expectation_values`` of the circuits that name
                observables, ``probabilities`` of the others.
            precision: of the amplitudes of a simulator: ``single`` takes half the memory and time of ``double``, the
                default.
            max_seconds: most QPU time that the job may use and be charged, over all attempts; then it fails with
                ``max_seconds_reached``.
            require: quality of the qubits and pairs that it may use, such as ``{"readout_fidelity": ">0.97",
                "two_qubit_error": "<0.01", "calibrated_within": "2h"}``; it waits until enough of them have it.
            give_up_after: time from the submission, such as ``2h``, after which it fails with ``given_up`` if it still
                waits.
            tags: at most 10, to find jobs again.
            session: what ``sessions.start`` has returned: the job goes to its QPU, and is cancelled if it waits at its end.
            idempotency_key: a key of your own: submissions with the same key make one job within 24 hours.

        Raises:
            InvalidRequestError: with the place in the program.
            InsufficientTimeError, QpuUnavailableError, TooLargeError, TooManyPendingJobsError, ...
        """
        given = circuits_of(circuits)
        body = body_of(
            given,
            qpu=qpu,
            shots=shots,
            parameter_values=parameter_values,
            meas_level=meas_level,
            meas_return=meas_return,
            memory=memory,
            optimization_level=optimization_level,
            dynamical_decoupling=dynamical_decoupling,
            scheduling=scheduling,
            seed=seed,
            allow_uncalibrated=allow_uncalibrated,
            exact=exact,
            precision=precision,
            max_seconds=max_seconds,
            require=require,
            give_up_after=give_up_after,
            name=name,
            tags=tags,
        )
        raw = await self._submit(given, body, key=idempotency_key or str(uuid.uuid4()), session=session)
        warn_of_submission(raw)
        return AsyncJob.of(raw, self)

    async def resume(self, key: str) -> AsyncJob:
        """The job that a submission with this idempotency key has made, such as one whose response was lost.

        Args:
            key: ``idempotency_key`` of an error, or what was passed to ``submit_job`` within the last 24 hours.

        Raises:
            NotFoundError: with code ``unknown_key``: there is no such job, it can be submitted again. With another
                code: the server is older than this client and cannot tell; submit again with the same key.
        """
        return AsyncJob.of(await self._waiting.read_of_key(key), self)

    async def check_job(self, circuits: Circuits, **as_submit_job: Any) -> DryRun:
        """Checks a job without submitting it: all problems, with line and column.

        Args:
            as_submit_job: the arguments of ``submit_job``.
        """
        given = circuits_of(circuits)
        as_submit_job.pop("idempotency_key", None)
        session = as_submit_job.pop("session", None)
        body = body_of(given, **as_submit_job)
        return DryRun.of(await self._submit(given, body, query={"dry_run": True}, key=None, session=session))

    async def run(
        self, circuits: Circuits, *, timeout: float | None = None, progress: bool | None = None, **as_submit_job: Any
    ) -> Result:
        """Submits a job and waits for its results; see ``submit_job`` and ``Job.result``."""
        job = await self.submit_job(circuits, **as_submit_job)
        return await job.result(timeout, progress)

    async def job(self, job: str | AsyncJob) -> AsyncJob:
        """Reads a job. Without a response that is repeated, as a submission is. Raises NotFoundError."""
        return AsyncJob.of(await self._waiting.read_first(str(job)), self)

    async def cancel_job(self, job: str | AsyncJob) -> AsyncJob:
        """Cancels a pending job. Raises NotPendingError."""
        return await (await self.job(job)).cancel()

    async def jobs(
        self,
        *,
        status: str | None = None,
        qpu: str | Qpu | None = None,
        tag: str | None = None,
        calibration: str | None = None,
        before: str | AsyncJob | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[AsyncJob]:
        """Jobs of the account, newest first, read page by page as they are used.

        Args:
            status: one or several, separated by commas.
            calibration: id of a calibration report with which they ran.
            before: only jobs that were submitted before this one.
            limit: number of jobs; all unless given.
        """
        last = None if before is None else str(before)
        left, most = limit, _PAGE
        while left is None or left > 0:
            size = most if left is None else min(most, left)
            wanted = {"status": status, "qpu": qpu, "tag": tag, "calibration": calibration, "before": last}
            try:
                page = await self._transport.read("/api/jobs", _OMITTED, query={**wanted, "limit": size})
            except TooLargeError:
                # A server that knows no ``omit`` sends programs and results.
                if size == 1:
                    raise
                most = size // 2
                continue
            for raw in page:
                yield AsyncJob.of(raw, self)
            if len(page) < size:
                return
            last = page[-1]["id"]
            left = None if left is None else left - size

    async def wait(
        self, jobs: Iterable[str | AsyncJob], *, timeout: float | None = None, progress: bool | None = None
    ) -> list[AsyncJob]:
        """Waits until all jobs have ended, also those that fail, and returns them in the same order.

        Args:
            jobs: jobs or their ids, of which hundreds are read with one request.
            timeout: seconds for all together; unlimited unless given.
            progress: whether to show the state meanwhile; by default in a terminal or a notebook.

        Raises:
            JobTimeout: some have not ended in time; they go on.
            SvcError: one can no longer be read, because it is gone or the account may not.
        """
        given = list(jobs)
        ended = {job.id: job async for job in self._ends(given, timeout, progress)}
        return [ended[str(job)] for job in given]

    async def as_completed(
        self, jobs: Iterable[str | AsyncJob], *, timeout: float | None = None
    ) -> AsyncIterator[AsyncJob]:
        """Yields each job when it has ended, in the order of their ends. Raises JobTimeout."""
        given = list(jobs)
        async with aclosing(self._ends(given, timeout, False)) as ends:
            async for job in ends:
                yield job

    async def qpus(self) -> list[Qpu]:
        """All QPUs, with the reason of each that runs no jobs."""
        return [Qpu.of(raw) for raw in await self._transport.request("GET", "/api/qpus")]

    async def qpu(self, name: str) -> Qpu:
        """A QPU by name or id, with the description of its device: qubits, gates and errors. Raises NotFoundError."""
        return Qpu.of(await self._transport.request("GET", f"/api/qpus/{segment(name)}"))

    async def availability(self) -> list[Unavailable]:
        """The QPUs that run no jobs now, each with its reason."""
        return [Unavailable.of(raw) for raw in await self._transport.request("GET", "/api/op/qpus/availability")]

    async def schedule(self, start: datetime, end: datetime) -> list[Busy]:
        """When QPUs are occupied: slots, calibrations and maintenance."""
        query = {"from": iso(start), "to": iso(end)}
        return [Busy.of(raw) for raw in (await self._transport.request("GET", "/api/schedule", query=query))["busy"]]

    async def book(self, qpu: str | Qpu, start: datetime, end: datetime) -> Slot:
        """Books a time slot. Raises InvalidRequestError with code ``slot_overlap`` if it is taken."""
        body = {"start_time": iso(start), "end_time": iso(end), "qpu": str(qpu)}
        return Slot.of((await self._transport.request("POST", "/api/bookings", body=body))["slots"][0])

    async def slots(self) -> AsyncIterator[Slot]:
        """The booked slots that the account may see, by their start."""
        async for raw in self._records("time_slots", "start_time"):
            yield Slot.of(raw)

    async def request_time(self, seconds: float, reason: str) -> TimeRequest:
        """Requests QPU time of the operators."""
        user = (await self.me()).id
        fields = {"user": user, "seconds": seconds, "requested_reason": reason, "status": "pending"}
        return TimeRequest.of(await self.collection("qpu_time_requests").create(fields))

    async def me(self) -> User:
        """The account and its balance; limits and credentials are in ``raw``."""
        return User.of(await self._transport.request("GET", "/api/me"))

    async def notifications(self) -> AsyncIterator[Notification]:
        """Messages of the operators, newest first."""
        async for raw in self._records("notifications", "-created"):
            yield Notification.of(raw)

    def collection(self, name: str) -> AsyncCollection:
        """The records of a collection, with filters."""
        return AsyncCollection(self._transport, name)

    async def aclose(self) -> None:
        """Closes its connections."""
        await self._transport.aclose()

    async def __aenter__(self) -> SvcAsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def _waiting(self) -> AsyncWaiting:
        return self._waits.get()

    def __copy__(self) -> SvcAsyncClient:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SvcAsyncClient:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._has_transport:
            raise TypeError("A client with a transport of its own is not pickled; make a client in each process")
        held = self._session_for(None, None)
        credentials, *others = self._options
        # In the other process, there is no statement around that names the session.
        session = credentials.session if held is None else held.secret
        return with_options, (type(self), (replace(credentials, session=session), *others))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._transport.address}>"

    async def _submit(
        self,
        circuits: Sequence[Circuit],
        body: dict[str, Any],
        *,
        key: str | None,
        session: QpuSession | None,
        query: Raw | None = None,
    ) -> Raw:
        held = self._session_for(body.get("qpu_target"), session)
        secret = self._credentials.session if held is None else held.secret
        headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
        if secret is None and self._credentials.qpu is not None:
            body.setdefault("qpu_target", self._credentials.qpu)
        try:
            if key is None:
                sent = self._transport.request(
                    "POST", "/api/jobs", query=query, body=body, headers=headers, is_repeatable=True
                )
            else:
                sent = self._transport.submit("/api/jobs", query=query, body=body, headers=headers, key=key)
            raw: Raw = await sent
        except SvcError as error:
            raise with_places(error, circuits)
        if held is not None and key is not None:
            self._jobs_of.get(held.holder, []).append(raw["id"])
        return raw

    async def _ends(
        self, jobs: Sequence[str | AsyncJob], timeout: float | None, progress: bool | None
    ) -> AsyncGenerator[AsyncJob, None]:
        """Yields each job once when it has ended. Raises JobTimeout."""
        left: dict[str, AsyncJob | None] = {str(job): None if isinstance(job, str) else job for job in jobs}
        for id, job in list(left.items()):
            if job is not None and job.done() and "results" in job.raw:
                del left[id]
                yield job
        deadline = None if timeout is None else time.monotonic() + timeout
        # Of an id alone, nothing is known.
        statuses = {id: "" if job is None else job.status for id, job in left.items()}
        raws = [{"id": id, "status": "not read yet"} if job is None else job.raw for id, job in left.items()]
        shown = progress_of(raws, progress) if left else None
        every = _SHOWN_EVERY if shown is not None and len(left) == 1 else None
        readings = self._waiting.readings(statuses, deadline=deadline, every=every, progress=shown)
        try:
            with interrupted_with(lambda: f"Stopped waiting; {going_on(left)}"):
                async with aclosing(readings):
                    async for raw in readings:
                        known = left.get(raw["id"])
                        job = AsyncJob.of(raw, self) if known is None else known._with(raw)
                        if job.done():
                            left.pop(job.id, None)
                            yield job
                        else:
                            left[job.id] = job
        finally:
            if shown is not None:
                shown.close()
        if left:
            ids, goes = list(left), "it goes on" if len(left) == 1 else "they go on"
            names = f"Job {ids[0]} has" if len(ids) == 1 else f"{len(ids)} jobs have"
            missing = tuple(job for job in left.values() if job is not None)
            raise JobTimeout(f"{names} not ended within {timeout:g} s; {goes}", job_id=ids[0], jobs=missing)

    async def _records(self, collection: str, sort: str) -> AsyncIterator[dict[str, Any]]:
        records, page = self.collection(collection), 1
        while True:
            found = await records.list(sort=sort, page=page, per_page=_PAGE, skip_total=True)
            for raw in found.items:
                yield raw
            if len(found.items) < _PAGE:
                return
            page += 1
