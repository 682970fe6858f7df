"""The sampler of Cirq, with a real server and the simulator ``aer_sim``, compared with exact values."""

from __future__ import annotations

import cirq
import numpy as np
import pytest
import sympy
from conftest import CountingClient
from svc_client import SvcClient
from svc_client.cirq import SvcSampler, to_circuit

A, B, C = cirq.LineQubit.range(3)
TURN = sympy.Symbol("turn")


@pytest.fixture
def sampler(client: CountingClient) -> SvcSampler:
    return SvcSampler("kelvin", client=client, seed=3)


def test_measurements_by_name_shot_and_qubit(sampler: SvcSampler) -> None:
    circuit = cirq.Circuit(
        cirq.X(A), cirq.X(C), cirq.measure(C, B, A, key="any text; "), cirq.measure(B, key="b", invert_mask=(True,))
    )
    result = sampler.run(circuit, repetitions=4)
    assert result.measurements["any text; "].tolist() == [[1, 0, 1]] * 4
    assert result.measurements["b"].tolist() == [[1]] * 4
    assert result.repetitions == 4 and result.data["b"].tolist() == [1] * 4


def test_many_bits(sampler: SvcSampler) -> None:
    qubits = cirq.LineQubit.range(19)
    flipped = [at for at in range(19) if at % 3 == 1]
    circuit = cirq.Circuit(cirq.X.on_each(*(qubits[at] for at in flipped)), cirq.measure(*qubits, key="all"))
    assert np.flatnonzero(sampler.run(circuit).measurements["all"][0]).tolist() == flipped


def test_a_sweep_is_one_job(sampler: SvcSampler, client: CountingClient) -> None:
    circuit = cirq.Circuit(cirq.rx(TURN)(A), cirq.CNOT(A, B), cirq.measure(A, B, key="m"))
    results = sampler.run_sweep(circuit, cirq.Linspace("turn", 0, np.pi, 21), repetitions=1000)
    assert client.submitted == 1 and [result.params["turn"] for result in results][:1] == [0.0]
    for result in results:
        ones = result.measurements["m"][:, 1].mean()
        assert abs(ones - np.sin(result.params["turn"] / 2) ** 2) <= 5 * 0.5 / np.sqrt(1000)
    sampler.run_sweep(circuit, cirq.Linspace("turn", 0, 1, 301))
    assert client.submitted == 3


def test_gates_of_every_kind(sampler: SvcSampler) -> None:
    """The distributions are those of Cirq's own simulator."""
    for seed in range(12):
        circuit = cirq.testing.random_circuit(4, 12, 0.7, random_state=seed)
        circuit += [
            cirq.ISWAP(A, B) ** 0.3,
            cirq.FSimGate(0.3, 0.2)(B, C),
            cirq.PhasedXZGate.from_matrix(cirq.unitary(cirq.H))(C),
        ]
        circuit += cirq.CCX(A, B, C)
        qubits = sorted(circuit.all_qubits())
        exact = (
            np.abs(cirq.Simulator(dtype=np.complex128).simulate(circuit, qubit_order=qubits).final_state_vector) ** 2
        )
        found = sampler.run(circuit + cirq.measure(*qubits, key="m"), repetitions=2000).histogram(key="m")
        seen = np.array([found.get(at, 0) for at in range(len(exact))]) / 2000
        assert np.all(np.abs(seen - exact) <= 6 * np.sqrt(exact * (1 - exact) / 2000) + 1e-3)


def test_conditions_on_measurements(sampler: SvcSampler) -> None:
    circuit = cirq.Circuit(
        cirq.H(A), cirq.measure(A, key="first"), cirq.X(B).with_classical_controls("first"), cirq.measure(B, key="last")
    )
    measurements = sampler.run(circuit, repetitions=50).measurements
    assert (measurements["first"] == measurements["last"]).all() and 0 < measurements["first"].sum() < 50


def test_line_qubits_are_those_of_the_qpu() -> None:
    assert "x q[5];" in to_circuit(cirq.Circuit(cirq.X(cirq.LineQubit(5)))).text
    assert "x q[1];" in to_circuit(cirq.Circuit(cirq.I(cirq.NamedQubit("a")), cirq.X(cirq.NamedQubit("b")))).text


