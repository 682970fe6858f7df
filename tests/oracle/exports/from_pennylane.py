"""Programs of PennyLane's `to_openqasm`; the probabilities are those of default.qubit."""

from collections.abc import Iterator

import pennylane as qml

from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "pennylane default.qubit"

GATES = {
    **{name: (0, 1) for name in "PauliX PauliY PauliZ Hadamard S T SX Identity".split()},
    **{name: (1, 1) for name in "RX RY RZ PhaseShift U1".split()},
    **{name: (0, 2) for name in "CNOT CZ CY CH SWAP ISWAP SISWAP ECR".split()},
    **{name: (1, 2) for name in "CRX CRY CRZ ControlledPhaseShift IsingXX IsingYY IsingZZ IsingXY PSWAP".split()},
    **{name: (1, 2) for name in "SingleExcitation CPhaseShift00".split()},
    **{name: (0, 3) for name in "Toffoli CSWAP CCZ".split()},
    **{"U2": (2, 1), "U3": (3, 1), "Rot": (3, 1), "CRot": (3, 2), "DoubleExcitation": (1, 4)},
}
OTHERS = {
    "Adjoint(S)": (lambda wires: qml.adjoint(qml.S(wires)), 0, 1),
    "Adjoint(T)": (lambda wires: qml.adjoint(qml.T(wires)), 0, 1),
    "Adjoint(SX)": (lambda wires: qml.adjoint(qml.SX(wires)), 0, 1),
    "Adjoint(U2)": (lambda a, b, wires: qml.adjoint(qml.U2(a, b, wires=wires)), 2, 1),
    "GlobalPhase": (lambda angle, wires: qml.GlobalPhase(angle, wires=wires), 1, 1),
    "GlobalPhase of none": (lambda angle, wires: qml.GlobalPhase(angle), 1, 1),
    "ctrl GlobalPhase": (lambda angle, wires: qml.ctrl(qml.GlobalPhase(angle), wires), 1, 2),
    "MultiRZ": (lambda angle, wires: qml.MultiRZ(angle, wires=wires), 1, 3),
    "PauliRot": (lambda angle, wires: qml.PauliRot(angle, "XYZ", wires=wires), 1, 3),
    "ctrl RX": (lambda angle, wires: qml.ctrl(qml.RX(angle, wires[-1]), wires[:-1], [0, 1]), 1, 3),
    "pow S": (lambda wires: qml.pow(qml.S(wires[0]), 0.7), 0, 1),
    "QFT": (lambda wires: qml.QFT(wires=wires), 0, 3),
    "MultiControlledX": (lambda wires: qml.MultiControlledX(wires=wires), 0, 4),
    "exp": (lambda angle, wires: qml.exp(qml.X(wires[0]) @ qml.Z(wires[1]), 1j * angle), 1, 2),
    "QubitUnitary": (lambda wires: qml.QubitUnitary(qml.matrix(qml.U3(0.3, 1.2, -0.4, 0)), wires), 0, 1),
}
TABLE = {**GATES, **{name: shape[1:] for name, shape in OTHERS.items()}}


def operations(circuit: Circuit) -> list:
    made = []
    for name, parameters, qubits in circuit.steps:
        build = OTHERS[name][0] if name in OTHERS else getattr(qml, {"ry": "RY", "rz": "RZ"}.get(name, name))
        with qml.queuing.AnnotatedQueue():
            made.append(build(*parameters, wires=list(qubits)))
    return made


def exact(tape: qml.tape.QuantumScript, wires) -> list[float]:
    asked = tape.copy(measurements=[qml.probs(wires=wires)])
    [asked], _ = qml.devices.preprocess.decompose(asked, stopping_condition=has_matrix)
    return qml.device("default.qubit", wires=wires).execute(asked)


def has_matrix(operation) -> bool:
    return operation.has_matrix


def entry(circuit: Circuit, options: str, measurement=None, **arguments) -> Entry:
    wires = list(range(circuit.qubits))
    tape = qml.tape.QuantumScript(operations(circuit), [measurement or qml.probs(wires=wires)])
    program = qml.to_openqasm(tape, wires=qml.wires.Wires(wires), **arguments)
    if measurement is not None and arguments.get("rotations", True):
        tape = qml.tape.QuantumScript([*tape.operations, *tape.diagonalizing_gates], tape.measurements)
    found = measured(program, exact(tape, wires), register("c", circuit.qubits))
    return Entry("PennyLane", options, circuit.name, program, found, SOURCE)


def programs() -> Iterator[Entry]:
    for circuit in sandwiches(TABLE):
        yield entry(circuit, "default")
    observable = qml.expval(qml.X(0) @ qml.Y(1))
    for seed in range(3):
        circuit = mix(seed, GATES, 4)
        yield entry(circuit, "default")
        yield entry(circuit, "rotations of an observable", observable)
        yield entry(circuit, "rotations=False", observable, rotations=False)
        yield entry(circuit, "precision=15", precision=15)
    yield from middle()
    made = next(sandwiches({"CRX": (1, 2)}))
    wires = [2, 0]
    tape = qml.tape.QuantumScript(operations(made), [qml.probs(wires=wires)])
    program = qml.to_openqasm(tape, measure_all=False)
    found = measured(program, exact(tape, wires), register("c", 2))
    yield Entry("PennyLane", "measure_all=False", made.name, program, found, SOURCE)


def middle() -> Iterator[Entry]:
    """A measurement in the middle that decides about a gate."""
    with qml.queuing.AnnotatedQueue() as queue:
        qml.RY(0.9, 0)
        outcome = qml.measure(0)
        qml.cond(outcome, qml.RX)(0.4, wires=1)
        qml.RY(0.3, 0)
        qml.probs(wires=[0, 1])
    tape = qml.tape.QuantumScript.from_queue(queue)
    program = qml.to_openqasm(tape)
    with qml.queuing.AnnotatedQueue() as queue:
        qml.RY(0.9, 0)
        outcome = qml.measure(0)
        qml.cond(outcome, qml.RX)(0.4, wires=1)
        qml.RY(0.3, 0)
        qml.probs(op=[outcome, qml.measure(0), qml.measure(1)])
    [deferred], _ = qml.defer_measurements(qml.tape.QuantumScript.from_queue(queue))
    joint = qml.device("default.qubit", wires=6).execute(deferred)
    found = measured(program, joint, [("mcms", 0), ("c", 0), ("c", 1)])
    yield Entry("PennyLane", "default", "measurement in the middle", program, found, SOURCE)
