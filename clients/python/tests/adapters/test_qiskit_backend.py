"""QPUs as backends of Qiskit, with a real server and the simulator ``aer_sim``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chips import device_file
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, generate_preset_pass_manager
from qiskit.circuit import Clbit, ParameterVector
from qiskit.providers import JobStatus
from service import Service, until
from svc_client import JobTimeout, NotFoundError, NotPendingError, SvcAsyncClient, SvcClient
from svc_client.qiskit import SvcBackend


def bell(**options: Any) -> QuantumCircuit:
    circuit = QuantumCircuit(2, name="bell", **options)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.measure_all()
    return circuit


@pytest.fixture
def backend(svc: SvcClient) -> SvcBackend:
    return svc.get_backend("kelvin")


def test_client_takes_circuits_with_name_and_metadata(svc: SvcClient) -> None:
    [circuit] = svc.run(bell(metadata={"delay": np.float64(1e-6), "set": {1}}), qpu="kelvin", shots=50)
    assert (circuit.name, circuit.metadata) == ("bell", {"delay": 1e-6, "set": "{1}"})
    assert sum(circuit.register("meas").values()) == 50 and set(circuit.counts) <= {"00", "11"}


def test_backend_of_a_simulator_takes_every_gate_between_any_qubits(backend: SvcBackend) -> None:
    assert backend.num_qubits == backend.qpu.num_qubits > 20
    assert backend.coupling_map is None and backend.max_circuits == 300
    assert {"cx", "u", "ccx", "if_else", "while_loop", "reset", "measure", "delay"} <= set(backend.operation_names)
    circuit = bell()
    circuit.unitary(np.eye(4), [0, 1])
    isa = generate_preset_pass_manager(optimization_level=3, backend=backend).run(circuit)
    assert set(isa.count_ops()) <= set(backend.operation_names) | {"barrier"}


def test_async_client_has_backends_too(service: Service) -> None:
    client = SvcAsyncClient(service.url, service.token)
    assert client.get_backend("kelvin").run(bell(), shots=10).result().get_counts().shots() == 10


def test_unknown_qpu(svc: SvcClient) -> None:
    with pytest.raises(NotFoundError):
        svc.get_backend("nowhere")


def test_run_returns_results_as_qiskit_has_them(backend: SvcBackend) -> None:
    first, second = QuantumRegister(2, "q"), QuantumRegister(1, "r")
    circuit = QuantumCircuit(first, second, ClassicalRegister(1, "a"), ClassicalRegister(2, "b"), metadata={"n": 1})
    circuit.x(1)
    circuit.measure([0, 1, 2], [0, 1, 2])
    job = backend.run([circuit, bell()], shots=20, memory=True, name="pair", tags=["x"])
    result = job.result()
    assert result.success and result.backend_name == "aer_sim" and result.job_id == job.job_id()
    assert result.get_counts(0) == {"01 0": 20}
    assert result.get_counts("bell").keys() <= {"00", "11"}
    assert result.get_memory(0) == ["01 0"] * 20
    assert result.results[0].header["metadata"] == {"n": 1}
    assert job.status() == JobStatus.DONE and job.done() and job.in_final_state()
    assert (job.svc.name, job.svc.tags) == ("pair", ("x",))


def test_values_of_parameters_go_with_one_program(backend: SvcBackend) -> None:
    angles = ParameterVector("angle", 12)
    circuit = QuantumCircuit(12)
    for qubit in reversed(range(12)):
        circuit.rx(angles[qubit], qubit)
    circuit.measure_all()
    sets = [[np.pi * (qubit == flipped) for qubit in range(12)] for flipped in range(12)]
    job = backend.run(circuit, parameter_values=np.array(sets), shots=5)
    assert [job.result().get_counts(at) for at in range(12)] == [{format(1 << at, "012b"): 5} for at in range(12)]
    assert len(job.svc.circuits()) == 1
    with pytest.raises(ValueError, match=r"parameters angle\[0\], angle\[1\]"):
        backend.run(circuit)


def test_bits_keep_their_order_whatever_registers_they_are_in(backend: SvcBackend) -> None:
    first = ClassicalRegister(2, "if")
    shared = ClassicalRegister(bits=[first[1], Clbit()], name="shared")
    circuit = QuantumCircuit(QuantumRegister(3, "measure"), first, shared, [Clbit()])
    circuit.x(2)
    circuit.x(0)
    circuit.measure([0, 1, 2], [0, 2, 3])
    assert backend.run(circuit, shots=3).result().data(0)["counts"] == {hex(0b1001): 3}


def test_points_of_each_shot_and_their_mean(backend: SvcBackend) -> None:
    each = backend.run(bell(), shots=6, meas_level=1).result()
    assert each.get_memory(0).shape == (6, 2)
    mean = backend.run(bell(), shots=6, meas_level=1, meas_return="avg").result()
    assert mean.get_memory(0).shape == (2,)


def test_options_of_a_backend_are_defaults(svc: SvcClient) -> None:
    backend = SvcBackend(svc, "kelvin", shots=7, seed=3)
    circuit = QuantumCircuit(8)
    circuit.h(range(8))
    circuit.measure_all()
    counts = backend.run(circuit).result().get_counts()
    assert counts.shots() == 7 and backend.run(circuit).result().get_counts() == counts


def test_jobs_are_read_in_another_process(backend: SvcBackend, service: Service) -> None:
    job = backend.run(bell(metadata={"id": 7}), shots=30)
    job.wait_for_final_state()
    other = service.client().get_backend("kelvin").retrieve_job(job.job_id())
    assert other.result().get_counts() == job.result().get_counts()
    assert other.result().results[0].header["metadata"] == {"id": 7}


def test_waiting_and_cancelling(svc: SvcClient, silent: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="QPU silent has no description"):
        backend = svc.get_backend(silent["name"])
    job = backend.run(bell())
    assert job.status() == JobStatus.QUEUED and not job.in_final_state()
    seen: list[JobStatus] = []
    with pytest.raises(JobTimeout):
        job.wait_for_final_state(0.3, 0.1, lambda id, status, job: seen.append(status))
    with pytest.raises(JobTimeout):
        job.result(timeout=0.1)
    job.cancel()
    assert seen and set(seen) == {JobStatus.QUEUED} and job.cancelled()
    with pytest.raises(NotPendingError):
        job.cancel()


@pytest.fixture(scope="module")
def chip(service: Service) -> Path:
    """The device file of the QPU ``chip``, a simulator with the noise of a calibrated chip."""
    path = service.folder / "scheduler.device.yml"
    path.write_text(device_file(3, t1=8e-5))
    service.start_driver(service.create_qpu("chip"), "aer_sim", f"noise={path}")
    return path


def test_circuits_for_a_chip_must_have_its_gates(svc: SvcClient, chip: Path) -> None:
    backend = until_described(svc)
    with pytest.raises(ValueError, match=r"Circuit 0 \(bell\) uses h on qubit 0, which QPU chip does not have"):
        backend.run(bell())
    isa = generate_preset_pass_manager(optimization_level=2, backend=backend).run(bell())
    counts = backend.run(isa, shots=400).result().get_counts()
    assert counts["00"] + counts["11"] > 250
    wide = QuantumCircuit(backend.num_qubits + 1)
    with pytest.raises(ValueError, match="which QPU chip does not have"):
        backend.run(wide)


def test_target_follows_the_calibration(svc: SvcClient, chip: Path) -> None:
    backend = until_described(svc)
    assert backend.target.qubit_properties[0].t1 == 8e-5
    assert backend.target["measure"][(0,)].error == pytest.approx(0.015)
    chip.write_text(device_file(3, t1=1.25e-5))
    isa = generate_preset_pass_manager(optimization_level=1, backend=backend).run(bell())

    def is_changed() -> bool:
        # The simulator reads the changed file before its next job.
        backend.run(isa, shots=1).result()
        backend.refresh()
        return bool(backend.target.qubit_properties[0].t1 == 1.25e-5)

    until("the description has the new T1", is_changed)


def until_described(svc: SvcClient) -> SvcBackend:
    until("the chip is described", lambda: svc.qpu("chip").description)
    return svc.get_backend("chip")
