"""Every kind of circuit of Qiskit is accepted, and its counts are those of Qiskit Aer."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, transpile
from qiskit.circuit import Clbit, ControlFlowOp, Parameter, Qubit
from qiskit.circuit.library import UnitaryGate
from qiskit.providers.fake_provider import GenericBackendV2
from qiskit_aer import AerSimulator
from qiskit_circuits import all_circuits
from scipy.stats import chi2_contingency
from svc_client import Circuit, SvcClient
from svc_client.qiskit import to_circuit

SHOTS = 1000
MAX_QUBITS = 10
# Probability that a correct comparison of all circuits fails.
RISK = 1e-4
VALUE = 0.4


@pytest.fixture(scope="module")
def circuits() -> list[QuantumCircuit]:
    return all_circuits()


def sent(circuit: QuantumCircuit) -> Circuit:
    values = [VALUE] * circuit.num_parameters
    return dataclasses.replace(to_circuit(circuit), parameter_values=values or None)


def test_all_660_are_accepted(svc: SvcClient, circuits: list[QuantumCircuit]) -> None:
    assert len(circuits) == 660
    refused = {}
    for circuit in circuits:
        check = svc.check_job(sent(circuit), qpu="kelvin")
        if not check.accepted:
            refused[circuit.name] = check.problems
    assert refused == {}


def test_counts_agree_with_aer(svc: SvcClient, circuits: list[QuantumCircuit]) -> None:
    small = [circuit for circuit in circuits if circuit.num_qubits <= MAX_QUBITS]
    jobs = [
        svc.submit_job([sent(circuit) for circuit in small[at : at + 100]], qpu="kelvin", shots=SHOTS, seed=at + 1)
        for at in range(0, len(small), 100)
    ]
    own = [result.counts for job in svc.wait(jobs) for result in job.result()]
    assert len(own) == len(small) == 660
    aer = AerSimulator(max_parallel_threads=1)
    differing = {}
    for circuit, counts in zip(all_circuits(plain=True), own):
        bound = circuit.assign_parameters([VALUE] * circuit.num_parameters)
        found = aer.run(transpile(bound, aer, optimization_level=0), shots=SHOTS, seed_simulator=7).result()
        expected = {bits.replace(" ", ""): count for bits, count in found.get_counts().items()}
        probability = agreement(counts, expected)
        if probability < RISK / len(small):
            differing[circuit.name] = (probability, counts, expected)
    assert differing == {}


def agreement(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """Probability that two samples of the same distribution differ as much as these, by the χ² test.

    Outcomes that were seen less than 10 times in both together are one.
    """
    table = np.array([[counts.get(bits, 0) for bits in {**first, **second}] for counts in (first, second)])
    often = table.sum(axis=0) >= 10
    rest = table[:, ~often].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, often], rest[:, rest.sum(axis=0) > 0]])
    if table.shape[1] < 2:
        return 1.0
    return float(chi2_contingency(table, correction=False).pvalue)


def test_the_comparison_sees_differences() -> None:
    assert agreement({"0": 500, "1": 500}, {"0": 520, "1": 480}) > 0.1
    assert agreement({"0": 500, "1": 500}, {"0": 700, "1": 300}) < RISK / 660
    assert agreement({"00": 1000}, {"01": 1000}) < RISK / 660


@pytest.mark.parametrize("kind", ["plain", "empty", "shared", "loose", "lowered", "open delay"])
def test_physical_qubits_stay_physical(kind: str) -> None:
    bits = [Clbit(), Clbit()]
    registers = {
        "empty": [ClassicalRegister(0, "e"), ClassicalRegister(bits=bits)],
        "shared": [ClassicalRegister(name="a", bits=bits), ClassicalRegister(name="b", bits=bits[::-1])],
        "loose": [ClassicalRegister(name="c", bits=bits[1:]), bits[:1]],
    }
    circuit = QuantumCircuit(QuantumRegister(2, "q"), *registers.get(kind, [ClassicalRegister(bits=bits)]))
    circuit.h(0)
    circuit.delay(Parameter("wait") if kind == "open delay" else 1, 1, "us")
    circuit.measure([0, 1], bits)
    placed = transpile(circuit, GenericBackendV2(5, seed=1), initial_layout=[3, 1], optimization_level=0)
    if kind == "lowered":
        # A gate with a matrix in place of numbers: the exporter cannot write it.
        placed.append(UnitaryGate(np.eye(2)[::-1]), [3])
    text = to_circuit(placed).text
    assert set(re.findall(r"\$\d+", text)) == {"$3", "$1"} and "qubit" not in text
    assert text.index("= measure $3") > text.index("sx $3")


SEEDS = range(1000 if os.environ.get("SVC_TESTS") == "whole" else 25)


def random_registers(rng: np.random.Generator, bits: list[Clbit]) -> list[ClassicalRegister | list[Clbit]]:
    """Registers of bits: of all, of parts, empty ones, some that share bits; and bits without a register."""
    order = [bits[at] for at in rng.permutation(len(bits))]
    cut = int(rng.integers(len(bits) + 1))
    parts = [part for part in (order[:cut], order[cut:]) if part]
    loose = [part for part in parts if rng.random() < 0.2]
    registers = [ClassicalRegister(name=f"r{at}", bits=part) for at, part in enumerate(parts) if part not in loose]
    if rng.random() < 0.3:
        registers.append(ClassicalRegister(name="shared", bits=[bits[at] for at in rng.permutation(len(bits))[:2]]))
    if rng.random() < 0.3:
        registers.insert(int(rng.integers(len(registers) + 1)), ClassicalRegister(0, "empty"))
    return [*loose, *registers]


def append_random(rng: np.random.Generator, circuit: QuantumCircuit, depth: int = 0) -> None:
    """One operation on random qubits, also of gates without a definition in OpenQASM, and blocks."""
    first, second = (int(qubit) for qubit in rng.permutation(circuit.num_qubits)[:2])
    own = QuantumCircuit(2, name="own")
    own.h(0)
    own.cx(0, 1)
    bit = circuit.clbits[int(rng.integers(circuit.num_clbits))]
    filled = [register for register in circuit.cregs if len(register) > 0]
    condition = (filled[int(rng.integers(len(filled)))], 1) if filled and rng.random() < 0.5 else (bit, 1)
    kind = int(rng.integers(12 if depth < 2 else 9))
    if kind < 9:
        (
            lambda: circuit.sx(first),
            lambda: circuit.cx(first, second),
            lambda: circuit.rz(Parameter(f"angle{rng.integers(10**9)}"), first),
            lambda: circuit.delay(1, first, "us"),
            lambda: circuit.barrier(first, second),
            lambda: circuit.reset(first),
            lambda: circuit.measure(first, bit),
            lambda: circuit.append(own.to_gate(), [first, second]),
            lambda: circuit.append(UnitaryGate(np.eye(4)[::-1]), [first, second]),
        )[kind]()
        return
    block = (circuit.if_test(condition), circuit.for_loop(range(2)), circuit.while_loop(condition))[kind - 9]
    with block:
        for _ in range(int(rng.integers(1, 4))):
            append_random(rng, circuit, depth + 1)


def operands(circuit: QuantumCircuit, places: Mapping[Qubit, int]) -> Iterator[tuple[str, list[int]]]:
    """The physical qubits of each operation in the order of the text."""
    for instruction in circuit.data:
        on = [places[qubit] for qubit in instruction.qubits]
        if not isinstance(instruction.operation, ControlFlowOp):
            yield instruction.operation.name, on
            continue
        for block in instruction.operation.blocks:
            yield from operands(block, dict(zip(block.qubits, on)))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_operations_stay_on_their_physical_qubits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits = [Clbit() for _ in range(3)]
    circuit = QuantumCircuit(QuantumRegister(2, "q"), *random_registers(rng, bits))
    circuit.h(0)
    layout = [int(place) for place in rng.permutation(5)[:2]]
    placed = transpile(circuit, GenericBackendV2(5, seed=1), initial_layout=layout, optimization_level=0)
    for _ in range(int(rng.integers(1, 12))):
        append_random(rng, placed)
    text = to_circuit(placed).text
    statements = re.sub(r"(?ms)^gate .*?^}", "", text).splitlines()
    written = [[int(place) for place in re.findall(r"\$(\d+)", line)] for line in statements if "$" in line]
    expected = list(operands(placed, {qubit: at for at, qubit in enumerate(placed.qubits)}))
    assert "qubit" not in text
    if any(name == "unitary" for name, _ in expected):
        # Such gates become others, on the same qubits, and what does not depend on each other changes its order.
        assert {place for line in written for place in line} == {place for _, on in expected for place in on}
        measured = [places for line, places in zip([line for line in statements if "$" in line], written) if "measure" in line]
        assert sorted(measured) == sorted(on for name, on in expected if name == "measure")
    else:
        assert written == [on for _, on in expected]
