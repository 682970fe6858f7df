"""The device of PennyLane, with a real server and the simulator ``aer_sim``, compared with exact values."""

from __future__ import annotations

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pennylane as qml
import pytest
from conftest import CountingClient
from pennylane import numpy as pnp
from svc_client import SvcClient
from svc_client.pennylane import NAME, SvcDevice

SHOTS = 4000
H2 = qml.Hamiltonian(
    [-1.0523732, 0.39793742, -0.39793742, -0.01128010, 0.18093120],
    [qml.Identity(0), qml.Z(0), qml.Z(1), qml.Z(0) @ qml.Z(1), qml.X(0) @ qml.X(1)],
)


@pytest.fixture
def device(client: CountingClient) -> SvcDevice:
    return SvcDevice(backend="kelvin", client=client, seed=5)


def compare(device: SvcDevice, circuit: Any, *args: Any, error: float = 5 / np.sqrt(SHOTS)) -> Any:
    """Runs a function as a QNode on the QPU, and compares it with the exact value."""
    own = qml.set_shots(qml.QNode(circuit, device), shots=SHOTS)(*args)
    exact = qml.QNode(circuit, qml.device("default.qubit"))(*args)
    flat = [
        np.concatenate([np.ravel(each) for each in (value if isinstance(value, tuple) else (value,))])
        for value in (own, exact)
    ]
    assert flat[0].shape == flat[1].shape and np.all(np.abs(flat[0] - flat[1]) <= error)
    return own


def test_entry_point_names_the_device() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    [(name, value)] = project["entry-points"]["pennylane.plugins"].items()
    assert name == NAME and EntryPoint(name, value, "pennylane.plugins").load() is SvcDevice


def test_expectation_values_variances_and_probabilities(device: SvcDevice) -> None:
    def circuit(angle: float) -> Any:
        qml.RX(angle, 0)
        qml.CNOT([0, 1])
        qml.QFT([0, 1, 2])
        qml.GlobalPhase(0.3)
        first = qml.expval(qml.Z(0) @ qml.Y(1))
        return first, qml.expval(qml.X(1)), qml.var(qml.Z(2)), qml.probs(wires=[2, 0])

    compare(device, circuit, 0.7)


def test_observables_that_do_not_commute(device: SvcDevice, client: CountingClient) -> None:
    def circuit(angles: Any) -> Any:
        qml.BasicEntanglerLayers(angles, wires=[0, 1])
        return qml.expval(H2)

    compare(device, circuit, np.array([[0.4, 1.3], [0.2, 2.2]]))
    assert client.submitted == 1


def test_samples_and_counts_keep_the_order_of_wires(device: SvcDevice) -> None:
    @qml.set_shots(30)
    @qml.qnode(device)
    def circuit() -> Any:
        qml.X("b")
        qml.I("a")
        qml.X("c")
        return qml.counts(wires=["a", "b", "c"]), qml.sample(wires=["c", "a"]), qml.sample(qml.Z("a"))

    counts, samples, values = circuit()
    assert {str(key): int(count) for key, count in counts.items()} == {"011": 30}
    assert samples.tolist() == [[1, 0]] * 30 and values.tolist() == [1] * 30


def test_labels_of_wires(client: CountingClient) -> None:
    device = SvcDevice(wires=["x", "y", "z"], backend="kelvin", client=client)

    @qml.set_shots(10)
    @qml.qnode(device)
    def circuit(wire: str) -> Any:
        qml.X(wire)
        return qml.probs(wires=["x", "y", "z"])

    assert circuit("y").tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    with pytest.raises(qml.exceptions.WireError):
        circuit("w")


def test_partitioned_shots(device: SvcDevice, client: CountingClient) -> None:
    @qml.set_shots([10, 20])
    @qml.qnode(device)
    def circuit() -> Any:
        qml.X(0)
        return qml.expval(qml.Z(0)), qml.sample(wires=0)

    [(first, few), (second, more)] = circuit()
    assert (first, second, few.size, more.size) == (-1, -1, 10, 20) and client.submitted == 1


def test_measurements_in_the_circuit(device: SvcDevice) -> None:
    def circuit(angle: float) -> Any:
        qml.RY(angle, 0)
        outcome = qml.measure(0)
        qml.cond(outcome, qml.RX)(1.2, 1)
        return qml.expval(qml.Z(1)), qml.expval(outcome)

    compare(device, circuit, 1.1)


def test_broadcast_parameters_are_one_job(device: SvcDevice, client: CountingClient) -> None:
    def circuit(angles: Any) -> Any:
        qml.RY(angles, 0)
        return qml.expval(qml.Z(0))

    assert compare(device, circuit, np.linspace(0, 3, 350)).shape == (350,)
    # 300 executions are one job.
    assert client.submitted == 2


