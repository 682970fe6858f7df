"""Programs of Qibo with both values of its option; the probabilities are those of its numpy backend."""

from collections.abc import Iterator

import numpy as np
import qibo
from qibo import gates

import from_qiskit
from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "qibo numpy backend, complex128"

# Name, parameters and qubits of each gate that Qibo can write.
TABLE = {
    **{name: (0, 1) for name in "H X Y Z SX SXDG S SDG T TDG I".split()},
    **{name: (1, 1) for name in "RX RY RZ GPI GPI2 U1".split()},
    **{name: (0, 2) for name in "CNOT CY CZ CSX CSXDG SWAP iSWAP FSWAP".split()},
    **{name: (1, 2) for name in "CRX CRY CRZ CU1 RXX RYY RZZ".split()},
    **{"PRX": (2, 1), "U2": (2, 1), "U3": (3, 1), "MS": (3, 2), "TOFFOLI": (0, 3), "CCZ": (0, 3)},
}

# Its own has no phase on the control.
MEANT_OTHERWISE = {"CU3": (3, 2)}


def build(circuit: Circuit) -> qibo.Circuit:
    made = qibo.Circuit(circuit.qubits)
    for name, parameters, qubits in circuit.steps:
        kind = getattr(gates, {"ry": "RY", "rz": "RZ"}.get(name, name))
        if name == "MS":
            # Its angle must lie in [0, pi / 2].
            parameters = (*parameters[:2], abs(parameters[2]) / 2)
        made.add(kind(*qubits, *parameters))
    return made


def entry(circuit: Circuit, extended: bool, name: str, places: list[tuple[str, list[int]]]) -> Entry:
    made = build(circuit)
    found = abs(np.asarray(made().state())) ** 2
    made = build(circuit)
    for key, qubits in places:
        made.add(gates.M(*qubits, register_name=key))
    program = made.to_qasm(extended_compatibility=extended)
    bits = {qubit: (key, index) for key, qubits in places for index, qubit in enumerate(qubits)}
    result = measured(program, found, [bits[qubit] for qubit in range(circuit.qubits)])
    return Entry("Qibo", f"extended_compatibility={extended}", name, program, result, SOURCE)


def programs() -> Iterator[Entry]:
    qibo.set_backend("numpy")
    for circuit in sandwiches({**TABLE, **MEANT_OTHERWISE}):
        made = entry(circuit, False, circuit.name, [("c", list(range(circuit.qubits)))])
        if circuit.name in MEANT_OTHERWISE:
            made.probabilities, made.source = from_qiskit.read(made.program), from_qiskit.READ
        yield made
    for name in ("GPI", "GPI2", "FSWAP", "MS", "iSWAP"):
        circuit = next(sandwiches({name: TABLE[name]}))
        yield entry(circuit, True, name, [("c", list(range(circuit.qubits)))])
    for seed in range(4):
        circuit = mix(seed, TABLE, 4)
        for extended in (False, True):
            yield entry(circuit, extended, circuit.name, [("b", [3, 0]), ("a", [1, 2])])
