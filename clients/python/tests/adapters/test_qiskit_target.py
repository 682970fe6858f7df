"""The target of the transpiler from the description of a chip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from qiskit import QuantumCircuit, transpile
from qiskit.circuit.random import random_circuit
from qiskit.transpiler import Target
from svc_client import Qpu
from svc_client.qiskit.target import not_in_target, target_of

SIDE = 5
BROKEN_QUBITS = {6, 17}
BROKEN_PAIR = (11, 12)


def described(description: dict[str, Any] | None) -> Qpu:
    """A QPU as the server describes it."""
    raw = {"id": "q", "name": "grid", "status": "online", "enabled": True, "num_qubits": 25, "description": description}
    return Qpu.of(raw)


def pairs() -> list[tuple[int, int]]:
    right = [(at, at + 1) for at in range(SIDE**2) if at % SIDE < SIDE - 1]
    return right + [(at, at + SIDE) for at in range(SIDE**2 - SIDE)]


def grid() -> dict[str, Any]:
    """25 qubits in a square, of which two qubits and one pair do not work."""
    return {
        "schema": 1,
        "qubits": [
            {
                "name": f"q{at}",
                "t1_s": 8e-5,
                "t2_s": 5e-5,
                "frequency_hz": 4.8e9,
                "readout_error": 0.01 + at / 1000,
                "operational": at not in BROKEN_QUBITS,
            }
            for at in range(SIDE**2)
        ],
        "gates": [
            {"name": "sx", "on": [{"qubits": [at], "error": 4e-4, "duration_s": 3.2e-8} for at in range(SIDE**2)]},
            {"name": "rz", "params": ["phi"], "virtual": True},
            {
                "name": "cz",
                "on": [
                    {"qubits": [*pair], "error": 0.011, "duration_s": 2e-7, "operational": pair != BROKEN_PAIR}
                    for pair in pairs()
                ],
            },
        ],
        "measure": {"duration_s": 1.2e-6},
        "dt_s": 1e-9,
        "features": ["reset", "mid_circuit", "feedback", "inputs"],
        "limits": {"shots": 100000, "executions": 200},
    }


def test_target_has_what_is_described() -> None:
    target = target_of(described(grid()))
    assert (target.num_qubits, target.dt) == (25, 1e-9)
    assert target.qubit_properties[0].t1 == 8e-5 and target.qubit_properties[0].frequency == 4.8e9
    assert (target["sx"][(0,)].duration, target["sx"][(0,)].error) == (3.2e-8, 4e-4)
    assert (target["measure"][(3,)].duration, target["measure"][(3,)].error) == (1.2e-6, pytest.approx(0.013))
    assert target["rz"][(0,)].duration == 0 and target["cz"][(0, 1)].error == 0.011
    assert {"if_else", "switch_case", "reset"} <= set(target.operation_names)
    assert not {"for_loop", "while_loop"} & set(target.operation_names)


def test_what_does_not_work_is_left_out() -> None:
    target = target_of(described(grid()))
    assert BROKEN_PAIR not in target["cz"]
    for name in target.operation_names:
        for at in target[name] or {}:
            assert at is None or not BROKEN_QUBITS & set(at), f"{name} on {at}"


def test_gates_without_places_leave_broken_qubits_out_too() -> None:
    description = {"schema": 1, "qubits": [{"name": str(at), "operational": at != 1} for at in range(3)]}
    target = target_of(described({**description, "gates": [{"name": "cz"}, {"name": "x"}]}))
    assert set(target["cz"]) == {(0, 2), (2, 0)} and set(target["x"]) == {(0,), (2,)}


def test_gates_that_qiskit_does_not_know_have_their_parameters() -> None:
    gates = [{"name": "fsim", "params": ["theta", "phi"], "on": [{"qubits": [0, 1]}]}, {"name": "unknown"}]
    target = target_of(described({"schema": 1, "qubits": [{"name": "a"}, {"name": "b"}], "gates": gates}))
    assert target.operation_from_name("fsim").params[0].name == "theta" and "unknown" not in target


def test_without_description_there_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="QPU grid has no description"):
        target = target_of(described(None))
    assert target.num_qubits == 25 and target.build_coupling_map() is None


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_transpiled_circuits_stay_inside_of_the_target(level: int) -> None:
    target = target_of(described(grid()))
    # Level 0 of Qiskit puts qubit i on qubit i unless it is told otherwise, also where that is broken.
    places = [at for at in range(SIDE**2) if at not in BROKEN_QUBITS][:12] if level == 0 else None
    for seed in range(6):
        circuit = random_circuit(12, 5, measure=True, conditional=seed % 2 == 1, reset=seed % 3 == 2, seed=seed)
        isa = transpile(circuit, target=target, optimization_level=level, initial_layout=places, seed_transpiler=seed)
        assert not_in_target(isa, target) is None
        assert_inside(isa, target)


def test_an_offender_inside_of_a_block_is_named() -> None:
    target = target_of(described(grid()))
    circuit = QuantumCircuit(25, 1)
    with circuit.if_test((0, 1)):
        circuit.cz(11, 12)
    assert not_in_target(circuit, target) == "cz on qubits 11, 12"
    with_loop = QuantumCircuit(25, 1)
    with with_loop.while_loop((0, 0)):
        with_loop.sx(0)
    assert not_in_target(with_loop, target) == "while_loop on qubit 0"


def assert_inside(circuit: QuantumCircuit, target: Target) -> None:
    """By the description rather than by the code under test."""
    usable = {pair for pair in pairs() if pair != BROKEN_PAIR and not BROKEN_QUBITS & set(pair)}
    allowed = {"sx", "rz", "cz", "measure", "reset", "barrier", "delay", "if_else", "switch_case"}
    assert set(circuit.count_ops()) <= allowed
    for instruction in circuit.data:
        at = tuple(circuit.find_bit(qubit).index for qubit in instruction.qubits)
        if instruction.operation.name == "cz":
            assert at in usable
        elif instruction.operation.name != "barrier":
            assert not BROKEN_QUBITS & set(at) or instruction.operation.name == "if_else"
    assert np.isfinite(circuit.depth())
