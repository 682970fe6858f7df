"""Executes requests about circuits with Qiskit and Aer.

Circuits come as data, not as programs, so that Qiskit's readers of OpenQASM have no part in the comparison: gates
are Qiskit's own, modifiers are applied to their matrices. `U`, `u2` and `u3` have no factor of their own in either.
"""

import cmath
import math

import numpy
from answers import serve
from programs.control_flow import Program
from qiskit import QuantumCircuit, qasm2, qasm3, transpile
from qiskit.circuit import library
from qiskit.circuit.library import UnitaryGate
from qiskit.circuit.random import random_circuit
from qiskit.quantum_info import Operator, Statevector
from qiskit_aer import AerSimulator
from qiskit_aer.noise import (
    NoiseModel,
    ReadoutError,
    amplitude_damping_error,
    depolarizing_error,
    kraus_error,
    pauli_error,
    phase_damping_error,
    thermal_relaxation_error,
)


NAMED = {
    "U": library.UGate,
    "u2": lambda phi, lam: library.UGate(math.pi / 2, phi, lam),
    "u3": library.UGate,
    "gphase": library.GlobalPhaseGate,
    "p": library.PhaseGate,
    "x": library.XGate,
    "y": library.YGate,
    "z": library.ZGate,
    "h": library.HGate,
    "s": library.SGate,
    "sdg": library.SdgGate,
    "t": library.TGate,
    "tdg": library.TdgGate,
    "sx": library.SXGate,
    "rx": library.RXGate,
    "ry": library.RYGate,
    "rz": library.RZGate,
    "cx": library.CXGate,
    "cy": library.CYGate,
    "cz": library.CZGate,
    "cp": library.CPhaseGate,
    "crx": library.CRXGate,
    "cry": library.CRYGate,
    "crz": library.CRZGate,
    "ch": library.CHGate,
    "swap": library.SwapGate,
    "ccx": library.CCXGate,
    "cswap": library.CSwapGate,
    "cu": library.CUGate,
    "CX": library.CXGate,
    "phase": library.PhaseGate,
    "cphase": library.CPhaseGate,
    "id": library.IGate,
    "u1": library.PhaseGate,
    "pair": lambda angle: pair_of(angle).to_gate(),
}


def pair_of(angle):
    """The gate that random programs define."""
    circuit = QuantumCircuit(2)
    circuit.h(0)
    circuit.cx(0, 1)
    circuit.rz(angle, 1)
    return circuit


def controlled(matrix, value):
    """The matrix with one more qubit, the least significant, that must hold `value`."""
    size = matrix.shape[0]
    whole = numpy.zeros((2 * size, 2 * size), dtype=complex)
    whole[value::2, value::2] = matrix
    whole[1 - value :: 2, 1 - value :: 2] = numpy.eye(size)
    return whole


def gate_of(step):
    gate = NAMED[step["gate"]](*step["params"])
    if not step["modifiers"]:
        return gate
    matrix = Operator(gate).data if gate.num_qubits else numpy.array([[cmath.exp(1j * step["params"][0])]])
    # The modifier next to the gate acts first.
    for modifier in reversed(step["modifiers"]):
        if modifier["kind"] == "inv":
            matrix = matrix.conj().T
        elif modifier["kind"] == "pow":
            matrix = Operator(matrix).power(modifier["exponent"]).data
        else:
            for _ in range(modifier["count"]):
                matrix = controlled(matrix, 1 if modifier["kind"] == "ctrl" else 0)
    return UnitaryGate(matrix)


def add(circuit, step):
    if step["kind"] == "measure":
        circuit.measure(step["qubit"], step["clbit"])
    elif step["kind"] == "reset":
        circuit.reset(step["qubit"])
    elif step["kind"] == "if":
        with circuit.if_test((circuit.clbits[step["clbit"]], step["value"])):
            for inner in step["steps"]:
                add(circuit, inner)
    else:
        circuit.append(gate_of(step), step["qubits"])


def circuit_of(question):
    circuit = QuantumCircuit(question["qubits"], question["clbits"])
    for step in question["steps"]:
        add(circuit, step)
    return circuit


# Without a noise model: with one, gates without noise would be composed of gates with noise.
PLAIN = AerSimulator()


def prepare(circuit):
    return transpile(circuit, PLAIN, optimization_level=0)


def counts_of(circuit, question, simulator=None):
    simulator = simulator or AerSimulator(max_parallel_threads=1)
    prepared = prepare(circuit)
    result = simulator.run(prepared, shots=question["shots"], seed_simulator=question["seed"]).result()
    counts = result.get_counts() if circuit.num_clbits else {}
    return {bits.replace(" ", ""): count for bits, count in counts.items()}


def saved(circuit, method, noise=None):
    simulator = AerSimulator(method=method, noise_model=noise, max_parallel_threads=1)
    getattr(circuit, f"save_{method}")()
    prepared = prepare(circuit)
    data = numpy.asarray(simulator.run(prepared, shots=1).result().data()[method])
    return data.reshape(-1).view(float).tolist()


