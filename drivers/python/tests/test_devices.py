import json
import re
import subprocess
import sys
from pathlib import Path

import lab
import pytest

from svc_driver import JobError, ProcessDevice, option
from svc_driver._check import contradiction
from svc_driver._errors import job_failure
from svc_driver._program import read_program
from svc_driver.testing import calibrate, open_device, readings, run

BELL = 'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'
ROTATION = 'OPENQASM 3.0; input float theta; // input int no;\ninput int n; qubit q; bit[2] c; bit d; rx(theta) q;'


def test_results_have_one_entry_per_execution_in_order():
    results = run(lab.Coin, {"bias": 0.25}, [ROTATION, BELL], shots=8, parameter_values=[[0.5, 2], [-1, 3]])
    circuits = results["circuit_results"]
    assert [each["header"]["name"] for each in circuits] == ["circuit_0", "circuit_0", "circuit_1"]
    assert [each["metadata"]["parameter_set"] for each in circuits] == [0, 1, 0]
    assert circuits[0]["counts"] == {"000": 6, "001": 2}
    assert circuits[0]["header"]["creg_sizes"] == [["c", 2], ["d", 1]]
    assert circuits[2]["header"]["qreg_sizes"] == [["q", 2]]
    assert results["counts"] == circuits[0]["counts"]
    assert "const float theta = -1.0;" in circuits[1]["metadata"]["text"]
    assert "const int n = 3;" in circuits[1]["metadata"]["text"]
    assert "// input int no;" in circuits[1]["metadata"]["text"]


class Sweep(ProcessDevice):
    """Reports results, and returns nothing; fails at the circuit ``fail_at``."""

    fail_at: int = option(-1)

    def run(self, job, io):
        for execution in job.executions():
            if execution.index == self.fail_at:
                raise JobError("the pump has stopped")
            io.progress(execution.index / 3)
            io.result(execution, {0: execution.shots - 1, "01": 1}, metadata={"at": execution.index})


def test_results_may_be_reported_in_place_of_being_returned():
    progress = []
    results = run(Sweep, {}, [BELL, BELL, BELL], shots=8, progress=progress)
    assert [each["counts"] for each in results["circuit_results"]] == [{"00": 7, "01": 1}] * 3
    assert [each["metadata"]["at"] for each in results["circuit_results"]] == [0, 1, 2]
    assert progress == [0, 1 / 3, 2 / 3]


@pytest.mark.parametrize("device", ["Sweep", "Coin"])
def test_the_worker_sends_results_before_the_end_of_a_job_that_fails(device):
    from svc_driver._runtime import Runtime

    def halfway(cls):
        class Halfway(cls):
            def run(self, job, io):
                for at, each in enumerate(super().run(job, io)):
                    if at == 2:
                        raise JobError("the pump has stopped")
                    yield each

        return Halfway

    sent = []
    runtime = Runtime(sent.append)
    cls, options = (Sweep, {"fail_at": 2}) if device == "Sweep" else (halfway(lab.Coin), {"bias": 0.5})
    with open_device(cls, options) as (opened, _):
        runtime._device, runtime._name = opened, "x"
        payload = {"circuits": [{"circuit": BELL}] * 3, "shots": 8, "meas_level": 2, "meas_return": "single", "memory": False}
        job = {"id": "a", "attempt": 1, "payload": payload}
        runtime._run({"m": "run", "task": "1", "job": job, "programs": [read_program(BELL)] * 3, "deadline_ms": None})
    found = [each["index"] for message in sent if message["m"] == "results" for each in message["results"]]
    assert found == [0, 1]
    assert sent[-1]["m"] == "failed"


@pytest.mark.parametrize("fails", [False, True])
def test_a_result_does_not_wait_for_the_description(fails):
    from svc_driver._runtime import Runtime

    sent, ends = [], []

    class Slow(Sweep):
        def describe(self):
            ends.extend(message["m"] for message in sent)
            return {"qubits": [{}]}

    runtime = Runtime(sent.append)
    with open_device(Slow, {"fail_at": 0 if fails else -1}) as (opened, _):
        runtime._device, runtime._name = opened, "x"
        job = {"id": "a", "attempt": 1, "payload": {"circuits": [{"circuit": BELL}], "shots": 8}}
        runtime._run({"m": "run", "task": "1", "job": job, "programs": [read_program(BELL)], "deadline_ms": None})
    assert ends[-1] == ("failed" if fails else "done")
    assert sent[-1]["m"] == "description"


@pytest.mark.parametrize("part", [-0.1, 1.1, float("nan")])
def test_progress_is_from_0_to_1(part):
    from svc_driver._io import JobIo

    with pytest.raises(ValueError, match="from 0 to 1"):
        JobIo(lambda phase: None, None).progress(part)


