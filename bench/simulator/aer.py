"""Times Qiskit Aer on OpenQASM 2 programs, for `bench/simulator.ts`."""

import functools
import statistics
import time

import qiskit
import qiskit_aer
from answers import serve
from qiskit import qasm2, transpile
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit_aer import AerSimulator
from qiskit_aer.noise import NoiseModel, amplitude_damping_error, depolarizing_error


def noise_model(depolarizing, damping):
    """Errors after `u3` and `cz`: depolarizing with all of their qubits, or a decay of each."""
    model = NoiseModel()
    if depolarizing:
        model.add_all_qubit_quantum_error(depolarizing_error(depolarizing, 1), ["u3"])
        model.add_all_qubit_quantum_error(depolarizing_error(depolarizing, 2), ["cz"])
    if damping:
        decay = amplitude_damping_error(damping)
        model.add_all_qubit_quantum_error(decay, ["u3"])
        model.add_all_qubit_quantum_error(decay.tensor(decay), ["cz"])
    return model


@functools.cache
def simulator(method, precision, fusion, threads, bond, depolarizing, damping):
    noise = {"noise_model": noise_model(depolarizing, damping)} if depolarizing or damping else {}
    return AerSimulator(
        method=method,
        precision=precision,
        fusion_enable=fusion,
        max_parallel_threads=threads,
        matrix_product_state_max_bond_dimension=bond,
        **noise,
    )


def read(program):
    return qasm2.loads(program, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)


@functools.cache
def prepared(program, method):
    """The gates as they stand: the same work for both sides."""
    backend = simulator(method, "double", True, 2, None, 0, 0)
    circuit = read(program)
    # A backend names as many qubits as it can hold as a state vector, and runs more with other methods.
    if circuit.num_qubits > backend.num_qubits:
        names = {*get_standard_gate_name_mapping(), "if_else"}
        basis = [name for name in backend.operation_names if name in names]
        return transpile(circuit, basis_gates=basis, optimization_level=0)
    return transpile(circuit, backend, optimization_level=0)


def run(question):
    """Seconds of one call: the median."""
    noise = question.get("noise", {})
    circuit = read(question["program"]) if noise else prepared(question["program"], question["method"])
    backend = simulator(
        question["method"],
        question.get("precision", "double"),
        question.get("fusion", True),
        question.get("threads", 2),
        question.get("bond"),
        noise.get("depolarizing", 0),
        noise.get("damping", 0),
    )
    seconds = []
    for _ in range(question["repeats"]):
        start = time.perf_counter()
        result = backend.run(circuit, shots=question["shots"]).result()
        seconds.append(time.perf_counter() - start)
        if not result.success:
            raise RuntimeError(result.status)
    return {"seconds": statistics.median_high(seconds), "method": result.results[0].metadata["method"]}


def versions(_):
    return f"Qiskit {qiskit.__version__}, qiskit-aer {qiskit_aer.__version__}"


serve({"run": run, "versions": versions})
