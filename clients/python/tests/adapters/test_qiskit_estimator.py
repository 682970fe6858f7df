"""The estimator, with a real server and the simulator ``aer_sim``, compared with exact expectation values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from chips import device_file
from qiskit import QuantumCircuit, generate_preset_pass_manager
from qiskit.circuit import Parameter
from qiskit.circuit.library import real_amplitudes
from qiskit.primitives import BaseEstimatorV2, StatevectorEstimator
from qiskit.primitives.containers.bindings_array import BindingsArray
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.primitives.containers.observables_array import ObservablesArray
from qiskit.quantum_info import Pauli, SparseObservable, SparsePauliOp, Statevector, random_pauli_list
from service import Service, until
from svc_client import CircuitResult, SvcClient
from svc_client.qiskit import EstimatorOptions, SvcBackend, SvcEstimator
from svc_client.qiskit.estimator import _describe, estimated
from svc_client.qiskit.pauli_terms import bases_of, fits

SIGMAS = 5
RESTORE = """
import json, sys
from svc_client import CircuitResult, SvcClient
from svc_client.qiskit import SvcPrimitiveJob
result = SvcPrimitiveJob.restore(SvcClient(), sys.argv[1]).result()
print(json.dumps([[pub.data.evs.tolist(), pub.data.stds.tolist(), pub.metadata] for pub in result]))
"""
H2 = SparsePauliOp.from_list([("II", -1.05), ("IZ", 0.39), ("ZI", -0.39), ("ZZ", -0.01), ("XX", 0.18)])


@pytest.fixture
def backend(svc: SvcClient) -> SvcBackend:
    return svc.get_backend("kelvin")


def ansatz(qubits: int = 2, reps: int = 2) -> QuantumCircuit:
    circuit = real_amplitudes(qubits, reps=reps)
    circuit.metadata = {"reps": reps}
    return circuit


def assert_agrees(estimator: SvcEstimator, pubs: list[Any], precision: float = 0.02) -> Any:
    """Compares with exact values, and returns the result."""
    result = estimator.run(pubs, precision=precision).result()
    exact = StatevectorEstimator().run(pubs).result()
    for own, expected in zip(result, exact):
        assert own.data.evs.shape == expected.data.evs.shape == own.data.stds.shape
        # Where all shots have the same outcome, the estimated error is zero; exact values may differ by rare ones.
        error = np.maximum(own.data.stds, precision**2)
        assert np.all(np.abs(own.data.evs - expected.data.evs) <= SIGMAS * error), (own.data, expected.data)
    return result


def test_interfaces_and_metadata(backend: SvcBackend) -> None:
    estimator = SvcEstimator(backend, options={"default_precision": 0.1})
    assert isinstance(estimator, BaseEstimatorV2) and estimator.backend is backend
    job = estimator.run([(ansatz(), H2, [0.1] * 6), (ansatz(), "ZZ", [0.1] * 6, 0.05)])
    first, second = job.result()
    assert first.metadata == {"target_precision": 0.1, "shots": 100, "circuit_metadata": {"reps": 2}}
    assert (second.metadata["target_precision"], second.metadata["shots"]) == (0.05, 400)
    assert job.result().metadata["svc"]["job_ids"] == job.job_ids and len(job.job_ids) == 1
    assert first.data.evs.shape == () and first.data.evs.dtype == float


@pytest.mark.parametrize(
    ("observables", "values"),
    [
        pytest.param((), (), id="one of each"),
        pytest.param((3,), (), id="several observables"),
        pytest.param((), (4,), id="several sets"),
        pytest.param((4,), (4,), id="pairs"),
        pytest.param((3, 1), (4,), id="all combinations"),
        pytest.param((2, 1, 3), (4, 1), id="three axes"),
    ],
)
def test_observables_and_sets_are_broadcast(
    backend: SvcBackend, observables: tuple[int, ...], values: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(5)
    count = int(np.prod(observables))
    labels = [random_pauli_list(3, 4, seed=seed, phase=False) for seed in range(count)]
    terms = [SparsePauliOp(each, rng.normal(size=4)) for each in labels]
    wanted = np.array(terms + [None], dtype=object)[:-1].reshape(observables)
    circuit = ansatz(3, 1)
    pub = (circuit, wanted.tolist() if observables else terms[0], rng.uniform(0, 6, (*values, circuit.num_parameters)))
    result = assert_agrees(SvcEstimator(backend), [pub])
    assert result[0].data.shape == np.broadcast_shapes(observables, values)


def test_forms_of_pubs(backend: SvcBackend) -> None:
    circuit, theta = ansatz(), [0.0, 1, 1, 2, 3, 5]
    by_name = {tuple(parameter.name for parameter in circuit.parameters): theta}
    explicit = EstimatorPub(circuit, ObservablesArray.coerce([H2, "XY"]), BindingsArray.coerce(by_name))
    pubs = [(circuit, H2, values) for values in (theta, [theta], np.array([theta]), by_name)]
    bound = circuit.assign_parameters(theta)
    pubs += [(bound, Pauli("YX")), (bound, {"ZZ": 2, "IX": -0.5}), (bound, [[H2], ["IZ"]], None), explicit]
    assert len(SvcEstimator(backend).run([(bound, "ZZ", [[], []])], precision=0.1).result()[0].data.evs) == 2
    result = assert_agrees(SvcEstimator(backend), pubs)
    assert result[0].data.evs.shape == () and result[1].data.evs.shape == (1,) and result[6].data.evs.shape == (2, 1)


def test_order_of_qubits_and_the_identity(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(3)
    circuit.x(0)
    observables = ["IIZ", "IZI", "ZII", "III", {"III": 2.5, "IIZ": 1}]
    job = SvcEstimator(backend).run([(circuit, observables), (circuit, "III")])
    assert job.result()[0].data.evs.tolist() == [-1, 1, 1, 1, 1.5]
    assert job.result()[0].data.stds.tolist() == [0] * 5 and job.result()[1].data.evs == 1
    assert SvcEstimator(backend).run([(circuit, "III")]).job_ids == []


def test_projectors(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(2)
    circuit.ry(0.7, 0)
    circuit.sx(1)
    state = Statevector(circuit)
    labels = ["I0", "I1", "I+", "-I", "rI", "lZ", "1r"]
    result = SvcEstimator(backend).run([(circuit, [SparseObservable(label) for label in labels])]).result()[0].data
    plain = [SparsePauliOp(SparsePauliOp.from_sparse_observable(SparseObservable(label))) for label in labels]
    exact = [state.expectation_value(each).real for each in plain]
    assert np.all(np.abs(result.evs - exact) <= SIGMAS * np.maximum(result.stds, 1e-3))


def test_sets_of_one_circuit_share_programs_and_bases(backend: SvcBackend) -> None:
    circuit = ansatz()
    job = SvcEstimator(backend).run([(circuit, H2, np.zeros((50, 6)))], precision=0.1)
    # Of five terms the identity is not measured, and three share a basis.
    assert len(job.svc[0].circuits()) == 2 and len(job.job_ids) == 1
    assert np.allclose(job.result()[0].data.evs, -1.06, atol=0.2)


def test_standard_errors_are_those_of_repetitions(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(2)
    circuit.ry(1.1, 0)
    circuit.cx(0, 1)
    # Perfectly correlated terms: their errors add up rather than in squares.
    observable = SparsePauliOp(["IZ", "ZI"], [1, 1])
    data = SvcEstimator(backend).run([(circuit, [observable] * 1, [[]] * 250, 0.1)]).result()[0].data
    exact = 2 * np.sqrt((1 - np.cos(1.1) ** 2) / 100)
    # The scatter of 250 values is known to 4.5 %.
    assert abs(np.std(data.evs, ddof=1) / exact - 1) < 5 * 0.045
    assert abs(np.mean(data.stds) / exact - 1) < 0.1


def test_circuits_that_measure_already(backend: SvcBackend) -> None:
    circuit = QuantumCircuit(2, 1)
    circuit.x(0)
    circuit.measure(0, 0)
    with circuit.if_test((0, 1)):
        circuit.x(1)
    data = SvcEstimator(backend).run([(circuit, ["ZI", "IZ", "ZZ"])], precision=0.1).result()[0].data
    assert data.evs.tolist() == [-1, -1, 1]


def test_seed_makes_results_repeatable(backend: SvcBackend) -> None:
    estimator = SvcEstimator(backend, options=EstimatorOptions(default_precision=0.1, seed=4))
    pub = (ansatz(), H2, [0.3] * 6)
    assert estimator.run([pub]).result()[0].data.evs == estimator.run([pub]).result()[0].data.evs


def test_what_is_invalid_is_refused_before_anything_is_sent(backend: SvcBackend) -> None:
    estimator, one = SvcEstimator(backend), QuantumCircuit(1)
    parametric = QuantumCircuit(1)
    parametric.rx(Parameter("t"), 0)
    for pubs in (
        [(one, "ZZ")],
        [(one, "Z", [[1.0]])],
        [(parametric, "Z")],
        [(one, SparsePauliOp("Z", 1j))],
        (one, "Z"),
    ):
        with pytest.raises(ValueError):
            estimator.run(pubs)
    with pytest.raises(ValueError):
        estimator.run([(one, "Z")], precision=-1)
    with pytest.raises(ValueError):
        estimator.run([(one, "Z", None, -1)])
    with pytest.raises(ValueError, match="a call of their own"):
        estimator.run([(one, "Z", None, 0), (one, "Z", None, 0.1)])


def test_precision_0_is_exact(backend: SvcBackend) -> None:
    values = np.random.default_rng(3).uniform(0, 3, (3, 1, 6))
    projectors = SparseObservable.from_list([("0+", 0.5), ("rX", -2), ("II", 1)])
    bell = QuantumCircuit(2)
    bell.h(0)
    bell.cx(0, 1)
    pubs: list[Any] = [(ansatz(), [H2, SparsePauliOp("XY")], values), (bell, ["XX", "ZI"])]
    job = SvcEstimator(backend).run([*pubs, (bell, projectors)], precision=0)
    result = job.result()
    assert len(job.svc) == 1
    exact = Statevector(bell).expectation_value(SparsePauliOp.from_sparse_observable(projectors))
    assert abs(float(result[2].data.evs) - exact) < 1e-12
    for own, expected in zip(result, StatevectorEstimator().run(pubs).result()):
        assert own.data.evs.shape == expected.data.evs.shape == own.data.stds.shape
        assert np.allclose(own.data.evs, expected.data.evs, atol=1e-12) and not np.any(own.data.stds)
    assert result[0].metadata == {"target_precision": 0.0, "shots": 0, "circuit_metadata": {"reps": 2}}


def test_on_a_chip_with_routed_circuits(svc: SvcClient, service: Service) -> None:
    """Bases are rotated with the gates of the chip, on the qubits that the circuit was placed on."""
    path = service.folder / "scheduler.device.yml"
    path.write_text(device_file(5))
    service.start_driver(service.create_qpu("row"), "aer_sim", f"noise={path}")
    until("the chip is described", lambda: svc.qpu("row").description)
    backend = svc.get_backend("row")
    assert set(backend.operation_names) >= {"sx", "rz", "cz"} and "h" not in backend.operation_names
    circuit = ansatz(4, 1)
    circuit.cx(0, 3)
    isa = generate_preset_pass_manager(optimization_level=3, backend=backend, seed_transpiler=1).run(circuit)
    observable = SparsePauliOp(["XYZI", "IXIY", "ZZZZ", "YIIX"], [1, 0.5, -0.3, 2])
    theta = np.random.default_rng(1).uniform(0, 6, (3, 8))
    [own] = SvcEstimator(backend).run([(isa, observable.apply_layout(isa.layout), theta)]).result()
    [exact] = StatevectorEstimator().run([(circuit, observable, theta)]).result()
    assert np.all(np.abs(own.data.evs - exact.data.evs) <= SIGMAS * own.data.stds)


def test_calls_are_restored_in_another_process(backend: SvcBackend, service: Service) -> None:
    values = np.random.default_rng(2).uniform(0, 6, (2, 100, 6))
    job = SvcEstimator(backend).run([(ansatz(), [[H2], ["XY"]], values), (ansatz(1), "Y", [1.0] * 3)], precision=0.2)
    env = {**os.environ, "SVC_ADDR": service.url, "SVC_API_TOKEN": service.token}
    run = subprocess.run([sys.executable, "-c", RESTORE, job.job_id()], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    expected = [[pub.data.evs.tolist(), pub.data.stds.tolist(), pub.metadata] for pub in job.result()]
    assert json.loads(run.stdout) == expected and len(job.job_ids) > 1


def test_bases_give_every_term() -> None:
    labels = [each.to_label() for each in random_pauli_list(5, 200, seed=3, phase=False)]
    bases = bases_of([*labels, "+-rl0", "IIIII"])
    assert all(any(fits(label, basis) for basis in bases) for label in [*labels, "+-rl0"])
    assert bases_of(["ZI", "IZ", "ZZ", "XX"]) == ["XX", "ZZ"] and bases_of(["II"]) == []
    assert bases_of(["XI", "IZ", "I0"]) == ["XZ"] and len(bases) < len(labels)


def test_a_circuit_whose_shots_were_all_discarded_has_no_mean() -> None:
    plan = {"pubs": [_describe(EstimatorPub.coerce((QuantumCircuit(1), "X"), 0.1), 1000)]}
    header = {"name": "", "memory_slots": 1, "creg_sizes": [["estimate", 1]], "metadata": {}}
    kept = {"shots": 100, "header": header, "metadata": {}, "counts": {"0": 40}, "discarded_shots": 60}
    assert estimated(plan, [CircuitResult(kept)])[0].data.evs == 1
    with pytest.raises(ValueError, match="discarded all shots of the circuit in basis X"):
        estimated(plan, [CircuitResult({**kept, "counts": {}, "discarded_shots": 100})])
