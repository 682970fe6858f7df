"""Errors of devices that the driver reports as they are."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from typing import Literal

ErrorClass = Literal["user", "device"]


class StartupError(Exception):
    """Prevents the start: the driver prints every reason on a line of its own and exits.

    The exit status is 1 for options and files that are wrong, and 69 while the device is created or started.
    """

    def __init__(self, reasons: str | Iterable[str]) -> None:
        self.reasons: tuple[str, ...] = (reasons,) if isinstance(reasons, str) else tuple(reasons)
        super().__init__("\n".join(self.reasons))


class JobError(Exception):
    """A failed job. The message is shown to the user unchanged: no paths of the host, no secrets.

    ``error_class`` is ``user`` if the job itself can never run, and ``device`` if another attempt may succeed; `Fail` and
    `Retry` are short for them. ``executed`` says whether the device spent time on the job; the user is charged for that time.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        circuit_index: int | None = None,
        error_class: ErrorClass = "user",
        executed: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.circuit_index = circuit_index
        self.error_class: ErrorClass = error_class
        self.executed = executed


class Fail(JobError):
    """A failed job that is not tried again: what a `JobError` is without ``error_class``."""

    def __init__(
        self, message: str, *, code: str | None = None, circuit_index: int | None = None, executed: bool = False
    ) -> None:
        super().__init__(message, code=code, circuit_index=circuit_index, executed=executed)


class Retry(JobError):
    """A fault of the equipment: the job runs again after a pause, until its attempts are used up. Not charged."""

    def __init__(self, message: str, *, code: str | None = None, circuit_index: int | None = None) -> None:
        super().__init__(message, code=code, circuit_index=circuit_index, error_class="device", executed=True)


class CalibrationError(Exception):
    """A failed calibration. The report shows the message unchanged: no paths of the host, no secrets."""


class OptionValueError(ValueError):
    """A text that is not a value of an option; ``shown`` says whether the report may repeat the text."""

    def __init__(self, reason: str, *, shown: bool = True) -> None:
        super().__init__(reason)
        self.shown = shown


class Cancelled(BaseException):
    """Raised by ``io.check()`` when the task has to end. Like ``KeyboardInterrupt`` it passes ``except Exception``."""


def job_failure(error: BaseException, retry_on: tuple[type[BaseException], ...] = ()) -> dict[str, object]:
    """The failure that the driver reports for an error of ``run``.

    An exception that is no `JobError` ends the job and is not charged, unless it is one of ``retry_on``: then the job is
    tried again. Its last line is for the owner of the job and superusers alone.
    """
    if isinstance(error, Cancelled):
        return {"class": "user", "message": "job cancelled", "executed": True}
    if not isinstance(error, JobError):
        message = f"{type(error).__name__}: job execution failed, see the driver log"
        lines = "".join(traceback.format_exception_only(error)).strip().splitlines()
        failed = {"message": message, "error_code": "device_error", "detail": (lines or [""])[-1][:1_000]}
        is_repeated = isinstance(error, retry_on)
        return {**failed, "class": "device" if is_repeated else "user", "executed": is_repeated}
    failure: dict[str, object] = {
        "class": "device" if error.error_class == "device" else "user",
        "message": str(error)[:4_000],
        "executed": bool(error.executed),
    }
    if error.code is not None:
        failure["error_code"] = str(error.code)[:100]
    if error.circuit_index is not None and error.circuit_index >= 0:
        failure["circuit_index"] = int(error.circuit_index)
    return failure


def calibration_failure(error: BaseException) -> dict[str, object]:
    """As `job_failure`, for ``calibrate``."""
    if isinstance(error, Cancelled):
        message = "calibration stopped"
    elif isinstance(error, CalibrationError):
        message = str(error)
    else:
        message = f"{type(error).__name__}: calibration failed, see the driver log"
    return {"class": "device", "message": message[:4_000], "executed": True}