def test_points_are_pairs():
    results = run(lab.Coin, {"bias": 0.5}, BELL, shots=2, meas_level=1)
    assert results["circuit_results"][0]["memory"] == [[[0.5, 1.0], [0.5, 1.0]]] * 2
    assert "counts" not in results


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("nothing", "run() returned NoneType; expected a list of results"),
        ("text", "run() returned str; expected a list of results"),
        ("few", "run() returned 0 results for 1 executions"),
        ("other", "run() returned something that is not a result; make results with counts_result()"),
        ("nan", "a value that is not a finite number at shots"),
    ],
)
def test_what_is_no_result_is_named(what, message):
    with pytest.raises(JobError) as raised:
        run(lab.Strange, {"what": what}, BELL)
    assert message in str(raised.value)
    assert (raised.value.code, raised.value.executed) == ("invalid_results", False)


CASES = json.loads((Path(__file__).parents[3] / "tests/protocol/result-cases.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_results_that_contradict_their_job_are_named_as_by_the_driver(case):
    header = {"memory_slots": case.get("slots", case["bits"] or 0)}
    first = {"shots": case["shots"], "header": header, **case["result"]}
    repeated = {key: first[key] for key in ("shots", "counts") if key in first}
    results = {"success": True, **repeated, "circuit_results": [first], **case.get("top", {})}
    results = {key: value for key, value in results.items() if value is not None}
    wanted = [(case["shots"], case["bits"])] * case.get("number", 1)
    expected = {"meas_level": 2, "meas_return": "single", "memory": "none", "results": wanted, **case.get("job", {})}
    assert contradiction(results, expected) == case.get("contradiction")


def test_devices_that_return_other_numbers_of_counts_are_refused():
    for extra, message in [(5, "add up to 105 of 100 shots"), (-1, "add up to 99 of 100 shots")]:
        with pytest.raises(JobError, match=f"The results of device Miscount contradict the job: .*counts {message}"):
            run(lab.Miscount, {"extra": extra}, BELL, shots=100)
    assert run(lab.Miscount, {"extra": -3, "stated": True}, BELL, shots=100)["circuit_results"][0]["discarded_shots"] == 3
    with pytest.raises(JobError, match="memory is missing"):
        run(lab.Coin, {}, BELL, memory=True)


def test_options_are_attributes_and_missing_ones_are_named():
    with open_device(lab.Everything, {"needed": "x"}) as (device, _):
        assert (device.int_, device.options.seconds, device.url, device.key) == (3, 0.5, None, None)
    with pytest.raises(TypeError, match="missing required option needed"):
        run(lab.Everything, {}, BELL)
    with pytest.raises(TypeError, match="unknown option color"):
        run(lab.Everything, {"needed": "x", "color": "blue"}, BELL)


def test_gates_that_are_not_described_reach_no_device():
    rotation = "OPENQASM 3.0; qubit q; bit c; gate twice(a) q { rx(a) q; rx(a) q; } twice(0.1) q; rx(0.2) q; c = measure q;"
    assert run(lab.Rotations, {}, rotation, shots=5)["counts"] == {"0": 5}
    assert run(lab.Compiler, {}, BELL, shots=5)["counts"] == {"00": 5}
    controlled = "OPENQASM 3.0; qubit[2] q; bit c; ctrl @ rx(0.1) q[0], q[1]; c = measure q[0];"
    for program, shots, code, message in [
        (BELL, 5, "unsupported_gate", "circuit 0: the device does not describe the gate h; compile the program for rx"),
        (controlled, 5, "unsupported_gate", "does not describe the gate ctrl @ rx;"),
        (rotation, 101, "too_many_shots", "circuit 0: 101 shots are requested; the device describes at most 100"),
        ([rotation] * 3, 5, "too_many_executions", "The job has 3 executions; the device describes at most 2"),
        ("OPENQASM 3.0; qubit[3] q; bit c;", 5, "too_many_qubits", "declares 3 qubits; the device describes 2"),
    ]:
        with pytest.raises(JobError, match=re.escape(message)) as raised:
            run(lab.Rotations, {}, program, shots=shots)
        assert raised.value.code == code


def test_programs_are_read_as_by_the_driver():
    text = "OPENQASM 3.0; output bit[2] r; bit[5] c; qubit[3] q; if (true) { bit[4] inner; h q[0]; } const int n = 2; cx q[0], q[1];"
    read = read_program(text)
    assert (read["clbits"], read["cregs"], read["qubits"], read["gates"]) == (2, [("r", 2)], 3, ["h", "cx"])
    assert read_program("OPENQASM 3.0; const int n = 2; bit[n] c; bit d;")["clbits"] is None


def test_failures_are_tried_again_only_if_they_say_so():
    failures = {how: job_failure(raised_by(how), lab.Faulty.retry_on) for how in ("bug", "timeout", "retry", "fail")}
    generic = "job execution failed, see the driver log"
    assert failures == {
        "bug": {
            "class": "user",
            "message": f"ValueError: {generic}",
            "error_code": "device_error",
            "detail": "/etc/wiring",
            "executed": False,
        },
        "timeout": {
            "class": "device",
            "message": f"TimeoutError: {generic}",
            "error_code": "device_error",
            "detail": "/etc/wiring",
            "executed": True,
        },
        "retry": {"class": "device", "message": "the fridge is warm", "executed": True},
        "fail": {"class": "user", "message": "the qubit is dead", "error_code": "dead_qubit", "executed": False},
    }


def raised_by(how):
    with pytest.raises(Exception) as raised:
        run(lab.Faulty, {"how": how}, BELL)
    return raised.value


def test_a_run_that_takes_too_long_is_cancelled():
    with pytest.raises(JobError, match="job timed out after 0.05 s"):
        run(lab.Slow, {}, BELL, timeout=0.05)
    assert "job timed out after 0.05 s" in svc_driver("try", "lab:Slow").stderr
    assert "run() goes on" in svc_driver("try", "lab:Slow", "-o", "hangs=true").stderr


def test_unknown_options_are_refused_unless_the_device_takes_them():
    refused = svc_driver("try", "lab:Coin", "-o", "bais=1")
    assert (refused.returncode, refused.stderr.splitlines()) == (
        1,
        [
            "unknown option bais for process device Coin",
            "  did you mean bias? known options: bias, data_dir, job_timeout",
        ],
    )
    taken = svc_driver("try", "lab:Open", "-o", "settle=2", "-o", "color=red", "-o", "job_timeout=5")
    assert json.loads(taken.stdout)["circuit_results"][0]["metadata"]["given"] == {"settle": "2", "color": "red"}
    assert svc_driver("try", "lab:Waiter", "-o", "color=red").returncode == 0
    wrong = svc_driver("try", "lab:Coin", "-o", "job_timeout=soon")
    expected = 'bad value for -o job_timeout: "soon"; expected a number of seconds from 0.001 to 86400'
    assert wrong.stderr.splitlines() == [expected]


def test_declarations_that_cannot_be_used_are_named():
    class Wrong(ProcessDevice):
        size: complex = option(None)

    class Bounded(ProcessDevice):
        name_: str = option("x", min=1)

    class Bare(ProcessDevice):
        size = option(None)

    for cls, reason in [
        (Wrong, "option size is of the type complex; expected bool, int"),
        (Bounded, "option name_ has bounds, which only numbers have"),
        (Bare, "option size has no annotation"),
    ]:
        with pytest.raises(TypeError, match=reason):
            run(cls, {}, BELL)


def test_coroutines_monitors_and_tuners():
    assert run(lab.Waiter, {}, BELL, shots=5)["counts"] == {"00": 5}
    assert readings(lab.Gauge, count=3) == [("CryostatReading", {"readings": {}})] * 3
    steps = []
    findings = calibrate(lab.Tuner, mode="partial", target_qubits=["q0"], steps=steps)
    assert findings["notes"] == ["partial", "q0"]
    assert steps[0]["phase"] == "routine"


def svc_driver(*words):
    return subprocess.run(
        [sys.executable, "-m", "svc_driver", *words], cwd=Path(__file__).parent, capture_output=True, text=True
    )


def test_try_runs_a_job_and_reports_every_problem_of_options():
    done = svc_driver("try", "lab:Coin", "-o", "bias=1", "--shots", "7")
    assert json.loads(done.stdout)["counts"] == {"01": 7}
    wrong = svc_driver("try", "lab:Everything", "-o", "int_=99", "-o", "path=/etc/passwd", "-o", "verbose")
    assert wrong.returncode == 1
    assert wrong.stderr.splitlines() == [
        "invalid option verbose; expected key=value",
        "missing required option needed (for example -o needed=here)",
        'bad value for -o int_: "99"; expected a whole number from 1 to 9',
        "bad value for -o path: /etc/passwd is not in a safe location: below /etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder",
    ]
    assert "unknown device nothing; installed devices: " in svc_driver("try", "nothing").stderr
    assert "device lab:Nobody: lab has no Nobody; it defines Coin" in svc_driver("try", "lab:Nobody").stderr
