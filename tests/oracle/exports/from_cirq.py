"""Programs of Cirq in both versions of the language; the probabilities are those of its simulator."""

from collections.abc import Iterator

import cirq
import numpy as np

from common import Circuit, Entry, distribution, measured, mix, register, sandwiches

SOURCE = "cirq.Simulator, complex128"

POWERS = {"x": cirq.X, "y": cirq.Y, "z": cirq.Z, "h": cirq.H, "cx": cirq.CNOT, "cz": cirq.CZ, "swap": cirq.SWAP,
          "iswap": cirq.ISWAP, "ccx": cirq.CCNOT, "ccz": cirq.CCZ, "xx": cirq.XX, "yy": cirq.YY, "zz": cirq.ZZ}  # fmt: skip
FIXED = {
    **{"s": cirq.S, "sdg": cirq.S**-1, "t": cirq.T, "tdg": cirq.T**-1, "sx": cirq.X**0.5, "sxdg": cirq.X**-0.5},
    **{"id": cirq.I, "sqrt iswap": cirq.SQRT_ISWAP, "cswap": cirq.CSWAP, "sycamore": cirq.google_sycamore
       if hasattr(cirq, "google_sycamore") else cirq.FSimGate(np.pi / 2, np.pi / 6)},
    **{"controlled h": cirq.H.controlled(), "controlled y": cirq.Y.controlled(), "quarter y": cirq.Y**-0.5},
    "matrix 1": cirq.MatrixGate(cirq.testing.random_unitary(2, random_state=1)),
    "matrix 2": cirq.MatrixGate(cirq.testing.random_unitary(4, random_state=2)),
    "controlled on 0": cirq.ControlledGate(cirq.X, control_values=[0]),
    "two controls": cirq.ControlledGate(cirq.Y, num_controls=2),
    "qft": cirq.QuantumFourierTransformGate(3),
    "identity 2": cirq.IdentityGate(2),
}  # fmt: skip
TURNS = {
    "rx": (cirq.rx, 1), "ry": (cirq.ry, 1), "rz": (cirq.rz, 1), "phased x": (lambda a: cirq.PhasedXPowGate(phase_exponent=a, exponent=0.4), 1),
    "phased xz": (lambda a: cirq.PhasedXZGate(x_exponent=a, z_exponent=0.3, axis_phase_exponent=-0.7), 1),
    "fsim": (lambda a: cirq.FSimGate(a, 0.6), 2), "controlled rx": (lambda a: cirq.rx(a).controlled(), 2),
    "controlled z": (lambda a: cirq.ControlledGate(cirq.Z**a), 2), "givens": (cirq.givens, 2),
    "phased iswap": (lambda a: cirq.PhasedISwapPowGate(phase_exponent=0.2, exponent=a), 2),
    "global phase": (lambda a: cirq.GlobalPhaseGate(np.exp(1j * a)), 0),
    "controlled phase": (lambda a: cirq.GlobalPhaseGate(np.exp(1j * a)).controlled(), 1),
}  # fmt: skip
TABLE = {
    **{name: (0, cirq.num_qubits(gate)) for name, gate in [*POWERS.items(), *FIXED.items()]},
    **{f"{name} power": (1, cirq.num_qubits(gate)) for name, gate in POWERS.items()},
    **{name: (1, width) for name, (_, width) in TURNS.items()},
}


def gate_of(name: str, parameters: tuple[float, ...]) -> cirq.Gate:
    if name.endswith(" power"):
        return POWERS[name.removesuffix(" power")] ** parameters[0]
    if name in TURNS:
        return TURNS[name][0](*parameters)
    return POWERS.get(name) or FIXED[name]


def build(circuit: Circuit) -> tuple[list[cirq.Qid], cirq.Circuit]:
    line = cirq.LineQubit.range(circuit.qubits)
    return line, cirq.Circuit(
        gate_of(name, parameters).on(*(line[place] for place in places))
        for name, parameters, places in circuit.steps
    )


def entry(circuit: Circuit, version: str, **options) -> Entry:
    line, made = build(circuit)
    state = cirq.Simulator(dtype=np.complex128).simulate(made, qubit_order=line).final_state_vector
    made.append(cirq.measure(*line, key="c"))
    program = made.to_qasm(version=version, precision=options.pop("precision", 14), **options)
    found = measured(program, abs(state) ** 2, register("m_c", circuit.qubits))
    return Entry("Cirq", ", ".join([version, *options]), circuit.name, program, found, SOURCE)


def programs() -> Iterator[Entry]:
    for version in ("2.0", "3.0"):
        for circuit in sandwiches(TABLE):
            yield entry(circuit, version)
        for seed in range(3):
            yield entry(mix(seed, TABLE, 4), version)
            yield entry(mix(seed, TABLE, 3), version, header="written by Cirq\nin two lines", precision=15)
        yield entry(mix(5, TABLE, 4), version, qubit_order=cirq.LineQubit.range(4)[::-1])
        yield from middle(version)


def middle(version: str) -> Iterator[Entry]:
    """Measurements in the middle, conditions on their keys, resets, an inverted outcome."""
    a, b = cirq.NamedQubit("alice"), cirq.GridQubit(1, 2)
    made = cirq.Circuit(
        cirq.ry(0.9)(a), cirq.measure(a, key="first"), cirq.rx(0.4)(b).with_classical_controls("first"),
        cirq.ry(0.3)(a), cirq.measure(a, b, key="both"),
    )  # fmt: skip
    yield known(made, version, "condition", ["first", "both"])
    made = cirq.Circuit(
        cirq.ry(0.9)(a), cirq.CNOT(a, b), cirq.measure(a, key="first"), cirq.reset(a), cirq.ry(0.2)(a),
        cirq.CNOT(a, b), cirq.measure(b, key="second", invert_mask=(True,)),
    )  # fmt: skip
    yield known(made, version, "reset and inverted outcome", ["first", "second"])


def known(made: cirq.Circuit, version: str, name: str, keys: list[str]) -> Entry:
    program = made.to_qasm(version=version, precision=15)
    return Entry("Cirq", version, name, program, distribution(program, outcomes(made, keys)), SOURCE)


def outcomes(made: cirq.Circuit, keys: list[str]):
    """The joint distribution of measurements: each becomes a copy to qubits of its own, read at the end."""
    deferred = cirq.defer_measurements(made)
    line = sorted(deferred.all_qubits())
    measurements = {}
    unitary = cirq.Circuit()
    for operation in deferred.all_operations():
        if cirq.is_measurement(operation):
            measurements[cirq.measurement_key_name(operation)] = operation
        else:
            unitary.append(operation)
    simulator = cirq.DensityMatrixSimulator(dtype=np.complex128)
    density = simulator.simulate(unitary, qubit_order=line).final_density_matrix
    for index, probability in enumerate(np.real(np.diag(density))):
        bits = {}
        for key in keys:
            operation = measurements[key]
            inverted = operation.gate.full_invert_mask()
            for place, qubit in enumerate(operation.qubits):
                value = (index >> (len(line) - 1 - line.index(qubit))) & 1
                bits[f"m_{key}", place] = value ^ int(inverted[place])
        yield bits, probability
