"""The sampler, with a real server and the simulator ``aer_sim``."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister
from qiskit.circuit import Clbit, Parameter, ParameterVector
from qiskit.primitives import BasePrimitiveJob, BaseSamplerV2
from qiskit.providers import JobStatus
from service import Service
from svc_client import CircuitResult, InvalidRequestError, SvcClient, SvcError
from svc_client.qiskit import SamplerOptions, SvcBackend, SvcPrimitiveJob, SvcSampler
from svc_client.qiskit.sampler import sampled

RESTORE = """
import json, sys
from svc_client import SvcClient
from svc_client.qiskit import SvcPrimitiveJob
result = SvcPrimitiveJob.restore(SvcClient(), sys.argv[1]).result()
pubs = [[{n: b.array.tolist() for n, b in pub.data.items()}, pub.data.shape, pub.metadata] for pub in result]
print(json.dumps(pubs))
"""


@pytest.fixture
def backend(svc: SvcClient) -> SvcBackend:
    return svc.get_backend("kelvin")


def flips(bits: int) -> QuantumCircuit:
    """Rotates qubit i by parameter i; the values 0 and π give certain outcomes."""
    circuit = QuantumCircuit(bits, name="flips", metadata={"bits": bits})
    for qubit, angle in enumerate(ParameterVector("a", bits)):
        circuit.rx(angle, qubit)
    circuit.measure_all()
    return circuit


def test_interfaces_of_qiskit(backend: SvcBackend) -> None:
    sampler = SvcSampler(backend)
    assert isinstance(sampler, BaseSamplerV2) and sampler.backend is backend
    job = sampler.run([(flips(1), [0.0])], shots=3)
    assert isinstance(job, BasePrimitiveJob) and job.job_ids == [job.job_id()]
    assert job.result() is job.result()
    assert job.status() == JobStatus.DONE and job.done() and job.in_final_state() and not job.cancelled()


def test_shapes_shots_registers_and_metadata_of_each_pub(backend: SvcBackend) -> None:
    values = np.pi * np.array([[[0, 0, 1], [1, 0, 0]], [[1, 1, 0], [1, 1, 1]]])
    wide = QuantumCircuit(QuantumRegister(11), ClassicalRegister(9, "low"), ClassicalRegister(2, "high"))
    wide.x([0, 8, 10])
    wide.measure(range(11), range(11))
    job = SvcSampler(backend).run([(flips(3), values), (wide, None, 5)], shots=40)
    first, second = job.result()
    assert len(job.job_ids) == 1
    assert first.data.shape == (2, 2) and first.data.meas.num_shots == 40
    outcomes = [[first.data.meas[i, j].get_counts() for j in range(2)] for i in range(2)]
    assert outcomes == [[{"100": 40}, {"001": 40}], [{"011": 40}, {"111": 40}]]
    assert first.metadata == {"shots": 40, "circuit_metadata": {"bits": 3}}
    assert second.data.low.get_counts() == {"100000001": 5} and second.data.high.get_counts() == {"10": 5}
    assert second.join_data(["low", "high"]).get_counts() == {"10100000001": 5}
    assert second.metadata == {"shots": 5, "circuit_metadata": {}}
    assert job.result().metadata["version"] == 2
    assert job.result().metadata["svc"]["job_ids"] == job.job_ids
    assert job.result().metadata["svc"]["provenance"][0].device == "aer_sim"


def test_many_sets_become_several_jobs(backend: SvcBackend) -> None:
    values = np.pi * np.array([[int(bit) for bit in format(at, "010b")] for at in range(700)])
    job = SvcSampler(backend).run([(flips(10), values), (flips(2), [[0, np.pi]])], shots=2)
    assert len(job.job_ids) == 3
    bits = job.result()[0].data.meas
    assert bits.shape == (700,)
    assert [next(iter(bits[at].get_counts()))[::-1] for at in range(700)] == [format(at, "010b") for at in range(700)]
    assert job.result()[1].data.meas.get_counts() == {"10": 2}


def test_large_results_become_several_jobs(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(20)
    circuit.h(range(20))
    circuit.measure_all()
    job = SvcSampler(backend).run([circuit] * 3, shots=100_000)
    assert len(job.job_ids) == 3
    assert [pub.data.meas.num_shots for pub in job.result()] == [100_000] * 3


def test_shared_registers_and_bits_without_register(backend: SvcBackend) -> None:
    first = ClassicalRegister(2, "first")
    shared = ClassicalRegister(bits=[Clbit(), first[1]], name="shared")
    circuit = QuantumCircuit(QuantumRegister(3), first, shared, [Clbit()])
    circuit.x([1, 2])
    circuit.measure([0, 1, 2], [0, 1, 2])
    data = SvcSampler(backend).run([circuit], shots=4).result()[0].data
    assert data.first.get_counts() == {"10": 4} and data.shared.get_counts() == {"11": 4}


def test_bits_that_nothing_is_measured_into_are_zero(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(9, "wide"), ClassicalRegister(1, "one"))
    circuit.x(0)
    data = SvcSampler(backend).run([circuit], shots=4).result()[0].data
    assert data.wide.get_counts() == {"0" * 9: 4} and data.one.get_counts() == {"0": 4}


def test_conditions_on_registers_that_share_bits(backend: SvcBackend) -> None:
    bits = [Clbit(), Clbit(), Clbit()]
    first, second = ClassicalRegister(bits=bits[:2], name="first"), ClassicalRegister(bits=bits[:0:-1], name="second")
    circuit = QuantumCircuit(QuantumRegister(3), first, second, ClassicalRegister(2, "seen"))
    circuit.x(0)
    circuit.measure(0, bits[1])
    with circuit.if_test((first, 2)):
        circuit.x(1)
    with circuit.if_test((second, 1)):
        circuit.x(2)
    circuit.measure([1, 2], circuit.cregs[2])
    data = SvcSampler(backend).run([circuit], shots=4).result()[0].data
    assert data.first.get_counts() == {"10": 4} and data.second.get_counts() == {"10": 4}
    assert data.seen.get_counts() == {"01": 4}


def test_empty_registers(backend: SvcBackend) -> None:
    none, empty = QuantumRegister(0, "none"), ClassicalRegister(0, "empty")
    circuit = QuantumCircuit(none, QuantumRegister(1), empty, ClassicalRegister(1, "c"))
    circuit.x(0)
    circuit.measure(0, 0)
    data = SvcSampler(backend).run([circuit], shots=4).result()[0].data
    assert data.empty.array.shape == (4, 0) and data.c.get_counts() == {"1": 4}


def test_empty_pubs(backend: SvcBackend) -> None:
    job = SvcSampler(backend).run([(flips(2), np.zeros((0, 2)))])
    assert job.job_ids == [] and job.result()[0].data.meas.shape == (0,)
    assert len(SvcSampler(backend).run([]).result()) == 0
    with pytest.warns(UserWarning, match="pub 0 has no classical register"):
        assert len(SvcSampler(backend).run([QuantumCircuit(1)]).result()[0].data) == 0


def test_seed_makes_results_repeatable(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(10)
    circuit.h(range(10))
    circuit.measure_all()
    sampler = SvcSampler(backend, options={"seed": 11, "default_shots": 50})
    first, again = (sampler.run([circuit]).result()[0].data.meas for _ in range(2))
    assert first == again and first.num_shots == 50


def test_points(backend: SvcBackend) -> None:
    circuit, values = flips(2), np.pi * np.array([[0, 0], [1, 0], [0, 1]])
    each = SvcSampler(backend, options=SamplerOptions(meas_type="kerneled")).run([(circuit, values)], shots=8)
    assert each.result()[0].data.meas.shape == (3, 8, 2)
    mean = SvcSampler(backend, options={"meas_type": "avg_kerneled"}).run([(circuit, values)], shots=2000)
    points = mean.result()[0].data.meas
    assert points.shape == (3, 2) and np.iscomplexobj(points)
    # A qubit has its own place in each state, whatever the other one does.
    assert abs(points[0, 0] - points[1, 0]) > 5 * abs(points[0, 0] - points[2, 0])
    with pytest.raises(ValueError, match="meas_type is 'raw'; expected classified"):
        SvcSampler(backend, options={"meas_type": "raw"})


def test_calls_are_restored_in_another_process(backend: SvcBackend, service: Service) -> None:
    values = np.pi * np.array([[at % 2, at % 3 % 2] for at in range(400)]).reshape(2, 200, 2)
    job = SvcSampler(backend).run([(flips(2), values), (flips(1), [np.pi], 7)], shots=3)
    env = {**os.environ, "SVC_ADDR": service.url, "SVC_API_TOKEN": service.token}
    run = subprocess.run([sys.executable, "-c", RESTORE, job.job_id()], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = [
        [{name: bits.array.tolist() for name, bits in pub.data.items()}, list(pub.data.shape), pub.metadata]
        for pub in job.result()
    ]
    assert json.loads(run.stdout) == expected and len(job.job_ids) == 2


def test_restoring_names_what_is_wrong(backend: SvcBackend, svc: SvcClient) -> None:
    many = SvcSampler(backend).run([(flips(1), np.zeros((400, 1)))], shots=1)
    other = SvcSampler(backend).run([(flips(1), [0.0])], shots=1)
    plain = backend.run(flips(1).assign_parameters([0.0]))
    assert SvcPrimitiveJob.restore(svc, many.job_ids[::-1]).job_ids == many.job_ids
    # The key of a submission, which is kept for 24 hours, has the others.
    assert SvcPrimitiveJob.restore(svc, many.job_ids[1]).job_ids == many.job_ids
    with pytest.raises(ValueError, match="The call made 2 jobs"):
        SvcPrimitiveJob.restore(svc, [many.job_ids[0], *many.job_ids])
    for ids in ([*many.job_ids, other.job_id()], plain.job_id(), ""):
        with pytest.raises((ValueError, SvcError)):
            SvcPrimitiveJob.restore(svc, ids)


def test_cancelling(svc: SvcClient, silent: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="no description"):
        backend = svc.get_backend(silent["name"])
    job = SvcSampler(backend).run([(flips(1), np.zeros((400, 1)))])
    assert job.status() == JobStatus.QUEUED and len(job.job_ids) == 2
    assert job.cancel() and job.cancelled() and not job.cancel()


def test_a_refused_submission_leaves_no_jobs(svc: SvcClient, silent: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="no description"):
        backend = svc.get_backend(silent["name"])
    before = {job.id for job in svc.jobs(qpu=silent["name"], status="pending")}
    with pytest.raises(InvalidRequestError):
        SvcSampler(backend).run([(flips(1), np.zeros((300, 1))), (flips(1), [0.0], 2_000_000)])
    assert {job.id for job in svc.jobs(qpu=silent["name"], status="pending")} == before


def test_invalid_pubs_are_refused_before_anything_is_sent(backend: SvcBackend) -> None:
    with pytest.raises(ValueError):
        SvcSampler(backend).run([(flips(2), [0.0])])
    with pytest.raises((ValueError, TypeError)):
        SvcSampler(backend).run([(flips(1), [0.0])], shots=0)
    with pytest.raises(TypeError):
        SvcSampler(backend).run([(flips(1), {Parameter("other"): [0.0]}), 5])  # type: ignore[list-item]


def kept(discarded: int) -> CircuitResult:
    """The result of 4 shots of two bits, all 3, of which a device has discarded some."""
    header = {"name": "c", "memory_slots": 2, "creg_sizes": [["c", 2]], "metadata": {}}
    memory = base64.b64encode(bytes([3] * (4 - discarded))).decode()
    raw = {"shots": 4, "discarded_shots": discarded, "memory": memory, "counts_omitted": True}
    return CircuitResult({**raw, "header": header, "metadata": {}})


def test_sets_with_equal_numbers_of_discarded_shots_are_whole_and_others_are_refused() -> None:
    pub = {"shape": [2], "shots": 4, "bits": 2, "registers": [["c", [0, 1]]], "metadata": {}}
    plan = {"meas_type": "classified", "pubs": [pub]}
    (result,) = sampled(plan, [kept(1), kept(1)])
    assert result.data.c.array.tolist() == [[[3]] * 3] * 2
    with pytest.raises(ValueError, match="has kept 2 to 4 of 4 shots .*run each set as a pub of its own"):
        sampled(plan, [kept(0), kept(2)])


@pytest.mark.parametrize("name", ["values", "items", "keys", "shape", "size"])
def test_registers_that_a_result_cannot_have_are_refused_before_the_job(backend: SvcBackend, name: str) -> None:
    circuit = QuantumCircuit(QuantumRegister(1), ClassicalRegister(1, name))
    circuit.measure(0, 0)
    with pytest.raises(ValueError, match=f"register {name} of pub 0"):
        SvcSampler(backend).run([circuit])


def test_a_parameter_alone_is_a_wait(backend: SvcBackend) -> None:
    wait = Parameter("t")
    circuit = QuantumCircuit(1)
    circuit.x(0)
    circuit.delay(wait, 0, "us")
    circuit.measure_all()
    data = SvcSampler(backend).run([(circuit, np.linspace(1, 50, 5))]).result()[0].data.meas
    assert data.shape == (5,)


@pytest.mark.parametrize("unit", ["us", "ns", "ps", "dt"])
def test_a_parameter_of_a_wait_is_bound_by_the_qpu(backend: SvcBackend, unit: str) -> None:
    wait, angle = Parameter("t"), Parameter("a")
    circuit = QuantumCircuit(1)
    circuit.x(0)
    circuit.delay(2 * wait + angle, 0, unit)
    circuit.rx(np.pi * angle, 0)
    circuit.measure_all()
    values = np.array([[at, wait] for at in (0, 1) for wait in (1, 25, 50)])
    data = SvcSampler(backend).run([(circuit, values, 100)]).result()[0].data.meas
    assert data.shape == (6,)
    assert [data[at].get_counts().get("1", 0) > 50 for at in range(6)] == [True] * 3 + [False] * 3
