"""Times Qiskit Aer on OpenQASM 2 programs, for `bench/simulator.ts`."""

import functools
import time

import qiskit
import qiskit_aer
from answers import serve
from qiskit import qasm2, transpile
from qiskit_aer import AerSimulator


@functools.cache
def simulator(method, precision, fusion, threads):
    return AerSimulator(method=method, precision=precision, fusion_enable=fusion, max_parallel_threads=threads)


def read(program):
    return qasm2.loads(program, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)


@functools.cache
def prepared(program, method):
    """The gates as they stand: the same work for both sides."""
    return transpile(read(program), simulator(method, "double", True, 2), optimization_level=0)


def reading(question):
    """Seconds from the text of a program to its circuit, on average."""
    start = time.perf_counter()
    for _ in range(question["repeats"]):
        read(question["program"])
    return (time.perf_counter() - start) / question["repeats"]


def run(question):
    """Seconds of one call on average, and of Aer's own account of the simulation in it."""
    circuit = prepared(question["program"], question["method"])
    backend = simulator(question["method"], question["precision"], question["fusion"], question["threads"])
    call, simulation = 0.0, 0.0
    for _ in range(question["repeats"]):
        start = time.perf_counter()
        result = backend.run(circuit, shots=question["shots"]).result()
        call += time.perf_counter() - start
        if not result.success:
            raise RuntimeError(result.status)
        simulation += result.results[0].time_taken
    return {
        "call": call / question["repeats"],
        "simulation": simulation / question["repeats"],
        "method": result.results[0].metadata["method"],
    }


def versions(_):
    return f"Qiskit {qiskit.__version__}, qiskit-aer {qiskit_aer.__version__}"


serve({"run": run, "reading": reading, "versions": versions})
