"""Qiskit's own scheduling and dynamical decoupling with the durations that a QPU describes."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from chips import device_file
from qiskit import QuantumCircuit, generate_preset_pass_manager
from qiskit.circuit.library import XGate
from qiskit.transpiler import PassManager
from qiskit.transpiler.passes import ALAPScheduleAnalysis, ASAPScheduleAnalysis, PadDynamicalDecoupling
from service import Service
from svc_client.qiskit import SvcBackend, SvcSampler


# A device of one's own: its waits are in units of 0.5 ns, and its shots take at most 15 us.
WAITING = '''
import re
from svc_driver import ProcessDevice, counts_result

class Waiting(ProcessDevice):
    compiles = True

    def describe(self):
        return {"schema": 1, "qubits": [{"name": "q0"}], "dt_s": 0.5e-9, "limits": {"schedule_s": 15e-6}}

    def run(self, job, io):
        for execution in job.executions():
            [units] = re.findall(r"delay\\[(\\d+)dt\\]", execution.text)
            yield counts_result(execution, {0: execution.shots}, metadata={"waited_s": int(units) * 0.5e-9})
'''


@pytest.fixture(scope="module")
def backend(service: Service) -> SvcBackend:
    file = service.folder / "scheduled.yml"
    file.write_text(device_file(4))
    service.start_driver(service.create_qpu("scheduled"), "aer_sim", f"noise={file}")
    return service.client().get_backend("scheduled")


def test_the_target_has_durations_of_all_instructions(backend: SvcBackend) -> None:
    target = backend.target
    assert target.dt == 1e-9
    assert target["measure"][(0,)].duration == 1e-6 and target["reset"][(3,)].duration == 2e-4
    assert target["sx"][(0,)].duration == 5.6e-8 and target["cz"][(1, 0)].duration == 4e-8
    # The chip has neither relaxation times nor an assignment matrix: nothing is known of its errors.
    assert [target[name][at].error for name, at in (("sx", (0,)), ("cz", (0, 1)), ("measure", (0,)))] == [None] * 3


@pytest.mark.parametrize("analysis", [ALAPScheduleAnalysis, ASAPScheduleAnalysis])
def test_decoupled_circuits_run(backend: SvcBackend, analysis: type) -> None:
    circuit = QuantumCircuit(3)
    circuit.x(0)
    for _ in range(12):
        circuit.cx(1, 2)
    circuit.cx(0, 1)
    circuit.reset(2)
    circuit.measure_all()
    isa = generate_preset_pass_manager(optimization_level=0, backend=backend, initial_layout=[0, 1, 2]).run(circuit)
    padded = PassManager(
        [analysis(target=backend.target), PadDynamicalDecoupling(target=backend.target, dd_sequence=[XGate(), XGate()])]
    ).run(isa)
    assert padded.count_ops()["x"] > isa.count_ops().get("x", 0) and padded.count_ops()["delay"] > 0
    [result] = SvcSampler(backend).run([padded], shots=50).result()
    assert result.data.meas.get_counts() == {"011": 50}


def test_a_preset_pass_manager_schedules(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    manager = generate_preset_pass_manager(optimization_level=1, backend=backend, scheduling_method="alap")
    [result] = SvcSampler(backend).run([manager.run(circuit)], shots=50).result()
    assert set(result.data.meas.get_counts()) <= {"00", "11"}


def test_a_wait_lasts_as_long_as_qiskit_means_it(service: Service) -> None:
    """On a device whose dt is 0.5 ns: the transpiler writes 10 us as 20,000 dt."""
    file = service.folder / "half.yml"
    file.write_text("dt: 0.5e-9\nidle: [{t1: 10e-6, t2: 10e-6}]\n")
    service.start_driver(service.create_qpu("half"), "aer_sim", f"noise={file}")
    backend = service.client().get_backend("half")
    circuit = QuantumCircuit(1)
    circuit.x(0)
    circuit.delay(10, 0, "us")
    circuit.measure_all()
    isa = generate_preset_pass_manager(optimization_level=0, backend=backend).run(circuit)
    assert (backend.target.dt, isa.data[1].operation.duration, isa.data[1].operation.unit) == (0.5e-9, 20_000, "dt")
    [result] = SvcSampler(backend).run([isa], shots=4_000).result()
    # 6 standard deviations; at 1 ns it would be exp(-2).
    assert abs(result.data.meas.get_counts()["1"] / 4_000 - math.exp(-1)) < 0.046


def test_a_device_in_python_has_a_unit_of_its_own(service: Service) -> None:
    """10 us are 20,000 dt, which would be more than its limit if they were read as 1 ns each."""
    (service.folder / "waiting.py").write_text(WAITING)
    sdk = Path(__file__).parents[4] / "drivers/python/src/svc_driver"
    shutil.copytree(sdk, service.folder / "svc_driver", ignore=shutil.ignore_patterns("__pycache__"))
    service.start_driver(service.create_qpu("waiting"), "waiting:Waiting")
    backend = service.client().get_backend("waiting")
    circuit = QuantumCircuit(1)
    circuit.delay(10, 0, "us")
    circuit.measure_all()
    isa = generate_preset_pass_manager(optimization_level=0, backend=backend).run(circuit)
    job = backend.run([isa], shots=10)
    job.result()
    [result] = service.client().job(job.job_id()).result()
    assert result.raw["metadata"]["waited_s"] == pytest.approx(10e-6)