def test_what_cannot_run_is_named(sampler: SvcSampler, client: CountingClient) -> None:
    with pytest.raises(ValueError, match="The circuit has no measurements"):
        sampler.run(cirq.Circuit(cirq.X(A)))
    with pytest.raises(ValueError, match="several measurements with the name 'm'"):
        sampler.run(cirq.Circuit(cirq.measure(A, key="m"), cirq.measure(B, key="m")))
    with pytest.raises(ValueError, match="has the symbols turn; pass cirq.resolve_parameters"):
        client.run(cirq.Circuit(cirq.rx(TURN)(A), cirq.measure(A)))
    assert client.submitted == 1


def test_client_takes_circuits(client: CountingClient) -> None:
    circuits = [cirq.Circuit(cirq.X(B), cirq.measure(A, B)), cirq.FrozenCircuit(cirq.measure(A))]
    assert [result.counts for result in client.run(circuits, qpu="kelvin", shots=3)] == [{"10": 3}, {"0": 3}]


def test_gradient_descent_finds_the_ground_state(sampler: SvcSampler, client: CountingClient) -> None:
    """Two qubits with the Hamiltonian of H2; shifts of each angle by ±π/2 give the gradient, in one job."""
    angles = sympy.symbols("a0:3")
    ansatz = cirq.Circuit(cirq.ry(angles[0])(A), cirq.ry(angles[1])(B), cirq.CNOT(A, B), cirq.ry(angles[2])(B))
    # Without Y the state is real: Z and X are measured in two circuits, told apart by a fourth angle.
    basis = sympy.Symbol("basis")
    circuit = ansatz + cirq.Circuit(cirq.ry(basis).on_each(A, B), cirq.measure(A, B, key="m"))
    factors = {"I": -1.0523732, "ZI": 0.39793742, "IZ": -0.39793742, "ZZ": -0.01128010, "XX": 0.18093120}

    def energies(sets: list[np.ndarray]) -> list[float]:
        sweep = [
            {**{str(name): value for name, value in zip(angles, each)}, "basis": turn}
            for each in sets
            for turn in (0.0, -np.pi / 2)
        ]
        means = []
        for result in sampler.run_sweep(circuit, sweep, repetitions=2000):
            first, second = (1 - 2 * result.measurements["m"]).T
            means.append((first.mean(), second.mean(), (first * second).mean()))
        return [
            factors["I"] + factors["ZI"] * z[0] + factors["IZ"] * z[1] + factors["ZZ"] * z[2] + factors["XX"] * x[2]
            for z, x in zip(means[::2], means[1::2])
        ]

    values = np.array([0.3, 0.2, 2.5])
    for _ in range(40):
        shifts = [values + sign * np.pi / 2 * np.eye(3)[at] for at in range(3) for sign in (1, -1)]
        found = energies(shifts)
        values = values - 0.6 * (np.array(found[::2]) - np.array(found[1::2])) / 2
    assert client.submitted == 40
    z, x = cirq.unitary(cirq.Z), cirq.unitary(cirq.X)
    hamiltonian = (
        factors["I"] * np.eye(4)
        + factors["ZI"] * np.kron(z, np.eye(2))
        + factors["IZ"] * np.kron(np.eye(2), z)
        + factors["ZZ"] * np.kron(z, z)
        + factors["XX"] * np.kron(x, x)
    )
    state = cirq.resolve_parameters(ansatz, dict(zip(map(str, angles), values))).final_state_vector(dtype=np.complex128)
    assert abs((state.conj() @ hamiltonian @ state).real / np.linalg.eigvalsh(hamiltonian)[0] - 1) < 0.01


def test_circuits_go_to_the_session_of_their_client(svc: SvcClient) -> None:
    qubit = cirq.LineQubit(0)
    with svc.session("kelvin", seconds=300):
        found = SvcSampler(client=svc).run(cirq.Circuit(cirq.X(qubit), cirq.measure(qubit, key="m")), repetitions=10)
        assert found.histogram(key="m") == {1: 10}
        assert next(svc.jobs(limit=1)).refresh().charged_seconds == 0
