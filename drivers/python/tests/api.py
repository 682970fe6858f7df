"""Devices that use the public names as their types say; ``mypy --strict`` and ``pyright`` read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from svc_driver import (
    CalibrateDevice,
    CalibrationIo,
    CalibrationRequest,
    Execution,
    Job,
    JobError,
    JobIo,
    MonitorDevice,
    MonitorIo,
    ProcessDevice,
    SafePath,
    Seconds,
    Secret,
    StopIo,
    TunerIo,
    Url,
    counts_result,
    env,
    option,
    points_result,
)
from svc_driver import testing as device_testing

if TYPE_CHECKING:
    from typing_extensions import assert_type

    class Chip(ProcessDevice):
        cluster_ip: str = option(required=True, example="10.0.0.2", help="Address of the cluster")
        settle: Seconds = option(0.2, min=0, help="Pause after a reset")
        wiring: SafePath | None = option(None, help="Hardware file")
        camera: Url | None = option(None)
        basis: Literal["x", "z"] = option("z")
        key: Secret = env("CLUSTER_KEY")

        def start(self) -> None:
            assert_type(self.data_dir, Path)
            assert_type(self.cluster_ip, str)

        def run(self, job: Job, io: JobIo) -> Iterator[dict[str, Any]]:
            for execution in job.executions():
                assert_type(execution, Execution)
                io.phase(f"circuit {execution.index}")
                io.check()
                if io.cancelled:
                    raise JobError("longer than 80 µs", code="too_deep", circuit_index=execution.index)
                yield counts_result(execution, {"0": execution.shots})
                yield points_result(execution, [[1 + 0j]])

        def stop(self, io: StopIo) -> None:
            io.extend(5, "the magnet is warming up")

    class AsyncChip(ProcessDevice):
        async def run(self, job: Job, io: JobIo) -> list[dict[str, Any]]:
            return [counts_result(each, {0: each.shots}) for each in job.executions()]

    class Thermometer(MonitorDevice):
        def start(self, io: MonitorIo) -> None:
            io.every(5, lambda: io.emit("CryostatReading", {"readings": []}))

    class Tuner(CalibrateDevice):
        def start(self, io: TunerIo) -> None:
            assert_type(io.calibrate_now("partial", ["q0"]), "dict[str, Any] | None")

        def calibrate(self, request: CalibrationRequest, io: CalibrationIo) -> dict[str, Any]:
            assert_type(request.target_qubits, tuple[str, ...])
            io.progress({"routine": "rabi"})
            return {"status": "ok"}

    def tests_of_a_lab() -> None:
        assert_type(device_testing.run(Chip, {"cluster_ip": "10.0.0.2"}, "OPENQASM 3.0;"), dict[str, Any])
