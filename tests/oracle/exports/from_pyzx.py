"""Programs of pyzx in both versions of the language; the probabilities are those of its tensors."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pyzx
from pyzx.circuit import gates

from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "pyzx.Circuit.to_matrix"

FIXED = {"NOT": 1, "Y": 1, "Z": 1, "S": 1, "T": 1, "HAD": 1, "SX": 1, "CNOT": 2, "CZ": 2, "CY": 2, "CHAD": 2, "CSX": 2,
         "SWAP": 2, "Tofolli": 3, "CCZ": 3, "CSWAP": 3, "XCX": 2}  # fmt: skip
TURNS = {"ZPhase": (1, 1), "XPhase": (1, 1), "YPhase": (1, 1), "CRX": (1, 2), "CRY": (1, 2), "CRZ": (1, 2),
         "CPhase": (1, 2), "RXX": (1, 2), "RZZ": (1, 2), "U2": (2, 1), "U3": (3, 1), "CU3": (3, 2), "CU": (4, 2)}  # fmt: skip
ADJOINTS = {"adjoint S": "S", "adjoint T": "T", "adjoint SX": "SX"}
TABLE = {
    **{name: (0, width) for name, width in FIXED.items()},
    **TURNS,
    **{name: (0, 1) for name in ADJOINTS},
    "ParityPhase": (1, 3),
}


def gate_of(name: str, parameters: tuple[float, ...], qubits: tuple[int, ...]):
    name = {"ry": "YPhase", "rz": "ZPhase"}.get(name, name)
    # Phases are fractions of pi.
    phases = [Fraction(round(angle * 16), 64) for angle in parameters]
    if name in ADJOINTS:
        return getattr(gates, ADJOINTS[name])(*qubits, adjoint=True)
    if name == "ParityPhase":
        return gates.ParityPhase(phases[0], *qubits)
    return getattr(gates, name)(*qubits, *phases)


def build(circuit: Circuit) -> pyzx.Circuit:
    made = pyzx.Circuit(circuit.qubits)
    for name, parameters, qubits in circuit.steps:
        made.add_gate(gate_of(name, parameters, qubits))
    return made


def exact(made: pyzx.Circuit) -> np.ndarray:
    column = np.asarray(made.to_matrix())[:, 0]
    return abs(column) ** 2 / np.vdot(column, column).real


def entry(circuit: Circuit, version: int, made: pyzx.Circuit, name: str) -> Entry:
    found = exact(made)
    made = made.copy()
    for qubit in range(circuit.qubits):
        made.add_gate(gates.Measurement(qubit, result_bit=qubit))
    program = made.to_qasm(version)
    places = register("c", circuit.qubits)
    return Entry("pyzx", f"version={version}", name, program, measured(program, found, places), SOURCE)


def programs() -> Iterator[Entry]:
    for version in (2, 3):
        for circuit in sandwiches(TABLE):
            yield entry(circuit, version, build(circuit), circuit.name)
        for seed in range(2):
            circuit = mix(seed, TABLE, 4)
            yield entry(circuit, version, build(circuit), circuit.name)
            graph = build(circuit).to_basic_gates().to_graph()
            pyzx.simplify.full_reduce(graph)
            made = pyzx.extract_circuit(graph.copy())
            yield entry(circuit, version, made, f"{circuit.name}, extracted from its graph")
