"""Devices of the tests."""

from __future__ import annotations

from typing import Literal

from svc_driver import (
    CalibrateDevice,
    Fail,
    JobError,
    MonitorDevice,
    ProcessDevice,
    Retry,
    SafePath,
    Seconds,
    Secret,
    Url,
    counts_result,
    env,
    option,
    points_result,
)


class Coin(ProcessDevice):
    bias: float = option(0.5, min=0, max=1, help="Probability of 1")

    def start(self):
        self.is_started = True

    def run(self, job, io):
        for execution in job.executions():
            io.phase(f"circuit {execution.index}")
            io.check()
            if job.meas_level == 1:
                yield points_result(execution, [[complex(self.bias, 1)] * execution.clbits] * execution.shots)
            else:
                ones = round(self.bias * execution.shots)
                yield counts_result(execution, {0: execution.shots - ones, 1: ones}, metadata={"text": execution.text})


class Miscount(ProcessDevice):
    """Counts more or fewer shots than there are."""

    extra: int = option(0)
    stated: bool = option(False, help="Whether it says how many it discarded")

    def run(self, job, io):
        for execution in job.executions():
            discarded = -self.extra if self.stated else 0
            yield counts_result(execution, {0: execution.shots + self.extra}, discarded_shots=discarded)


class Rotations(ProcessDevice):
    """Describes one gate and two qubits."""

    def describe(self):
        limits = {"shots": 100, "executions": 2}
        return {"schema": 1, "qubits": [{"name": "q0"}, {"name": "q1"}], "gates": [{"name": "rx"}], "limits": limits}

    def run(self, job, io):
        for execution in job.executions():
            yield counts_result(execution, {0: execution.shots})


class Compiler(Rotations):
    compiles = True


class Open(ProcessDevice):
    """Declares an option and takes every other one."""

    settle: Seconds = option(1.0)

    def __init__(self, **options):
        self.given = options

    def run(self, job, io):
        for execution in job.executions():
            yield counts_result(execution, {0: execution.shots}, metadata={"given": self.given})


class Slow(ProcessDevice):
    job_timeout = 0.05
    hangs: bool = option(False)

    def run(self, job, io):
        if self.hangs:
            while True:
                pass
        io.sleep(3_600)


class Faulty(ProcessDevice):
    retry_on = (TimeoutError,)
    how: str = option("bug")

    def run(self, job, io):
        if self.how == "retry":
            raise Retry("the fridge is warm")
        if self.how == "fail":
            raise Fail("the qubit is dead", code="dead_qubit")
        raise {"bug": ValueError, "timeout": TimeoutError}[self.how]("cannot read\n/etc/wiring")


class Everything(ProcessDevice):
    bool_: bool = option(True)
    int_: int = option(3, min=1, max=9)
    number: float = option(None, min=-1)
    seconds: Seconds = option(0.5, max=60)
    string: str = option("text")
    choice: Literal["one", "two"] = option("one")
    items: list[str] = option(None)
    url: Url | None = option(None)
    secret: Secret | None = option(None)
    path: SafePath | None = option(None)
    needed: str = option(required=True, example="here", help="What is needed")
    key: Secret = env("GAUGE_KEY")

    def run(self, job, io):
        raise JobError("nothing runs here")


class Strange(ProcessDevice):
    """Returns what its option says."""

    what: str = option("nothing")

    def run(self, job, io):
        return {"nothing": None, "text": "counts", "few": [], "other": [1], "nan": [{"shots": float("nan")}]}[self.what]


class Waiter(ProcessDevice):
    async def run(self, job, io):
        import asyncio

        await asyncio.sleep(0)
        return [counts_result(each, {0: each.shots}) for each in job.executions()]


class Gauge(MonitorDevice):
    def start(self, io):
        io.every(0.01, lambda: io.emit("CryostatReading", {"readings": {}}))


class Tuner(CalibrateDevice):
    def calibrate(self, request, io):
        io.progress({"phase": "routine", "step": 1, "total": 1})
        return {"status": "success", "notes": [request.mode, *request.target_qubits]}
