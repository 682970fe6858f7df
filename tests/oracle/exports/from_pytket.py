"""Programs of pytket with both of its headers; the probabilities are those of its own state vector."""

import math
from collections.abc import Iterator

from pytket.circuit import Circuit as Tket
from pytket.circuit import OpType
from pytket.qasm import circuit_to_qasm_str

from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "pytket.Circuit.get_statevector"

# Name, parameters and qubits of each operation; angles are in half turns.
TYPES = {
    **{name: (0, 1) for name in "X Y Z H S Sdg T Tdg SX SXdg V Vdg noop".split()},
    **{name: (1, 1) for name in "Rx Ry Rz U1".split()},
    **{name: (0, 2) for name in "CX CY CZ CH CV CVdg CSX CSXdg CS CSdg SWAP ISWAPMax ZZMax ECR".split()},
    **{name: (1, 2) for name in "CRx CRy CRz CU1 XXPhase YYPhase ZZPhase ISWAP ESWAP".split()},
    **{name: (0, 3) for name in "CCX CSWAP BRIDGE".split()},
    **{"U2": (2, 1), "U3": (3, 1), "TK1": (3, 1), "PhasedX": (2, 1), "CU3": (3, 2), "TK2": (3, 2)},
    **{"PhasedISWAP": (2, 2), "FSim": (2, 2), "XXPhase3": (1, 3)},
}
CONTROLLED = {"CnX": (0, 4), "CnRy": (1, 3)}
# What the header hqslib1 has; the others are refused by pytket.
HQS = [name for name in TYPES if name not in ("V", "Vdg", "noop")]


def build(circuit: Circuit) -> Tket:
    made = Tket(circuit.qubits, circuit.qubits)
    for name, parameters, qubits in circuit.steps:
        kind = {"ry": "Ry", "rz": "Rz"}.get(name, name)
        made.add_gate(getattr(OpType, kind), [angle / math.pi for angle in parameters], list(qubits))
    return made


def entry(circuit: Circuit, header: str, **options) -> Entry | None:
    made = build(circuit)
    state = made.get_statevector()
    for qubit in range(circuit.qubits):
        made.Measure(qubit, qubit)
    try:
        program = circuit_to_qasm_str(made, header=header, **options)
    except Exception as error:
        # pytket itself has no OpenQASM 2 for the operation with this header.
        if "QASM" not in type(error).__name__ and "not supported" not in str(error):
            raise
        return None
    found = measured(program, abs(state) ** 2, register("c", circuit.qubits))
    return Entry("pytket", ", ".join([header, *options]), circuit.name, program, found, SOURCE)


def programs() -> Iterator[Entry]:
    circuits = list(sandwiches({**TYPES, **CONTROLLED}))
    mixes = [mix(seed, {name: TYPES[name] for name in HQS}, 4) for seed in range(3)]
    for header in ("qelib1", "hqslib1"):
        for circuit in [*circuits, *mixes]:
            made = entry(circuit, header)
            if made is not None:
                yield made
    made = entry(mixes[1], "qelib1", include_gate_defs={"cx"})
    if made is not None:
        yield made
    for header in ("qelib1", "hqslib1"):
        yield from flow(header)


def flow(header: str) -> Iterator[Entry]:
    """Measurements in the middle, conditions, resets, several registers: distributions known in closed form."""
    made = Tket()
    qubits, flags, outcomes = made.add_q_register("q", 2), made.add_c_register("f", 2), made.add_c_register("out", 1)
    made.Ry(0.5, qubits[0]).Measure(qubits[0], flags[1])
    made.X(qubits[1], condition_bits=[flags[0], flags[1]], condition_value=2)
    made.add_barrier([qubits[0], qubits[1]])
    made.Reset(qubits[0])
    made.CX(qubits[1], qubits[0])
    made.Measure(qubits[0], outcomes[0])
    program = circuit_to_qasm_str(made, header=header)
    yield Entry("pytket", header, "condition", program, {"000": 0.5, "110": 0.5}, "closed form")
