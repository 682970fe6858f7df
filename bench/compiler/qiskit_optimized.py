"""Compiles circuits with Qiskit's `transpile`, for `bench/compiler/qiskit.ts`."""

import qiskit
from answers import serve
from qiskit import qasm2, transpile
from qiskit.transpiler import CouplingMap


def compiled(question):
    """For each seed, the gates of a circuit after `transpile`: names, angles of the first rotation, and qubits."""
    circuit = qasm2.loads(question["program"], custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    coupling = CouplingMap([pair for one, other in question["edges"] for pair in ([one, other], [other, one])])
    return [gates_of(circuit, coupling, question["level"], seed) for seed in question["seeds"]]


def gates_of(circuit, coupling, level, seed):
    routed = transpile(
        circuit,
        coupling_map=coupling,
        basis_gates=["u", "cz"],
        optimization_level=level,
        seed_transpiler=seed,
    )
    places = {qubit: index for index, qubit in enumerate(routed.qubits)}
    return [
        [step.operation.name, [float(each) for each in step.operation.params][:1], [places[each] for each in step.qubits]]
        for step in routed.data
    ]


def version(question):
    return f"Qiskit {qiskit.__version__}"


serve({"compiled": compiled, "version": version})
