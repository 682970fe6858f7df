"""Errors that the client raises: one class per code that a program can act on, else one per status."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Mapping, TypeVar

from ._error_classes import CLASS_OF_CODE, CLASS_OF_STATUS

if TYPE_CHECKING:
    from ._wire import FieldError

JobT = TypeVar("JobT")


class SvcError(Exception):
    """Any error of this package. Programs decide by its class or its ``code``.

    Attributes:
        message: the text of the exception.
        status: HTTP status of the response; 0 without a response.
        code: stable identifier of the reason, such as ``insufficient_qpu_seconds``; may be empty.
        request_id: identifies the request in the log of the server; may be empty.
        fields: invalid fields by their path, such as ``circuits.0.circuit``; a syntax error has ``line`` and
            ``column`` in ``params``.
        retry_after: seconds after which the server asks to try again, or None.
        idempotency_key: of a submission that may have made a job although it raised; ``client.resume`` finds that job.
            Empty if there is none.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        request_id: str = "",
        fields: Mapping[str, FieldError] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.fields: Mapping[str, FieldError] = fields or {}
        self.retry_after = retry_after
        self.idempotency_key = ""

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the lines of the program that led to it, without those of this package."""
        # The machinery of the notebook comes first, outside of the cells.
        packages = (__file__, getattr(sys.modules.get("IPython"), "__file__", None) or __file__)
        hidden = tuple(f"{Path(each).parent}{os.sep}" for each in packages)
        frames = traceback.extract_tb(self.__traceback__)
        shown = [each for each in frames if not each.filename.startswith(hidden)]
        lines = [f"{each.filename}:{each.lineno} in {each.name}\n    {each.line}" for each in shown]
        return [*lines, f"{type(self).__name__}: {self}"]


class SubmissionWarning(UserWarning):
    """What the server warns of in a job that it has accepted, such as a recalled calibration of its QPU."""


class RecalledResultWarning(UserWarning):
    """An operator has declared the calibration or the time bad with which a result was measured."""


class InvalidRequestError(SvcError):
    """A field, a program or a parameter is invalid; ``fields`` says which, the text shows the line."""


class AuthenticationError(SvcError):
    """The token is missing, expired or deleted."""


class PermissionDeniedError(SvcError):
    """The account, or the scope of its token, does not allow this."""


class InsufficientTimeError(PermissionDeniedError):
    """The balance of QPU seconds is used up."""


class NotFoundError(SvcError):
    """It does not exist, or belongs to another user."""


class ConflictError(SvcError):
    """It contradicts the present state."""


class NotPendingError(ConflictError):
    """The job runs or has ended."""


class TooManyPendingJobsError(ConflictError):
    """The account has as many pending jobs as it may have."""


class IdempotencyConflictError(ConflictError):
    """The idempotency key was used for another submission."""


class SessionEndedError(ConflictError):
    """The session has ended: its time or the balance is over, a booking of another user began, or it was ended."""


class TooLargeError(SvcError):
    """The request, or the page that it asks for, is larger than the server allows."""


class RateLimitedError(SvcError):
    """Too many requests, also after the repetitions of this client; ``retry_after`` is in seconds."""


class QpuUnavailableError(SvcError):
    """The QPU is disabled or in maintenance; the text has the reason."""

    @property
    def reason(self) -> str:
        """Why the QPU takes no jobs."""
        return self.message


class ServerError(SvcError):
    """The server failed, or is temporarily unavailable."""


class ConnectionLostError(SvcError, ConnectionError):
    """No server could be reached, or the connection ended before the response.

    Attributes:
        maybe_done: the server may have carried out the request.
        is_definite: repeating it does not help: no server has the name, or its certificate is not trusted.
    """

    def __init__(self, message: str, *, maybe_done: bool = False, is_definite: bool = False) -> None:
        super().__init__(message, code="connection_lost")
        self.maybe_done = maybe_done
        self.is_definite = is_definite


class JobFailedError(SvcError):
    """A job whose result was requested has failed; ``code`` and the text say why."""

    def __init__(self, message: str, *, job_id: str = "", code: str = "") -> None:
        super().__init__(message, code=code)
        self.job_id = job_id


class JobCancelledError(SvcError):
    """A job whose result was requested was cancelled."""

    def __init__(self, message: str, *, job_id: str = "") -> None:
        super().__init__(message, code="cancelled")
        self.job_id = job_id


class JobTimeout(SvcError, TimeoutError, Generic[JobT]):
    """The time to wait is over. The job goes on; ``error.job.result()`` continues to wait.

    Attributes:
        job: the job, or the first of several that have not ended; None after unpickling.
        jobs: all jobs that have not ended.
    """

    job: JobT | None
    jobs: tuple[JobT, ...]

    def __init__(self, message: str, *, job_id: str = "", jobs: tuple[JobT, ...] = ()) -> None:
        super().__init__(message, code="timeout")
        self.job_id = job_id
        self.jobs = jobs
        self.job = jobs[0] if jobs else None

    def __reduce__(self) -> tuple[Any, ...]:
        # Clients hold connections, which are not passed to other processes.
        return _restore_timeout, (self.message, self.job_id)


class SessionTimeout(SvcError, TimeoutError):
    """A session was not active within the time to wait; unless it was started for a ``with`` statement, it still waits."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="timeout")


def _restore_timeout(message: str, job_id: str) -> JobTimeout[Any]:
    return JobTimeout(message, job_id=job_id)


_CLASSES: dict[str, type[SvcError]] = {
    each.__name__: each
    for each in (
        InvalidRequestError,
        AuthenticationError,
        PermissionDeniedError,
        InsufficientTimeError,
        NotFoundError,
        ConflictError,
        NotPendingError,
        TooManyPendingJobsError,
        IdempotencyConflictError,
        SessionEndedError,
        TooLargeError,
        RateLimitedError,
        QpuUnavailableError,
    )
}

# Statuses of a server that did not carry out the request, whatever it was.
_REFUSED = frozenset({429, 503})
# Statuses after which it is unknown whether the request was carried out.
_FAILED = frozenset({500, 502, 504})


def error_of(status: int, message: str, *, code: str = "", **details: Any) -> SvcError:
    """The error of a response, in the class of its code or, failing that, of its status."""
    name = CLASS_OF_CODE.get(code) or CLASS_OF_STATUS.get(status, "")
    return _CLASSES.get(name, ServerError)(message, status=status, code=code, **details)


def other_response(asked: str, received: str) -> SvcError:
    """The error of a response that belongs to another request, as where processes share a connection."""
    text = f"Asked for {asked}, received {received}: a proxy or a shared connection mixes up responses"
    return ServerError(text, status=200, code="other_response")


def is_temporary(error: SvcError) -> bool:
    """Whether a later attempt may succeed: the network or the server failed, rather than the request."""
    if isinstance(error, ConnectionLostError):
        return not error.is_definite
    if isinstance(error, QpuUnavailableError):
        return False
    return error.status in _REFUSED or error.status in _FAILED


def is_from_standby(error: SvcError) -> bool:
    """Whether the server stands by while another one leads: it did nothing, and may lead next."""
    return error.code == "not_leader"


def is_retried(error: SvcError, is_repeatable: bool) -> bool:
    """Whether the client sends the request again."""
    if not is_temporary(error) or is_repeatable:
        return is_temporary(error)
    if isinstance(error, ConnectionLostError):
        return not error.maybe_done
    return error.status in _REFUSED
