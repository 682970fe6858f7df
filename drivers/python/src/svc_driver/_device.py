"""Base classes of devices."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

from ._io import CalibrationIo, JobIo, Mode, MonitorIo, StopIo, TunerIo
from ._job import Job

Operation = Literal["process", "monitor", "calibrate"]


@dataclass(frozen=True)
class CalibrationRequest:
    """A calibration to run: a queued request, or one that the tuner started itself."""

    run_id: str
    id: str | None
    """Id of the queued request; None for one that the tuner started."""
    mode: Mode
    target_qubits: tuple[str, ...]
    """With mode ``partial``: the qubits and edges to calibrate."""


class Context:
    """Everything that a device receives; its fields are attributes of the device."""

    def __init__(
        self,
        *,
        name: str,
        options: Mapping[str, Any],
        raw: Mapping[str, str],
        environment: Mapping[str, Any],
        data_dir: Path,
    ) -> None:
        self.name = name
        self.options = options
        self.raw = raw
        self.environment = environment
        self.data_dir = data_dir


class Device:
    """A device: derive from `ProcessDevice`, `MonitorDevice` or `CalibrateDevice`.

    The fields below are set before ``__init__`` is called, which takes no arguments, or ``**options``: every ``-o`` key
    that the driver does not read itself, as text.
    """

    operation: ClassVar[Operation]
    version: ClassVar[str | None] = None
    """Version of the device for logs, if it has one."""

    name: str
    """Name of the device."""
    options: Any
    """Declared options, converted: ``self.options.settle``, also ``self.settle``."""
    raw: Mapping[str, str]
    """Every ``-o`` key that the driver does not read itself, as text."""
    environment: Mapping[str, Any]
    """Declared environment variables, converted."""
    data_dir: Path
    """A folder for the files of the device, in a safe location; it exists."""
    log: logging.Logger
    """A log whose lines the driver writes and redacts like its own."""


class ProcessDevice(Device):
    """Runs jobs, one at a time: a QPU."""

    operation = "process"
    bind: ClassVar[bool] = True
    """Whether the driver parses programs: it refuses those with errors, and ``job.executions()`` knows registers and
    has values in the place of parameters. False for programs that are not OpenQASM."""

    compiles: ClassVar[bool] = False
    """Whether ``run`` takes gates that ``describe`` does not name. Otherwise a job with another gate is refused."""
    job_timeout: ClassVar[float | None] = None
    """Longest execution of one job in s, unless ``-o job_timeout`` says otherwise; None: the 10 s of the driver."""
    retry_on: ClassVar[tuple[type[BaseException], ...]] = ()
    """Exceptions of ``run`` after which the job is tried again, such as ``(TimeoutError, ConnectionError)``. Any other one
    ends the job."""

    def start(self) -> Any:
        """Opens the resources of the device; an error refuses the start with its text."""

    def run(self, job: Job, io: JobIo) -> Any:
        """Runs one job: yields or returns one result for each of ``job.executions()``.

        A `Fail` or another `JobError` fails the job with its message, a `Retry` has it run again. Any other error ends the
        job with a generic message; the owner of the job and superusers read its last line. May be a coroutine.
        """
        raise NotImplementedError

    def describe(self) -> Any:
        """What the QPU can run; asked after the start, after each job and every 10 s between jobs. None: unknown."""

    def stop(self, io: StopIo) -> Any:
        """Closes the device."""


class MonitorDevice(Device):
    """Reports readings on its own schedule."""

    operation = "monitor"

    def start(self, io: MonitorIo) -> Any:
        """Opens the equipment and schedules readings with ``io.every``."""
        raise NotImplementedError

    def stop(self, io: StopIo) -> Any:
        """Closes the equipment."""


class CalibrateDevice(Device):
    """Runs calibrations, one at a time: a tuner."""

    operation = "calibrate"

    def start(self, io: TunerIo) -> Any:
        """Opens the instruments."""

    def calibrate(self, request: CalibrationRequest, io: CalibrationIo) -> Any:
        """Runs one calibration and returns its findings; only ``status`` is required of them.

        A `CalibrationError` makes a failed report with its message, any other error one with a generic message.
        """
        raise NotImplementedError

    def maintenance(self, on: bool) -> Any:
        """Called on the main thread, as soon as it is free, when the QPU enters or leaves maintenance."""

    def stop(self, io: StopIo) -> Any:
        """Closes the instruments; called after the runs have ended."""


BASES: Sequence[type[Device]] = (ProcessDevice, MonitorDevice, CalibrateDevice)


def create(cls: type, context: Context) -> Any:
    """A device of ``cls`` with the fields of `Device`."""
    device: Any = object.__new__(cls)
    device.name = context.name
    device.options = SimpleNamespace(**context.options)
    device.raw = dict(context.raw)
    device.environment = dict(context.environment)
    device.data_dir = context.data_dir
    device.log = logging.getLogger(context.name)
    device.__init__(**(device.raw if takes_any_option(cls) else {}))
    return device


def takes_any_option(cls: type) -> bool:
    """Whether ``__init__`` of a device has ``**options``."""
    function = next((base.__dict__["__init__"] for base in cls.__mro__[:-1] if "__init__" in base.__dict__), None)
    if function is None:
        return False
    return any(each.kind is each.VAR_KEYWORD for each in inspect.signature(function).parameters.values())
