"""Devices in Python for the drivers of svc, the quantum job control service.

    from svc_driver import ProcessDevice, counts_result, option

    class Coin(ProcessDevice):
        bias: float = option(0.5, min=0, max=1, help="Probability of 1")

        def run(self, job, io):
            for execution in job.executions():
                yield counts_result(execution, {"1": execution.shots})

``svc-driver start --operation process --device lab:Coin -o bias=0.3`` runs it.
"""

from ._device import CalibrateDevice, CalibrationRequest, Device, MonitorDevice, ProcessDevice
from ._errors import CalibrationError, Cancelled, Fail, JobError, Retry, StartupError
from ._io import CalibrationIo, JobIo, MonitorIo, StopIo, TunerIo
from ._job import Execution, Job
from ._options import SafePath, Seconds, Secret, Url, env, option
from ._raw import open_run
from ._results import counts_result, job_results, points_result
from ._version import VERSION as __version__

__all__ = [
    "CalibrateDevice",
    "CalibrationError",
    "CalibrationIo",
    "CalibrationRequest",
    "Cancelled",
    "Device",
    "Execution",
    "Fail",
    "Job",
    "JobError",
    "JobIo",
    "MonitorDevice",
    "MonitorIo",
    "ProcessDevice",
    "Retry",
    "SafePath",
    "Seconds",
    "Secret",
    "StartupError",
    "StopIo",
    "TunerIo",
    "Url",
    "__version__",
    "counts_result",
    "env",
    "job_results",
    "open_run",
    "option",
    "points_result",
]
