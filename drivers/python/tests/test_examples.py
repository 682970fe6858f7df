"""The examples as they are, each on the library that it needs; skipped where that is not installed."""

import math
import sys
from pathlib import Path

import pytest

from svc_driver import JobError
from svc_driver.testing import calibrate, readings, run

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))

GHZ = 'OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c; h q[0]; cx q[0], q[1]; cx q[1], q[2]; c = measure q;'
VERSION_2 = 'OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; creg c[2]; x q[1]; measure q -> c;'
ROTATION = 'OPENQASM 3.0; include "stdgates.inc"; input float theta; qubit q; bit c; rx(theta) q; c = measure q;'


def test_thermometer(tmp_path):
    from thermometer import Thermometer

    file = tmp_path / "temperature"
    file.write_text("21500\n")
    found = readings(Thermometer, {"file": str(file), "period": 0.1, "name": "lab"}, count=2)
    assert found == [("CryostatReading", {"readings": {"lab": {"value": 294.65, "unit": "K", "status": "ok"}}})] * 2


def test_aer():
    pytest.importorskip("qiskit_aer")
    pytest.importorskip("qiskit_qasm3_import")
    from aer import Aer

    results = run(Aer, {}, [GHZ, VERSION_2], shots=400, seed=7, memory=True)
    counts = results["counts"]
    assert set(counts) == {"000", "111"} and sum(counts.values()) == 400
    assert results["circuit_results"][1]["counts"] == {"10": 400}
    assert results["circuit_results"][1]["memory"] == ["0x2"] * 400
    sweep = run(Aer, {}, ROTATION, shots=2_000, seed=1, parameter_values=[[0.0], [math.pi], [math.pi / 3]])
    ones = [each["counts"].get("1", 0) / 2_000 for each in sweep["circuit_results"]]
    assert ones[:2] == [0, 1] and abs(ones[2] - 0.25) < 0.05
    with pytest.raises(JobError, match="circuit 0 has 3 qubits, at most 2 fit"):
        run(Aer, {"max_qubits": 2}, GHZ)


def test_transmon():
    pytest.importorskip("qiskit_dynamics")
    from transmon import Transmon

    angles = [0.0, math.pi / 2, math.pi, 1.1]
    results = run(Transmon, {}, ROTATION, shots=20_000, seed=3, parameter_values=[[each] for each in angles])
    for angle, each in zip(angles, results["circuit_results"]):
        ones = each["counts"].get("1", 0) / 20_000
        # 5 σ of the shots, and what the pulse leaves in level 2.
        assert abs(ones - math.sin(angle / 2) ** 2) < 0.02
    with pytest.raises(JobError, match="this transmon is alone"):
        run(Transmon, {}, GHZ)


def test_station():
    pytest.importorskip("qcodes")
    from station import Station

    steps = []
    findings = calibrate(Station, {"points": 21, "maximum": 8.0}, steps=steps)
    (routine,) = findings["routines"]
    # The dummy instrument decays with 0.2 per volt from 5 V, with noise of 20 mV.
    assert abs(routine["parameters"]["rate"]["value"] - 0.2) < 0.02
    assert abs(routine["parameters"]["amplitude"]["value"] - 5) < 0.2
    assert [each["step"] for each in steps] == [0, 10, 20]
