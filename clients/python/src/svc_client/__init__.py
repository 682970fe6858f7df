"""Client of svc, the quantum job control service.

    from svc_client import SvcClient

    svc = SvcClient()
    job = svc.submit_job('OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; h q; c = measure q;', shots=1000)
    print(job.result().counts())
"""

from . import _wire as wire
from ._async.admin import AsyncAdmin
from ._async.calibrations import AsyncCalibrations
from ._async.client import SvcAsyncClient
from ._async.collection import AsyncCollection
from ._async.job import AsyncJob
from ._async.sessions import AsyncSessions
from ._async.tokens import AsyncTokens
from ._calibration import CalibrationReport
from ._credentials import save_account
from ._errors import (
    AuthenticationError,
    ConflictError,
    ConnectionLostError,
    IdempotencyConflictError,
    InsufficientTimeError,
    InvalidRequestError,
    JobCancelledError,
    JobFailedError,
    JobTimeout,
    NotFoundError,
    NotPendingError,
    PermissionDeniedError,
    QpuUnavailableError,
    RateLimitedError,
    RecalledResultWarning,
    ServerError,
    SessionEndedError,
    SessionTimeout,
    SubmissionWarning,
    SvcError,
    TooLargeError,
    TooManyPendingJobsError,
)
from ._http import Timeout
from ._models import (
    ApiToken,
    Busy,
    CalibrationState,
    Change,
    DryRun,
    Estimate,
    JobCalibration,
    JobFailure,
    NewToken,
    Notification,
    Problem,
    Qpu,
    QpuSession,
    Recall,
    RecordPage,
    Slot,
    Status,
    Step,
    TimeRequest,
    Unavailable,
    User,
    Waiting,
)
from ._result import CircuitResult, PartialResults, Provenance, Result
from ._retries import Retries
from ._submission import Circuit, Circuits
from ._sync.admin import Admin
from ._sync.calibrations import Calibrations
from ._sync.client import SvcClient
from ._sync.collection import Collection
from ._sync.job import Job
from ._sync.sessions import Sessions
from ._sync.tokens import Tokens
from ._version import VERSION as __version__

__all__ = [
    "Admin",
    "ApiToken",
    "AsyncAdmin",
    "AsyncCalibrations",
    "AsyncCollection",
    "AsyncJob",
    "AsyncSessions",
    "AsyncTokens",
    "AuthenticationError",
    "Busy",
    "CalibrationReport",
    "CalibrationState",
    "Calibrations",
    "Change",
    "Circuit",
    "CircuitResult",
    "Circuits",
    "Collection",
    "ConflictError",
    "ConnectionLostError",
    "DryRun",
    "Estimate",
    "IdempotencyConflictError",
    "InsufficientTimeError",
    "InvalidRequestError",
    "Job",
    "JobCalibration",
    "JobCancelledError",
    "JobFailedError",
    "JobFailure",
    "JobTimeout",
    "NewToken",
    "NotFoundError",
    "NotPendingError",
    "Notification",
    "PermissionDeniedError",
    "Problem",
    "PartialResults",
    "Provenance",
    "Qpu",
    "QpuSession",
    "QpuUnavailableError",
    "RateLimitedError",
    "Recall",
    "RecalledResultWarning",
    "RecordPage",
    "Result",
    "Retries",
    "ServerError",
    "SessionEndedError",
    "SessionTimeout",
    "Sessions",
    "Slot",
    "Status",
    "Step",
    "SubmissionWarning",
    "SvcAsyncClient",
    "SvcClient",
    "SvcError",
    "TimeRequest",
    "Timeout",
    "Tokens",
    "TooLargeError",
    "TooManyPendingJobsError",
    "Unavailable",
    "User",
    "Waiting",
    "__version__",
    "save_account",
    "wire",
]