def error_of(rule, qubits):
    """The errors of a rule of our noise file, one after the other, for a gate on so many qubits."""

    def on_each(error):
        whole = error
        for _ in range(qubits - 1):
            whole = whole.tensor(error)
        return whole

    def one(error):
        [(kind, value)] = error.items()
        if kind == "depolarizing":
            return depolarizing_error(value, qubits)
        if kind == "amplitude_damping":
            return on_each(amplitude_damping_error(value))
        if kind == "phase_damping":
            return on_each(phase_damping_error(value))
        if kind == "thermal":
            times = (value["t1"], value["t2"], value["duration"], value.get("excited", 0))
            return on_each(thermal_relaxation_error(*times))
        if kind == "pauli":
            rest = ("I" * qubits, 1 - sum(value.values()))
            return pauli_error([*value.items(), rest])
        matrices = [numpy.array([[complex(*entry) for entry in row] for row in matrix]) for matrix in value]
        return kraus_error(matrices)

    whole = one(rule["errors"][0])
    for error in rule["errors"][1:]:
        whole = whole.compose(one(error))
    return whole


def noise_of(question):
    """Aer's noise model for the content of one of our noise files."""
    model = NoiseModel()
    for rule in question.get("noise", {}).get("gates", []):
        error = error_of(rule, rule["width"])
        names = [rule["gate"]] if isinstance(rule["gate"], str) else rule["gate"]
        if "qubits" in rule:
            model.add_quantum_error(error, names, rule["qubits"], warnings=False)
        else:
            model.add_all_qubit_quantum_error(error, names, warnings=False)
    for rule in question.get("noise", {}).get("readout", []):
        for qubit in rule["qubits"]:
            model.add_readout_error(ReadoutError(rule["matrix"]), [qubit], warnings=False)
    return model


def counts(question):
    noise = noise_of(question) if "noise" in question else None
    simulator = AerSimulator(noise_model=noise, max_parallel_threads=1)
    return counts_of(circuit_of(question), question, simulator)


def statevector(question):
    return saved(circuit_of(question), "statevector")


def density_matrix(question):
    return saved(circuit_of(question), "density_matrix", noise_of(question))


def parts(state, qubit):
    """The outcomes of a qubit that occur, with their probability and the state after each."""
    places = numpy.arange(len(state.data)) >> qubit & 1
    for outcome in (0, 1):
        kept = numpy.where(places == outcome, state.data, 0)
        weight = float(numpy.vdot(kept, kept).real)
        if weight > 1e-15:
            yield outcome, weight, Statevector(kept / math.sqrt(weight))


def branch(step, branches):
    """The branches after a step: states, classical bits and probabilities."""
    for state, bits, weight in branches:
        if step["kind"] == "gate":
            yield (state.evolve(Operator(gate_of(step)), step["qubits"]) if step["qubits"] else state), bits, weight
        elif step["kind"] == "if":
            inner = [(state, bits, weight)]
            if bits[step["clbit"]] == step["value"]:
                for each in step["steps"]:
                    inner = list(branch(each, inner))
            yield from inner
        elif step["kind"] == "measure":
            for outcome, share, after in parts(state, step["qubit"]):
                at = step["clbit"]
                yield after, (*bits[:at], outcome, *bits[at + 1 :]), weight * share
        else:
            for outcome, share, after in parts(state, step["qubit"]):
                flip = Operator(library.XGate())
                yield (after.evolve(flip, [step["qubit"]]) if outcome else after), bits, weight * share


def probabilities(question):
    """The probabilities of the outcomes of a circuit over all branches, and what Aer counts."""
    branches = [(Statevector.from_int(0, 2 ** question["qubits"]), (0,) * question["clbits"], 1.0)]
    for step in question["steps"]:
        branches = list(branch(step, branches))
    sums = {}
    for _, bits, weight in branches:
        key = "".join(str(bit) for bit in reversed(bits))
        sums[key] = sums.get(key, 0) + weight
    return {"probabilities": sums, "counts": counts(question)}


def program(question):
    """What Aer counts for a program with control flow, the last register first; None for what it does not run."""
    circuit = Program(question, gate_of).circuit
    noise = noise_of(question) if "noise" in question else None
    simulator = AerSimulator(noise_model=noise, max_parallel_threads=1)
    result = simulator.run(prepare(circuit), shots=question["shots"], seed_simulator=question["seed"]).result()
    # Without a measurement it counts nothing.
    if not result.success or "counts" not in result.data():
        return None
    return {bits.replace(" ", ""): count for bits, count in result.get_counts().items()}


def export(question):
    """A random circuit of Qiskit's own, as both of its exporters write it, and what Aer counts."""
    circuit = random_circuit(
        question["qubits"],
        question["depth"],
        max_operands=question["operands"],
        measure=True,
        conditional=question["conditional"],
        reset=question["reset"],
        seed=question["seed"],
    )
    # OpenQASM 2 can test whole registers only: its exporter refuses Qiskit's current conditionals.
    old = None if question["conditional"] else qasm2.dumps(circuit)
    return {"version2": old, "version3": qasm3.dumps(circuit), "counts": counts_of(circuit, question)}


def file_counts(question):
    """What Aer counts for an OpenQASM 2 file."""
    custom = qasm2.LEGACY_CUSTOM_INSTRUCTIONS
    return counts_of(qasm2.load(question["path"], custom_instructions=custom), question)


serve(
    {
        "counts": counts,
        "statevector": statevector,
        "density_matrix": density_matrix,
        "probabilities": probabilities,
        "program": program,
        "export": export,
        "file": file_counts,
    }
)
