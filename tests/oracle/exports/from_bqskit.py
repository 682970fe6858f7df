"""Programs of bqskit; the probabilities are those of its own state vector."""

from collections.abc import Iterator

import numpy as np
from bqskit import Circuit as Bqskit
from bqskit.ir import gates
from bqskit.ir.lang.qasm2 import OPENQASM2Language

from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "bqskit.Circuit.get_statevector"

FIXED = "B CCX CH CS CT CX CY CZ ECR H ISwap IToffoli RC3X RCCX S Sdg SqrtCNOT SqrtISwap SqrtT Swap SX Sycamore T Tdg X XX Y YY Z ZZ"
TURNS = "CCP CP CRX CRY CRZ CU FSIM PhasedXZ RX RXX RY RYY RZ RZZ U1 U1q U2 U3"


def found(name: str):
    kind = {"RC3X": "RC3XGate", "RCCX": "RCCXGate"}.get(name, f"{name}Gate")
    return getattr(gates, kind)()


ALL = {name: found(name) for name in f"{FIXED} {TURNS}".split()} | {
    "CP of 3": gates.ControlledGate(gates.U1Gate(), 2),
    "controlled y": gates.ControlledGate(gates.RYGate(), 1),
    "dagger": gates.DaggerGate(gates.SXGate()),
    "identity": gates.IdentityGate(2),
    "diagonal": gates.DiagonalGate(2),
    "mprz": gates.MPRZGate(2),
    "mpry": gates.MPRYGate(2),
    "pauli": gates.PauliGate(2),
    "power": gates.PowerGate(gates.TGate(), 3),
}  # fmt: skip
TABLE = {name: (gate.num_params, gate.num_qudits) for name, gate in ALL.items()}
# Only bqskit knows how many qubits and parameters these have.
VARIABLE = ("diagonal", "mprz", "mpry")


def entry(circuit: Circuit) -> Entry | None:
    made = Bqskit(circuit.qubits)
    for name, parameters, qubits in circuit.steps:
        gate = {"ry": ALL["RY"], "rz": ALL["RZ"]}.get(name) or ALL[name]
        made.append_gate(gate, list(qubits), list(parameters))
    state = np.asarray(made.get_statevector([1] + [0] * (2**circuit.qubits - 1)))
    size = circuit.qubits
    placeholder = gates.MeasurementPlaceholder([("c", size)], {q: ("c", q) for q in range(size)})
    made.append_gate(placeholder, list(range(size)))
    try:
        program = OPENQASM2Language().encode(made)
    except Exception:
        # bqskit itself has no OpenQASM 2 for the gate.
        return None
    result = measured(program, abs(state) ** 2, register("c", size))
    return Entry("bqskit", "default", circuit.name, program, result, SOURCE)


def programs() -> Iterator[Entry]:
    usable = {}
    for circuit in sandwiches(TABLE):
        made = entry(circuit)
        if made is not None:
            usable[circuit.name] = TABLE[circuit.name]
            yield made
    for seed in range(3):
        made = entry(mix(seed, {name: usable[name] for name in usable if name not in VARIABLE}, 4))
        if made is not None:
            yield made
