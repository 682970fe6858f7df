"""Times qulacs, qsim and stim on the programs of `bench/simulator.ts`."""

import collections
import functools
import math
import random
import re
import statistics
import time

import cirq
import numpy
import qsimcirq
import qulacs
import stim
from answers import serve

CALL = re.compile(r"^(\w+)(?:\(([^)]*)\))? q\[(\d+)\](?:,q\[(\d+)\])?;$")
THREADS = 2


def calls(program):
    """The gates of a program of `programs.ts`: names, angles and qubits."""
    for line in program.splitlines():
        found = CALL.match(line)
        if found and found.group(1) != "qreg":
            name, angles, *qubits = found.groups()
            values = [eval(angle, {"pi": math.pi}) for angle in angles.split(",")] if angles else []
            yield name, values, [int(qubit) for qubit in qubits if qubit is not None]


def qubits_of(program):
    return int(re.search(r"qreg q\[(\d+)\];", program).group(1))


def timed(call, repeats):
    """Seconds of one call: the median."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return {"seconds": statistics.median_high(seconds)}


def controlled_phase(angle, control, target):
    gate = qulacs.gate.to_matrix_gate(qulacs.gate.U1(target, angle))
    gate.add_control_qubit(control, 1)
    return gate


# qulacs turns by exp(+iθP/2).
QULACS = {
    "u3": lambda a, q: qulacs.gate.U3(q[0], *a),
    "h": lambda a, q: qulacs.gate.H(q[0]),
    "rx": lambda a, q: qulacs.gate.RX(q[0], -a[0]),
    "cx": lambda a, q: qulacs.gate.CNOT(*q),
    "cz": lambda a, q: qulacs.gate.CZ(*q),
    "swap": lambda a, q: qulacs.gate.SWAP(*q),
    "cu1": lambda a, q: controlled_phase(a[0], *q),
    "rzz": lambda a, q: qulacs.gate.PauliRotation(q, [3, 3], -a[0]),
}


@functools.lru_cache(maxsize=4)
def qulacs_circuit(program, block):
    """The circuit; with a block size its gates are merged into ones of as many qubits."""
    circuit = qulacs.QuantumCircuit(qubits_of(program))
    for name, angles, qubits in calls(program):
        circuit.add_gate(QULACS[name](angles, qubits))
    if block:
        qulacs.circuit.QuantumCircuitOptimizer().optimize(circuit, block)
    return circuit, qulacs.QuantumState(qubits_of(program))


def run_qulacs(question):
    circuit, state = qulacs_circuit(question["program"], question["block"])

    def call():
        state.set_zero_state()
        circuit.update_quantum_state(state)
        return collections.Counter(state.sampling(question["shots"]))

    return timed(call, question["repeats"])


@functools.lru_cache(maxsize=4)
def qulacs_variational(qubits):
    circuit = qulacs.ParametricQuantumCircuit(qubits)
    for _ in range(3):
        for qubit in range(qubits):
            circuit.add_parametric_RY_gate(qubit, 0.1)
            circuit.add_parametric_RZ_gate(qubit, 0.1)
        for qubit in range(qubits - 1):
            circuit.add_CNOT_gate(qubit, qubit + 1)
    return circuit, qulacs.QuantumState(qubits)


def run_variational(question):
    """A prepared circuit with other values in each call."""
    circuit, state = qulacs_variational(question["qubits"])
    values = [[random.random() for _ in range(circuit.get_parameter_count())] for _ in range(question["repeats"])]

    def call():
        for index, value in enumerate(values.pop()):
            circuit.set_parameter(index, value)
        state.set_zero_state()
        circuit.update_quantum_state(state)
        return collections.Counter(state.sampling(question["shots"]))

    return timed(call, question["repeats"])


CIRQ = {
    "u3": lambda a: cirq.circuits.qasm_output.QasmUGate(a[0] / math.pi, a[1] / math.pi, a[2] / math.pi),
    "h": lambda a: cirq.H,
    "rx": lambda a: cirq.rx(a[0]),
    "cx": lambda a: cirq.CNOT,
    "cz": lambda a: cirq.CZ,
    "swap": lambda a: cirq.SWAP,
    "cu1": lambda a: cirq.CZPowGate(exponent=a[0] / math.pi),
    "rzz": lambda a: cirq.ZZPowGate(exponent=a[0] / math.pi),
}


@functools.lru_cache(maxsize=4)
def cirq_circuit(program):
    qubits = cirq.LineQubit.range(qubits_of(program))
    operations = [CIRQ[name](angles)(*[qubits[q] for q in on]) for name, angles, on in calls(program)]
    return cirq.Circuit(operations, cirq.measure(*qubits, key="c"))


def run_qsim(question):
    options = qsimcirq.QSimOptions(cpu_threads=THREADS, max_fused_gate_size=question["fused"])
    simulator = qsimcirq.QSimSimulator(options)
    circuit = cirq_circuit(question["program"])
    return timed(lambda: simulator.run(circuit, repetitions=question["shots"]), question["repeats"])


CODE_STEP = re.compile(r"(h|cx|reset) (\w+)\[(\d+)\](?:, (\w+)\[(\d+)\])?;|= measure (\w+)\[(\d+)\];")


@functools.lru_cache(maxsize=4)
def stim_sampler(program, noise):
    """The same code, with the noise of its gates and readout."""
    first, sizes = {}, 0
    for size, name in re.findall(r"qubit\[(\d+)\] (\w+);", program):
        first[name] = sizes
        sizes += int(size)
    circuit = stim.Circuit()
    for gate, a, i, b, j, measured, at in CODE_STEP.findall(program):
        if measured:
            circuit.append("M", [first[measured] + int(at)], noise or [])
        elif gate == "cx":
            pair = [first[a] + int(i), first[b] + int(j)]
            circuit.append("CX", pair)
            if noise:
                circuit.append("DEPOLARIZE2", pair, noise)
        else:
            qubit = [first[a] + int(i)]
            circuit.append("R" if gate == "reset" else "H", qubit)
            if noise and gate == "h":
                circuit.append("DEPOLARIZE1", qubit, noise)
    return circuit.compile_sampler()


def run_stim(question):
    sampler = stim_sampler(question["program"], question["noise"])
    return timed(lambda: sampler.sample_bit_packed(question["shots"]), question["repeats"])


def versions(_):
    return f"qulacs 0.6.14, qsim {qsimcirq.__version__}, stim {stim.__version__}, NumPy {numpy.__version__}"


serve(
    {
        "qulacs": run_qulacs,
        "variational": run_variational,
        "qsim": run_qsim,
        "stim": run_stim,
        "versions": versions,
    }
)
