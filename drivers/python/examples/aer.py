"""Qiskit Aer as a QPU: pip install "./drivers/python[qiskit]" qiskit-aer

svc-driver start --operation process --device aer:Aer -o method=matrix_product_state
"""

from typing import Literal

from qiskit import transpile
from qiskit_aer import AerSimulator

from svc_driver import JobError, ProcessDevice, counts_result, option
from svc_driver.qiskit import to_qiskit


class Aer(ProcessDevice):
    method: Literal["automatic", "statevector", "stabilizer", "matrix_product_state"] = option("automatic", help="As in Aer")
    max_qubits: int = option(20, min=1, max=30, help="Largest circuit that is run")

    def start(self):
        self.simulator = AerSimulator(method=self.method)

    def describe(self):
        return {"schema": 1, "simulator": True, "limits": {"qubits": self.max_qubits}}

    def run(self, job, io):
        for execution in job.executions():
            io.phase(f"circuit {execution.index}")
            io.check()
            circuit = to_qiskit(execution)
            if circuit.num_qubits > self.max_qubits:
                message = f"circuit {execution.circuit_index} has {circuit.num_qubits} qubits, at most {self.max_qubits} fit"
                raise JobError(message, code="too_many_qubits", circuit_index=execution.circuit_index)
            seed = None if job.seed is None else (job.seed + execution.index) % 2**31
            result = self.simulator.run(
                transpile(circuit, self.simulator, optimization_level=0),
                shots=execution.shots,
                memory=job.memory,
                seed_simulator=seed,
            ).result()
            # Aer has no counts for a circuit that measures nothing: its bits are 0.
            data = result.data()
            counts = {int(bits, 16): number for bits, number in data.get("counts", {"0x0": execution.shots}).items()}
            memory = data.get("memory", ["0x0"] * execution.shots) if job.memory else None
            yield counts_result(execution, counts, memory=memory)
