"""The devices of `devices.ts` in Python, for tests that expect the same of both languages."""

import ctypes
import json
import os
import sys
import threading
import time
from pathlib import Path

from svc_driver import (
    CalibrateDevice,
    JobError,
    MonitorDevice,
    ProcessDevice,
    SafePath,
    StartupError,
    job_results,
    option,
)


def results_of(note):
    """The smallest results that pass the checks; the metadata contains `note`."""
    sizes = {"memory_slots": 1, "n_qubits": 1, "creg_sizes": [], "qreg_sizes": []}
    one = {
        "shots": 1,
        "counts": {"0": 1},
        "header": {"name": "circuit_0", "metadata": {}, **sizes},
        "metadata": {},
    }
    return {
        "success": True,
        "backend": "wild",
        "shots": 1,
        "counts": {"0": 1},
        "circuit_results": [one],
        "metadata": {"note": note},
    }


def sleep_in_c():
    # PyDLL keeps the lock of the interpreter, so no other thread runs.
    ctypes.PyDLL(None).sleep(3_600)


class Wild(ProcessDevice):
    """A process device whose circuits are instructions such as `ok hello`, `abort` or `loop`."""

    bind = False
    greeting: str = option(required=True, example="hello", help="Something to say")
    refuse_check: bool = option(False, help="Refuses to start")
    once: SafePath | None = option(None, help="A file that the first start creates, and further starts refuse")

    def start(self):
        if self.refuse_check:
            raise RuntimeError("the fridge is warm")
        if self.once is not None:
            with Path(self.once).open("x") as file:
                file.write("started")

    def run(self, job, io):
        word, _, rest = job.payload["circuits"][0]["circuit"].partition(" ")
        action = getattr(self, f"do_{word}", None)
        if action is None:
            raise JobError(f"no action called {word}")
        return action(rest, io)

    def do_ok(self, rest, io):
        return results_of(rest)

    def do_env(self, rest, io):
        return results_of(json.dumps(sorted(os.environ)))

    def do_pid(self, rest, io):
        return results_of(str(os.getpid()))

    def do_wait(self, rest, io):
        time.sleep(float(rest) / 1_000)
        return results_of("waited")

    def do_patient(self, rest, io):
        io.sleep(3_600)

    async def do_async(self, rest, io):
        import asyncio

        await asyncio.sleep(3_600 if rest == "patient" else 0.01)
        return results_of("awaited")

    def do_stubborn(self, rest, io):
        while True:
            time.sleep(1)

    def do_loop(self, rest, io):
        while True:
            pass

    def do_hang(self, rest, io):
        sleep_in_c()

    def do_abort(self, rest, io):
        os.abort()

    def do_segfault(self, rest, io):
        ctypes.string_at(0)

    def do_exit(self, rest, io):
        os._exit(7)

    def do_leave(self, rest, io):
        sys.exit(7)

    def do_refuse(self, rest, io):
        raise JobError("circuit 0, line 3, column 7: gate foo is not known", code="unknown_gate")

    def do_fault(self, rest, io):
        raise JobError("the fridge is warm", error_class="device", executed=True)

    def do_throw(self, rest, io):
        raise TypeError("cannot read /etc/secret")

    def do_nan(self, rest, io):
        return {**results_of(""), "metadata": {"value": float("nan")}}

    def do_invalid(self, rest, io):
        return {**results_of(""), "counts": {"0": "many"}}

    def do_large(self, rest, io):
        return {**results_of(""), "metadata": {"text": "x" * int(rest)}}

    def do_phase(self, rest, io):
        io.phase(rest)
        io.sleep(3_600)

    def do_part(self, rest, io):
        io.progress(0.75)
        io._add(0, results_of("")["circuit_results"][0])
        raise JobError("the pump has stopped")

    def do_print(self, rest, io):
        os.write(1, b"x" * int(rest))
        print("printed")
        return results_of("printed")

    def do_fork(self, rest, io):
        pid = os.fork()
        if pid == 0:
            time.sleep(3_600)
            os._exit(0)
        return results_of(str(pid))

    def do_thread(self, rest, io):
        threading.Thread(target=lambda: time.sleep(3_600)).start()
        return results_of("a thread is left")


class Gauge(MonitorDevice):
    """Emits one reading, then another every 10 ms."""

    def start(self, io):
        self.count = 0

        def read():
            self.count += 1
            io.emit("CryostatReading", {"readings": {"stage": {"value": self.count, "unit": "K", "status": "ok"}}})

        io.every(0.01, read)


class Tuner(CalibrateDevice):
    """Runs calibrations, and starts one itself when maintenance ends."""

    def start(self, io):
        self.io = io

    def calibrate(self, request, io):
        io.progress({"phase": "routine", "step": 1, "total": 2, "routine": "rabi", "target": "q0"})
        if request.mode == "full":
            io.sleep(3_600)
        return {"status": "success", "notes": [request.mode, *request.target_qubits]}

    def maintenance(self, on):
        self.log.info("maintenance received", extra={"on": on})
        if not on:
            findings = self.io.calibrate_now("partial", ["q3"])
            self.log.info("calibrated", extra={"notes": json.dumps(findings and findings["notes"])})


class SlowToClose(ProcessDevice):
    """Needs a minute to close, and never ends."""

    def run(self, job, io):
        raise NotImplementedError

    def stop(self, io):
        io.extend(60, "ramping a current back")
        time.sleep(3_600)


class Crasher(ProcessDevice):
    def start(self):
        os.abort()

    def run(self, job, io):
        raise NotImplementedError


class Refuser(ProcessDevice):
    def start(self):
        raise StartupError(["the fridge is warm", "the pump is off"])

    def run(self, job, io):
        return job_results("refuser", [])


class Nameless:
    """Names no operation."""

    def run(self, job, io):
        return results_of("")
