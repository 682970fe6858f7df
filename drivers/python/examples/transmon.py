"""A transmon, simulated pulse by pulse with Qiskit Dynamics: pip install "./drivers/python[qiskit]" qiskit-dynamics

svc-driver start --operation process --device transmon:Transmon -o anharmonicity=-210e6

The circuit is decomposed into rz and sx. Every sx is a DRAG pulse on three levels, in the frame that rotates with the
drive; every rz is a change of its phase. Level 2 is read as 1.
"""

import numpy as np
from qiskit import transpile
from qiskit_dynamics import Signal, Solver

from svc_driver import JobError, ProcessDevice, Seconds, counts_result, option
from svc_driver.qiskit import to_qiskit

LEVELS = 3
LOWER = np.diag(np.sqrt(np.arange(1, LEVELS)), 1).astype(complex)
RAISE = LOWER.conj().T
NUMBER = RAISE @ LOWER


def frame(angle):
    """A turn of the frame: rz."""
    return np.diag(np.exp(1j * float(angle) * np.arange(LEVELS)))


class Transmon(ProcessDevice):
    compiles = True
    anharmonicity: float = option(-200e6, max=-1e6, help="Hz")
    frequency: float = option(4.8e9, min=1e9, help="Hz")
    pulse: Seconds = option(32e-9, min=4e-9, max=1e-6, help="Length of the pulse of sx")
    readout_error: float = option(0.0, min=0, max=0.5, help="Probability of reading a wrong outcome")

    def start(self):
        # As on a chip: the amplitude is corrected until the turn is a quarter, and what the third level adds to the
        # phase is taken back by turns of the frame before and after the pulse.
        strength = 1.0
        for _ in range(2):
            pulse = self.propagator(strength)
            strength *= np.pi / 4 / np.arcsin(abs(pulse[1, 0]))
        after, before = (np.angle(1j * pulse[at] / pulse[0, 0]) for at in ((1, 0), (0, 1)))
        self.half_turn = frame(-after) @ pulse @ frame(-before)

    def describe(self):
        return {
            "schema": 1,
            "qubits": [{"name": "q0", "frequency_hz": self.frequency, "readout_error": self.readout_error}],
            "gates": [
                {"name": "rz", "params": ["phi"], "virtual": True},
                {"name": "sx", "on": [{"qubits": [0], "duration_s": self.pulse}]},
            ],
            "simulator": True,
        }

    def propagator(self, scale):
        """What a pulse does to the three levels; about a quarter turn for a scale of 1."""
        sigma = self.pulse / 4
        delta = 2 * np.pi * self.anharmonicity

        def gaussian(t):
            edge = np.exp(-2.0)
            return (np.exp(-(((t - self.pulse / 2) / sigma) ** 2) / 2) - edge) / (1 - edge)

        def slope(t):
            return -(t - self.pulse / 2) / sigma**2 * np.exp(-(((t - self.pulse / 2) / sigma) ** 2) / 2) / (1 - np.exp(-2.0))

        times = np.linspace(0, self.pulse, 2_001)
        strength = scale * np.pi / 2 / np.trapezoid(gaussian(times), times)
        solver = Solver(
            static_hamiltonian=delta / 2 * NUMBER @ (NUMBER - np.eye(LEVELS)),
            hamiltonian_operators=[(LOWER + RAISE) / 2, 1j * (RAISE - LOWER) / 2],
        )
        in_phase = Signal(lambda t: strength * gaussian(t), carrier_freq=0)
        # DRAG: keeps the third level empty at the end.
        quadrature = Signal(lambda t: -strength * slope(t) / delta, carrier_freq=0)
        solution = solver.solve(
            t_span=[0, self.pulse],
            y0=np.eye(LEVELS, dtype=complex),
            signals=[in_phase, quadrature],
            atol=1e-9,
            rtol=1e-9,
        )
        return np.asarray(solution.y[-1])

    def run(self, job, io):
        random = np.random.default_rng(job.seed)
        for execution in job.executions():
            io.phase(f"circuit {execution.index}")
            io.check()
            yield self.measure(execution, random)

    def measure(self, execution, random):
        circuit = to_qiskit(execution)
        if circuit.num_qubits != 1:
            message = f"circuit {execution.circuit_index} has {circuit.num_qubits} qubits; this transmon is alone"
            raise JobError(message, code="too_many_qubits", circuit_index=execution.circuit_index)
        circuit = transpile(circuit, basis_gates=["rz", "sx"], optimization_level=1)
        state = np.eye(LEVELS, dtype=complex)[0]
        measured = []
        for instruction in circuit.data:
            name = instruction.operation.name
            if name == "rz":
                state = frame(instruction.operation.params[0]) @ state
            elif name == "sx":
                state = self.half_turn @ state
            elif name == "measure":
                measured.append(circuit.find_bit(instruction.clbits[0]).index)
            elif name not in ("barrier", "delay"):
                raise JobError(f"{name} is not supported", code="unsupported", circuit_index=execution.circuit_index)
        ground = abs(state[0]) ** 2 / np.vdot(state, state).real
        excited = (1 - ground) * (1 - self.readout_error) + ground * self.readout_error
        ones = int(random.binomial(execution.shots, min(1.0, max(0.0, excited))))
        mask = sum(1 << bit for bit in measured)
        if mask == 0:
            return counts_result(execution, {0: execution.shots})
        return counts_result(execution, {0: execution.shots - ones, mask: ones})