def test_a_gradient_is_one_job(device: SvcDevice, client: CountingClient) -> None:
    @qml.qnode(device, diff_method="parameter-shift")
    def circuit(angles: Any) -> Any:
        qml.BasicEntanglerLayers(angles, wires=[0, 1])
        return qml.expval(H2)

    angles = pnp.array([[0.4, 1.3], [0.2, 2.2]], requires_grad=True)
    own = qml.gradients.param_shift(qml.set_shots(circuit, shots=SHOTS))(angles)
    assert client.submitted == 1
    exact = qml.grad(qml.QNode(circuit.func, qml.device("default.qubit")))(angles)
    assert np.all(np.abs(own - exact) < 5 * 2 / np.sqrt(SHOTS))


def test_gradient_descent_finds_the_ground_state(device: SvcDevice, client: CountingClient) -> None:
    def circuit(angles: Any) -> Any:
        qml.RY(angles[0], 0)
        qml.RY(angles[1], 1)
        qml.CNOT([0, 1])
        qml.RY(angles[2], 1)
        return qml.expval(H2)

    energy = qml.set_shots(qml.QNode(circuit, device, diff_method="parameter-shift"), shots=SHOTS)
    angles = pnp.array([0.3, 0.2, 2.5], requires_grad=True)
    optimizer, steps = qml.GradientDescentOptimizer(0.6), 40
    for _ in range(steps):
        angles = optimizer.step(energy, angles)
    exact = qml.QNode(circuit, qml.device("default.qubit"))
    minimum = float(np.linalg.eigvalsh(qml.matrix(H2, wire_order=[0, 1]))[0])
    assert abs(exact(angles) / minimum - 1) < 0.01
    # Each step has its value and its gradient.
    assert client.submitted <= 2 * steps


def test_without_shots_values_are_exact(device: SvcDevice, client: CountingClient) -> None:
    def gates(angle: float) -> None:
        qml.RX(angle, 0)
        qml.CNOT([0, 1])
        qml.RY(0.4, 2)

    def circuit(angle: float) -> Any:
        gates(angle)
        return qml.expval(H2), qml.expval(qml.Y(2) @ qml.Z(0)), qml.var(qml.X(2)), qml.probs(wires=[2, 0])

    def means(angle: float) -> Any:
        gates(angle)
        return qml.expval(H2), qml.expval(qml.X(2) @ qml.Y(0))

    def measured(angle: float) -> Any:
        qml.RY(angle, 0)
        outcome = qml.measure(0)
        qml.cond(outcome, qml.RX)(1.2, 1)
        return qml.expval(qml.Y(1)), qml.expval(outcome)

    for each in (circuit, means, measured):
        own = qml.QNode(each, device)(0.7)
        exact = qml.QNode(each, qml.device("default.qubit"))(0.7)
        for value, expected in zip(own, exact):
            assert np.allclose(value, expected, atol=1e-12)
    assert client.submitted == 3


def test_an_exact_gradient_is_one_job(device: SvcDevice, client: CountingClient) -> None:
    @qml.qnode(device, diff_method="parameter-shift")
    def circuit(angles: Any) -> Any:
        qml.BasicEntanglerLayers(angles, wires=[0, 1])
        return qml.expval(H2)

    angles = pnp.array([[0.4, 1.3], [0.2, 2.2]], requires_grad=True)
    own = qml.gradients.param_shift(circuit)(angles)
    assert client.submitted == 1
    exact = qml.grad(qml.QNode(circuit.func, qml.device("default.qubit")))(angles)
    assert np.allclose(own, exact, atol=1e-10)
    assert np.allclose(qml.grad(circuit)(angles), exact, atol=1e-10)


def test_what_no_device_has_is_refused(device: SvcDevice, client: CountingClient) -> None:
    with pytest.raises(Exception, match="not accepted"):
        qml.set_shots(qml.QNode(lambda: qml.state(), device), shots=10)()
    with pytest.raises(Exception, match="not accepted"):
        qml.QNode(lambda: qml.state(), device)()
    assert client.submitted == 0


def test_client_takes_tapes_and_qnodes(client: CountingClient, device: SvcDevice) -> None:
    tape = qml.tape.QuantumScript([qml.X(0), qml.I(1)], [qml.expval(qml.Z(0))], shots=9)
    [result] = client.run(tape, qpu="kelvin")
    assert result.counts == {"01": 9}

    @qml.qnode(device)
    def circuit() -> Any:
        qml.Hadamard(0)
        return qml.expval(qml.X(0))

    assert client.run([circuit, tape], qpu="kelvin", shots=7)[0].counts == {"0": 7}
    with pytest.raises(TypeError, match="Expected a QNode or a tape"):
        client.run(qml.X(0))


def test_circuits_go_to_the_session_of_their_client(svc: SvcClient) -> None:
    with svc.session("kelvin", seconds=300):
        device = SvcDevice(client=svc)

        @qml.set_shots(100)
        @qml.qnode(device)
        def flipped() -> Any:
            qml.X(0)
            return qml.expval(qml.Z(0))

        assert flipped() == -1
        assert next(svc.jobs(limit=1)).refresh().charged_seconds == 0
