"""Counts the SWAPs of Qiskit's `transpile` at level 1, for `bench/compiler/routing.ts`."""

import qiskit
from answers import serve
from qiskit import QuantumCircuit, transpile
from qiskit.transpiler import CouplingMap


def swaps(question):
    """The number of SWAPs for a circuit of CZ gates, between which rotations keep them from cancelling."""
    circuit = QuantumCircuit(question["qubits"])
    for one, other in question["pairs"]:
        circuit.rx(0.1, one)
        circuit.rx(0.1, other)
        circuit.cz(one, other)
    coupling = CouplingMap([pair for one, other in question["edges"] for pair in ([one, other], [other, one])])
    routed = transpile(
        circuit,
        coupling_map=coupling,
        basis_gates=["rx", "ry", "rz", "cz", "swap"],
        optimization_level=1,
        seed_transpiler=question["seed"],
    )
    return routed.count_ops().get("swap", 0)


def version(question):
    return f"Qiskit {qiskit.__version__}"


serve({"swaps": swaps, "version": version})
