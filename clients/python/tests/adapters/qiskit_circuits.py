"""660 circuits of Qiskit: random ones, those of its library, control flow, expressions and transpiled ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, transpile
from qiskit.circuit import CASE_DEFAULT, Parameter, library
from qiskit.circuit.classical import expr, types
from qiskit.circuit.random import random_circuit
from qiskit.quantum_info import SparsePauliOp, random_statevector, random_unitary

BASES = (["sx", "x", "rz", "cz"], ["u", "cx"], ["rx", "ry", "rz", "rxx"], ["h", "p", "cx", "id"], ["r", "iswap", "rz"])


def all_circuits(*, plain: bool = False) -> list[QuantumCircuit]:
    """All of them, each with measurements, always the same.

    Args:
        plain: with equivalent conditions instead of variables and indices, which Qiskit Aer does not support.
    """
    kinds = [randoms(280), libraries(), flows(120), expressions(100, plain=plain), transpileds(100)]
    circuits = [circuit for kind in kinds for circuit in kind]
    for at, circuit in enumerate(circuits):
        circuit.name = f"{at} {circuit.name}"
    return circuits


def randoms(count: int) -> Iterator[QuantumCircuit]:
    for seed in range(count):
        rng = np.random.default_rng(seed)
        qubits, depth = int(rng.integers(1, 9)), int(rng.integers(1, 12))
        yield random_circuit(
            qubits, depth, measure=True, conditional=seed % 3 == 1, reset=seed % 4 == 2, max_operands=4, seed=seed
        )


def libraries() -> Iterator[QuantumCircuit]:
    """60 circuits and gates of the library, each after rotations that make all its effects seen."""
    angle = Parameter("angle")
    gates = [
        library.QFTGate(4),
        library.QFTGate(3).inverse(),
        library.PauliGate("XYZ"),
        library.PauliGate("YYXI").control(1),
        library.GlobalPhaseGate(0.7),
        library.GlobalPhaseGate(0.7).control(1),
        library.DiagonalGate([1, -1, 1j, -1j]),
        library.UnitaryGate(random_unitary(8, seed=1)),
        library.UnitaryGate(random_unitary(4, seed=2)).control(1),
        library.Initialize(random_statevector(8, seed=3)),
        library.Initialize("01+-"),
        library.StatePreparation(random_statevector(4, seed=4)),
        library.Isometry(random_unitary(4, seed=5).data, 0, 0),
        library.UCGate([random_unitary(2, seed=at).data for at in range(4)]),
        library.UCRXGate([0.1, 0.2, 0.3, 0.4]),
        library.UCRYGate([0.1, 0.2]),
        library.UCRZGate([0.4, 0.3, 0.2, 0.1]),
        library.PermutationGate([2, 0, 3, 1]),
        library.LinearFunction([[1, 1, 0], [0, 1, 1], [0, 0, 1]]),
        library.PauliEvolutionGate(SparsePauliOp(["XXI", "IZZ", "YIY"], [0.3, 0.2, 0.1]), 0.8),
        library.MCXGate(4),
        library.MCXGate(3, ctrl_state=2),
        library.MCPhaseGate(0.9, 3),
        library.MCMTGate(library.YGate(), 2, 2),
        library.XGate().control(2, ctrl_state=0),
        library.CSwapGate(ctrl_state=0),
        library.CUGate(0.1, 0.2, 0.3, 0.4, ctrl_state=0),
        library.C3SXGate(),
        library.RC3XGate(),
        library.RCCXGate(),
        library.CCZGate(),
        library.CSGate(),
        library.CSdgGate(),
        library.CSXGate(),
        library.DCXGate(),
        library.ECRGate(),
        library.iSwapGate(),
        library.RXXGate(0.5),
        library.RYYGate(0.6),
        library.RZXGate(0.7),
        library.RZZGate(0.8).control(1),
        library.XXMinusYYGate(0.4, 0.9),
        library.XXPlusYYGate(0.4, 0.9),
        library.RGate(0.3, 0.4),
        library.RVGate(0.1, 0.2, 0.3),
        library.SXdgGate(),
        library.U1Gate(0.3),
        library.U2Gate(0.1, 0.2),
        library.U3Gate(0.1, 0.2, 0.3),
        library.XGate().power(0.3),
        library.HGate().repeat(3),
        library.RYGate(0.4).control(3, annotated=True),
        library.HalfAdderGate(2),
        library.efficient_su2(3, reps=1).assign_parameters(np.linspace(0, 1, 12)).to_gate(),
        library.iqp([[6, 5, 3], [5, 4, 5], [3, 5, 1]]).to_gate(),
        library.fourier_checking([1, -1, -1, -1], [1, 1, -1, -1]).to_gate(),
        library.grover_operator(oracle()).to_gate(),
        library.hidden_linear_function([[1, 1, 0], [1, 0, 1], [0, 1, 1]]).to_gate(),
        library.excitation_preserving(3, reps=1).assign_parameters([0.2] * 9).to_gate(),
        library.real_amplitudes(2, reps=1).assign_parameters([angle, 2 * angle, angle**2, 0.3]).to_gate(),
    ]
    for gate in gates:
        circuit = QuantumCircuit(max(1, gate.num_qubits), name=gate.name)
        for qubit in circuit.qubits:
            circuit.u(0.4 + 0.3 * circuit.find_bit(qubit).index, 0.5, 0.6, qubit)
        circuit.append(gate, range(gate.num_qubits))
        for qubit in circuit.qubits:
            circuit.rx(0.7, qubit)
        circuit.measure_all()
        yield circuit


def oracle() -> QuantumCircuit:
    circuit = QuantumCircuit(2)
    circuit.cz(0, 1)
    return circuit


def flows(count: int) -> Iterator[QuantumCircuit]:
    """Branches, loops and cases, also inside of each other."""
    for seed in range(count):
        rng = np.random.default_rng(1000 + seed)
        first, second = ClassicalRegister(2, "first"), ClassicalRegister(1, "second")
        circuit = QuantumCircuit(QuantumRegister(3, "q"), first, second, name=f"flow {seed % 6}")
        for qubit in range(3):
            circuit.ry(rng.uniform(0, 3), qubit)
        circuit.measure([0, 1], first)
        flow(circuit, seed % 6, rng)
        if seed % 2:
            with circuit.if_test((first, int(rng.integers(4)))) as otherwise:
                flow(circuit, (seed // 6) % 4, rng)
            with otherwise:
                circuit.rx(rng.uniform(0, 3), 1)
        circuit.measure(2, second)
        circuit.measure(1, first[1])
        yield circuit


def flow(circuit: QuantumCircuit, kind: int, rng: np.random.Generator) -> None:
    first = circuit.cregs[0]
    if kind == 0:
        with circuit.if_test((first[0], True)):
            circuit.rx(rng.uniform(0, 3), 2)
    elif kind == 1:
        with circuit.for_loop(range(int(rng.integers(1, 5)))):
            circuit.rx(rng.uniform(0, 1), 2)
            circuit.cx(2, 1)
    elif kind == 2:
        with circuit.switch(first) as case:
            with case(0):
                circuit.x(2)
            with case(1, 2):
                circuit.rx(rng.uniform(0, 3), 2)
            with case(CASE_DEFAULT):
                circuit.cx(1, 2)
    elif kind == 3:
        with circuit.for_loop((0, 3, 5), Parameter("step")) as step:
            circuit.rz(step * 0.3, 2)
            circuit.ry(0.2, 2)
    elif kind == 4:
        with circuit.while_loop((first, 0)):
            circuit.h([0, 1])
            circuit.measure([0, 1], first)
    else:
        with circuit.for_loop(range(5)):
            circuit.ry(0.8, 2)
            circuit.measure(2, first[0])
            with circuit.if_test((first[0], True)):
                circuit.break_loop()
            circuit.continue_loop()


def expressions(count: int, *, plain: bool) -> Iterator[QuantumCircuit]:
    """Conditions of registers, bits and variables."""
    for seed in range(count):
        rng = np.random.default_rng(2000 + seed)
        a, b = ClassicalRegister(2, "a"), ClassicalRegister(2, "b")
        circuit = QuantumCircuit(QuantumRegister(4, "q"), a, b, name=f"expression {seed % 8}")
        for qubit in range(4):
            circuit.ry(rng.uniform(0, 3), qubit)
        circuit.measure(range(4), [*a, *b])
        conditions = [
            lambda: expr.equal(a, b),
            lambda: expr.less(a, b),
            lambda: expr.logic_and(a[0], expr.logic_not(b[1])),
            lambda: expr.equal(expr.bit_xor(a, b), 3),
            lambda: expr.greater_equal(expr.bit_or(a, b), 2),
            lambda: expr.not_equal(expr.bit_and(a, expr.bit_not(b)), 0),
            lambda: expr.logic_or(a[1] if plain else expr.index(a, 1), expr.equal(b, 1)),
        ]
        bound = int(rng.integers(1, 5))
        if seed % 8 < 7:
            condition = conditions[seed % 8]()
        elif plain:
            is_below = b[0] if bound < 3 else expr.logic_and(b[0], expr.logic_not(b[0]))
            condition = expr.logic_and(expr.logic_or(expr.equal(a, 2), b[0]), is_below)
        else:
            flag = circuit.add_var("flag", expr.equal(a, 2))
            circuit.store(flag, expr.logic_or(flag, b[0]))
            wide = circuit.add_var("wide", expr.lift(bound, types.Uint(8)))
            condition = expr.logic_and(flag, expr.logic_and(b[0], expr.less(wide, 3)))
        with circuit.if_test(condition) as otherwise:
            circuit.x(0)
        with otherwise:
            circuit.ry(rng.uniform(0, 3), 1)
        circuit.measure([0, 1], a)
        yield circuit


def transpileds(count: int) -> Iterator[QuantumCircuit]:
    """Circuits for a chip: placed, routed and in few gates, at each level."""
    for seed in range(count):
        rng = np.random.default_rng(3000 + seed)
        circuit = random_circuit(int(rng.integers(2, 6)), 5, measure=True, seed=3000 + seed)
        yield transpile(
            circuit,
            basis_gates=BASES[seed % len(BASES)],
            coupling_map=[[at, at + 1] for at in range(6)] + [[at + 1, at] for at in range(6)],
            optimization_level=seed % 4,
            seed_transpiler=seed,
        )
