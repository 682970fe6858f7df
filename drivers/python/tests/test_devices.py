import json
import subprocess
import sys
from pathlib import Path

import lab
import pytest

from svc_driver import JobError, ProcessDevice, option
from svc_driver._check import contradiction
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
        "bad value for -o path: /etc/passwd is not in a safe location",
    ]
    assert "unknown device nothing; installed devices: " in svc_driver("try", "nothing").stderr
    assert "device lab:Nobody: lab has no Nobody; it defines Coin" in svc_driver("try", "lab:Nobody").stderr
