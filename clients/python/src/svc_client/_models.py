"""What the client returns: frozen objects with the whole response of the server in ``raw``."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from datetime import datetime, timezone
from html import escape
from typing import Any, Literal, Mapping, cast

from ._errors import RecalledResultWarning, SubmissionWarning

# A state that a newer server adds is passed on as text.
Status = Literal["pending", "running", "completed", "failed", "cancelled"]
Raw = Mapping[str, Any]


def time_of(text: object) -> datetime | None:
    """A time of the server, in UTC; None if it is not set."""
    if not isinstance(text, str) or not text:
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _required_time(text: object) -> datetime:
    return time_of(text) or datetime.fromtimestamp(0, timezone.utc)


def iso(time: datetime) -> str:
    """A time as the server reads it. Times without zone are local."""
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def warn_if_recalled(raw: Raw) -> None:
    """Warns the caller of ``result()`` that the result of a job is not to be relied on."""
    mark = raw.get("recalled")
    if mark:
        text = f"The result of job {raw['id']} was recalled: {mark['reason']}"
        warnings.warn(text, RecalledResultWarning, stacklevel=3)


def warn_of_submission(raw: Raw) -> None:
    """Warns the caller of ``submit_job()`` of what the server warns of; one of the release before names nothing."""
    for warning in raw.get("warnings") or ():
        warnings.warn(warning["message"], SubmissionWarning, stacklevel=3)


def has_ended(status: str) -> bool:
    """Whether a job does not leave this state."""
    return status in ("completed", "failed", "cancelled")


@dataclass(frozen=True)
class Waiting:
    """Why a job is pending: ``code`` for programs, ``text`` for people, ``until`` when it ends, if known."""

    code: str
    text: str
    until: datetime | None


@dataclass(frozen=True)
class JobFailure:
    """Why a job has no results."""

    code: str
    message: str


@dataclass(frozen=True)
class CalibrationState:
    """The calibration of a QPU at one moment; None is not known.

    Attributes:
        report: id of the newest calibration report in force.
        calibrated_at: its end.
        device_file: ``sha256`` and ``modified_at`` of the device file in use.
    """

    report: str | None
    calibrated_at: datetime | None
    device_file: Mapping[str, str] | None


@dataclass(frozen=True)
class JobCalibration:
    """The calibration when the last attempt of a job began and when it ended.

    Attributes:
        changed: whether the report or the device file is another one after it.
        raw: what the server has sent.
    """

    before: CalibrationState
    after: CalibrationState
    changed: bool
    raw: Mapping[str, Any] = field(repr=False)


def _calibration_state(raw: Mapping[str, Any]) -> CalibrationState:
    return CalibrationState(raw.get("report"), time_of(raw.get("calibrated_at")), raw.get("device_file"))


@dataclass(frozen=True)
class Recall:
    """Why the result of a job is not to be relied on: ``reason`` of the operators, ``at`` when they declared it."""

    id: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class Step:
    """One step in the life of a job."""

    at: datetime
    event: str
    attempt: int
    detail: str


@dataclass(frozen=True)
class Estimate:
    """What is expected of a job: ranges that contain the real value four times in five, as measured.

    Attributes:
        qpu_seconds: QPU time, from and to, in s.
        start: the earliest and the latest start; None when nobody can say.
        charge: what is deducted from the balance, from and to, in s; 0 for an unlimited user.
        basis: ``same_program`` (earlier runs of the same programs), ``recent_jobs`` of the QPU, or ``assumed``.
    """

    qpu_seconds: tuple[float, float]
    start: tuple[datetime, datetime] | None
    charge: tuple[float, float]
    basis: str

    @classmethod
    def of(cls, raw: Raw | None) -> Estimate | None:
        """That of a response; None for a server of the release before."""
        if not raw:
            return None
        seconds, charge, start = raw["qpu_seconds"], raw["charge"], raw["start"]
        times = (_required_time(start["from"]), _required_time(start["to"])) if start else None
        return cls((seconds["from"], seconds["to"]), times, (charge["from"], charge["to"]), raw["basis"])


@dataclass(frozen=True, eq=False)
class JobRecord:
    """What a job was when it was read. Times are in UTC, durations in seconds.

    Attributes:
        qpu: id of the QPU that runs or ran it, else of the requested one; None = any.
        shots: shots of the circuit that has most; None if unknown.
        attempt: how often it was given to a driver.
        waiting: why it is pending; None in other states and in lists.
        queue_position: 1 = next.
        estimated_start: the earliest and the latest start that is expected.
        charged_seconds: deducted from the balance; None until it has ended.
        raw: all that the server has sent.
    """

    id: str
    name: str
    tags: tuple[str, ...]
    status: Status
    qpu: str | None
    shots: int | None
    attempt: int
    error: JobFailure | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    charged_seconds: float | None
    timeline: tuple[Step, ...]
    waiting: Waiting | None
    queue_position: int | None
    estimated_start: tuple[datetime, datetime] | None
    raw: dict[str, Any] = field(repr=False)

    @property
    def estimate(self) -> Estimate | None:
        """What was expected of it at its submission; None in lists and where the server does not say."""
        return Estimate.of(self.raw.get("estimate"))

    @property
    def progress(self) -> float:
        """Part of it that its last attempt has done, from 0 to 1; 0 if the device does not report it."""
        return float(self.raw.get("progress") or 0)

    @property
    def recalled(self) -> Recall | None:
        """Why its result is not to be relied on; None unless it was recalled, and in lists (``refresh`` it)."""
        raw = self.raw.get("recalled")
        return Recall(raw["recall"], raw["reason"], _required_time(raw["at"])) if raw else None

    @property
    def disturbed_by(self) -> str | None:
        """Report of a calibration that ran on the QPU while the job did; None if there was none, and in lists."""
        return self.raw.get("disturbed_by")

    @property
    def give_up_at(self) -> datetime | None:
        """When it fails if it still waits; None if never, and in lists."""
        return time_of(self.raw.get("give_up_at"))

    def calibration(self) -> JobCalibration | None:
        """The calibration that was in force when its last attempt began and when it ended.

        None for a job that has not run, that a list returned (``refresh`` it), or whose driver and server do not know it.
        """
        raw = self.raw.get("calibration")
        if not raw:
            return None
        before, after = (_calibration_state(raw[name]) for name in ("before", "after"))
        return JobCalibration(before, after, bool(raw["changed"]), raw)

    def done(self) -> bool:
        """Whether it is completed, failed or cancelled."""
        return has_ended(self.status)

    def __str__(self) -> str:
        return self.id

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<{type(self).__name__} {self.id}{name}: {describe(self.raw)}>"

    def _repr_html_(self) -> str:
        rows = [("id", self.id), ("name", self.name), ("status", describe(self.raw)), ("tags", ", ".join(self.tags))]
        return _table([row for row in rows if row[1]])


def job_fields(raw: dict[str, Any]) -> dict[str, Any]:
    """The fields of ``JobRecord``."""
    waiting, error, estimate = raw.get("waiting"), raw.get("error"), raw.get("estimated_start")
    return {
        "id": raw["id"],
        "name": raw.get("name", ""),
        "tags": tuple(raw.get("tags") or ()),
        "status": cast(Status, raw["status"]),
        "qpu": raw.get("qpu") or raw.get("qpu_target") or None,
        "shots": raw.get("shots") or None,
        "attempt": int(raw.get("attempt") or 0),
        "error": JobFailure(error["code"], error["message"]) if error else None,
        "created": _required_time(raw.get("created")),
        "started": time_of(raw.get("started_at")),
        "finished": time_of(raw.get("finished_at")),
        "charged_seconds": raw.get("charged_seconds"),
        "timeline": tuple(
            Step(_required_time(step["at"]), step["event"], int(step["attempt"]), step["detail"])
            for step in raw.get("timeline") or ()
        ),
        "waiting": Waiting(waiting["code"], waiting["text"], time_of(waiting.get("until"))) if waiting else None,
        "queue_position": raw.get("queue_position"),
        "estimated_start": (_required_time(estimate["from"]), _required_time(estimate["to"])) if estimate else None,
        "raw": raw,
    }


def describe(raw: Raw) -> str:
    """The state of a job in one line."""
    status = str(raw["status"])
    if status == "pending":
        waiting, estimate = raw.get("waiting"), raw.get("estimated_start")
        parts = [waiting["text"]] if waiting else []
        if raw.get("queue_position") is not None and not parts:
            parts.append(f"number {raw['queue_position']} in the queue")
        if estimate:
            parts.append(f"starts about {_required_time(estimate['from']).astimezone():%H:%M}")
        return ", ".join(["pending", *parts])
    if status == "failed" and raw.get("error"):
        return f"failed: {raw['error']['message']}"
    if status == "completed":
        charged = raw.get("charged_seconds")
        seconds = f" in {raw['duration']:g} s" if raw.get("duration") is not None else ""
        return f"completed{seconds}" + (f", charged {charged:g} s" if charged is not None else "")
    if status == "running" and raw.get("progress"):
        return f"running, {min(99, round(raw['progress'] * 100)) if raw['progress'] < 1 else 100} % done"
    return status


@dataclass(frozen=True)
class Qpu:
    """A QPU. ``description`` says what its device runs: qubits, gates, errors; only ``client.qpu(name)`` reads it.

    Attributes:
        reason: why it runs no jobs now; None = it does.
        queue_length: queued jobs that it may run.
    """

    id: str
    name: str
    status: str
    enabled: bool
    num_qubits: int
    reason: str | None
    queue_length: int
    description: dict[str, Any] | None = field(repr=False)
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Qpu:
        """That of a response."""
        reason, length = raw.get("reason"), int(raw.get("queue_length") or 0)
        text, qubits, described = reason["text"] if reason else None, int(raw["num_qubits"]), raw.get("description")
        return cls(raw["id"], raw["name"], raw["status"], raw["enabled"], qubits, text, length, described, raw)

    def __str__(self) -> str:
        return self.name

    def _repr_html_(self) -> str:
        state = self.reason or self.status
        return _table([("QPU", self.name), ("qubits", self.num_qubits), ("state", state), ("queue", self.queue_length)])


@dataclass(frozen=True)
class Unavailable:
    """A QPU that runs no jobs now, and why."""

    id: str
    name: str
    reason: str
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Unavailable:
        """That of a response."""
        return cls(raw["id"], raw["name"], raw["reason"], raw)


@dataclass(frozen=True)
class Busy:
    """A time at which a QPU is occupied. ``qpu`` is None for every QPU; a time that is not known is None."""

    qpu: str | None
    kind: str
    start: datetime | None
    end: datetime | None
    mine: bool
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Busy:
        """That of a response."""
        return cls(raw["qpu"] or None, raw["kind"], time_of(raw["start"]), time_of(raw["end"]), raw["mine"], raw)


@dataclass(frozen=True)
class Slot:
    """A booked time. ``qpu`` is the id of the QPU; None = every QPU."""

    id: str
    qpu: str | None
    start: datetime
    end: datetime
    booked_by: str
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Slot:
        """That of a response."""
        start, end = _required_time(raw["start_time"]), _required_time(raw["end_time"])
        return cls(raw["id"], raw["qpu"] or None, start, end, raw["booked_by"], raw)


@dataclass(frozen=True)
class QpuSession:
    """A QPU held for the account without a booking, as it was when it was read.

    Attributes:
        qpu: name of the QPU.
        mode: ``exclusive``: only jobs of the account run, and the time is charged; ``batch``: they go first.
        state: ``queued``, ``active``, ``paused`` or ``closed``.
        position: place in the line of the QPU, 1 = first; None once it is closed.
        expected_start: the earliest and the latest start of a queued one.
        ends_at: when it ends at the latest; None before it was active.
        paused_by: why it is paused, such as ``idle``.
        end: why it is closed: ``expired``, ``ended``, ``booking`` (of another user) or ``balance``.
        held_seconds: time for which it was charged.
        max_cost_seconds: the most that it can cost, in QPU seconds.
        holder: id of the holder that the start added; empty of a session that was read.
        secret: submits to the QPU until the holder ends; of a start only, as ``holder``.
    """

    id: str
    qpu: str
    qpu_id: str
    mode: str
    state: str
    seconds: int
    position: int | None
    expected_start: tuple[datetime, datetime] | None
    ends_at: datetime | None
    paused_by: str
    end: str
    held_seconds: float
    max_cost_seconds: float
    holder: str
    secret: str = field(repr=False)
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> QpuSession:
        """That of a response."""
        names = ("mode", "state", "seconds", "position", "paused_by", "end", "held_seconds", "max_cost_seconds")
        range_of = raw["expected_start"]
        start = (_required_time(range_of["from"]), _required_time(range_of["to"])) if range_of else None
        return cls(
            id=raw["id"],
            qpu=raw["qpu_target"],
            qpu_id=raw["qpu"],
            expected_start=start,
            ends_at=time_of(raw["ends_at"]),
            holder=raw.get("holder", ""),
            secret=raw.get("secret", ""),
            raw=raw,
            **{name: raw[name] for name in names},
        )

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True)
class TimeRequest:
    """A request for QPU time: ``seconds`` asked for, ``granted_seconds`` approved."""

    id: str
    seconds: float
    status: str
    reason: str
    granted_seconds: float
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> TimeRequest:
        """That of a response."""
        granted = raw.get("granted_seconds") or 0
        return cls(raw["id"], raw["seconds"], raw["status"], raw["requested_reason"], granted, raw)


@dataclass(frozen=True)
class User:
    """The own account. ``qpu_seconds`` is the balance in seconds; None = unlimited."""

    id: str
    email: str
    role: str
    qpu_seconds: float | None
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> User:
        """That of a response."""
        account, balance = raw["account"], raw.get("balance")
        seconds = balance["qpu_seconds"] if balance and not balance["unlimited"] else None
        return cls(account["id"], account.get("email", ""), raw["role"], seconds, raw)


@dataclass(frozen=True)
class Notification:
    """A message of the operators."""

    id: str
    title: str
    description: str
    start: datetime | None
    end: datetime | None
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> Notification:
        """That of a response."""
        start, end = time_of(raw["start_time"]), time_of(raw["end_time"])
        return cls(raw["id"], raw["title"], raw["description"], start, end, raw)


@dataclass(frozen=True)
class ApiToken:
    """An API token without its text. ``scope``: read, submit or all; ``expires_at`` None = never."""

    id: str
    name: str
    scope: str
    expires_at: datetime | None
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> ApiToken:
        """That of a response."""
        return cls(raw["id"], raw["name"], raw["scope"], time_of(raw["expires_at"]), raw)


@dataclass(frozen=True)
class NewToken:
    """A token that was just created. Only this response has its text, ``token``."""

    id: str
    name: str
    scope: str
    expires_at: datetime | None
    token: str = field(repr=False)
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> NewToken:
        """That of a response."""
        return cls(raw["id"], raw["name"], raw["scope"], time_of(raw["expires_at"]), raw["token"], raw)


@dataclass(frozen=True)
class Problem:
    """Why a job would be refused. ``line`` and ``column`` are those of the program, from 1."""

    path: str
    code: str
    message: str
    line: int | None
    column: int | None


@dataclass(frozen=True)
class DryRun:
    """What the server would do with a job: all problems, executions, qubits."""

    accepted: bool
    problems: tuple[Problem, ...]
    executions: int
    qubits: int
    ignored: tuple[str, ...]
    raw: dict[str, Any] = field(repr=False)
    # A server of the release before names none.
    warnings: tuple[Problem, ...] = ()
    # None unless it would be accepted.
    estimate: Estimate | None = None

    @classmethod
    def of(cls, raw: dict[str, Any]) -> DryRun:
        """That of a response."""
        problems, warnings = (tuple(map(_problem, raw.get(key, []))) for key in ("problems", "warnings"))
        estimate = Estimate.of(raw.get("estimate"))
        ignored = tuple(raw["ignored"])
        return cls(raw["accepted"], problems, raw["executions"], raw["qubits"], ignored, raw, warnings, estimate)


def _problem(raw: Raw) -> Problem:
    params = raw.get("params") or {}
    return Problem(raw["path"], raw["code"], raw["message"], params.get("line"), params.get("column"))


@dataclass(frozen=True)
class Change:
    """A change of a record: ``create``, ``update`` or ``delete``."""

    action: str
    record: dict[str, Any]


@dataclass(frozen=True)
class RecordPage:
    """One page of the records of a collection. ``total_items`` is -1 if they were not counted."""

    page: int
    per_page: int
    total_items: int
    total_pages: int
    items: list[dict[str, Any]]
    raw: dict[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: dict[str, Any]) -> RecordPage:
        """That of a response."""
        return cls(raw["page"], raw["perPage"], raw["totalItems"], raw["totalPages"], raw["items"], raw)


def _table(rows: list[tuple[str, object]] | list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{escape(key)}</th><td>{escape(str(value))}</td></tr>" for key, value in rows)
    return f"<table>{cells}</table>"
