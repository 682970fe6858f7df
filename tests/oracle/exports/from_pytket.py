"""Programs of pytket with both of its headers; the probabilities are those of its own state vector."""

import math
from collections.abc import Iterator

from pytket.circuit import Circuit as Tket
from pytket.circuit import OpType
from pytket.circuit.logic_exp import reg_eq, reg_geq, reg_gt, reg_leq, reg_lt, reg_neq
from pytket.qasm import circuit_to_qasm_str

from common import Circuit, Entry, distribution, measured, mix, register, registers_of, sandwiches

SOURCE = "pytket.Circuit.get_statevector"

# Name, parameters and qubits of each operation; angles are in half turns.
TYPES = {
    **{name: (0, 1) for name in "X Y Z H S Sdg T Tdg SX SXdg V Vdg noop".split()},
    **{name: (1, 1) for name in "Rx Ry Rz U1".split()},
    **{name: (0, 2) for name in "CX CY CZ CH CV CVdg CSX CSXdg CS CSdg SWAP ISWAPMax ZZMax ECR".split()},
    **{name: (1, 2) for name in "CRx CRy CRz CU1 XXPhase YYPhase ZZPhase ISWAP ESWAP".split()},
    **{name: (0, 3) for name in "CCX CSWAP BRIDGE".split()},
    **{"U2": (2, 1), "U3": (3, 1), "TK1": (3, 1), "PhasedX": (2, 1), "CU3": (3, 2), "TK2": (3, 2)},
    **{"PhasedISWAP": (2, 2), "FSim": (2, 2), "XXPhase3": (1, 3)},
}
CONTROLLED = {"CnX": (0, 4), "CnRy": (1, 3)}
# What the header hqslib1 has; the others are refused by pytket.
HQS = [name for name in TYPES if name not in ("V", "Vdg", "noop")]


def build(circuit: Circuit) -> Tket:
    made = Tket(circuit.qubits, circuit.qubits)
    for name, parameters, qubits in circuit.steps:
        kind = {"ry": "Ry", "rz": "Rz"}.get(name, name)
        made.add_gate(getattr(OpType, kind), [angle / math.pi for angle in parameters], list(qubits))
    return made


def entry(circuit: Circuit, header: str, **options) -> Entry | None:
    made = build(circuit)
    state = made.get_statevector()
    for qubit in range(circuit.qubits):
        made.Measure(qubit, qubit)
    try:
        program = circuit_to_qasm_str(made, header=header, **options)
    except Exception as error:
        # pytket itself has no OpenQASM 2 for the operation with this header.
        if "QASM" not in type(error).__name__ and "not supported" not in str(error):
            raise
        return None
    found = measured(program, abs(state) ** 2, register("c", circuit.qubits))
    return Entry("pytket", ", ".join([header, *options]), circuit.name, program, found, SOURCE)


def programs() -> Iterator[Entry]:
    circuits = list(sandwiches({**TYPES, **CONTROLLED}))
    mixes = [mix(seed, {name: TYPES[name] for name in HQS}, 4) for seed in range(3)]
    for header in ("qelib1", "hqslib1"):
        for circuit in [*circuits, *mixes]:
            made = entry(circuit, header)
            if made is not None:
                yield made
    made = entry(mixes[1], "qelib1", include_gate_defs={"cx"})
    if made is not None:
        yield made
    for header in ("qelib1", "hqslib1"):
        yield from flow(header)
    yield comparisons()
    yield assignments()


def flow(header: str) -> Iterator[Entry]:
    """Measurements in the middle, conditions, resets, several registers: distributions known in closed form."""
    made = Tket()
    qubits, flags, outcomes = made.add_q_register("q", 2), made.add_c_register("f", 2), made.add_c_register("out", 1)
    made.Ry(0.5, qubits[0]).Measure(qubits[0], flags[1])
    made.X(qubits[1], condition_bits=[flags[0], flags[1]], condition_value=2)
    made.add_barrier([qubits[0], qubits[1]])
    made.Reset(qubits[0])
    made.CX(qubits[1], qubits[0])
    made.Measure(qubits[0], outcomes[0])
    program = circuit_to_qasm_str(made, header=header)
    yield Entry("pytket", header, "condition", program, {"000": 0.5, "110": 0.5}, "closed form")


def coins():
    """A circuit whose register `a` has each value below 4 with the same probability, and qubits in state 0."""
    made = Tket()
    qubits = made.add_q_register("q", 4)
    registers = [made.add_c_register(name, size) for name, size in (("a", 3), ("b", 3), ("out", 2))]
    for index in range(2):
        made.H(qubits[index]).Measure(qubits[index], registers[0][index])
    return made, qubits, *registers


def comparisons() -> Entry:
    """Conditions that OpenQASM 2 does not have; pytket computes an expression in a register of its own."""
    made, qubits, a, b, out = coins()
    made.add_c_setbits([True, False, True], [b[0], b[1], b[2]])
    for condition in (reg_geq(a, 2), reg_lt(a, 1), reg_gt(a, 2), reg_leq(a, 2), reg_eq(b, 5)):
        made.X(qubits[2], condition=condition)
    for condition in (reg_neq(a, 3), reg_eq(a & b, 1), a[1]):
        made.X(qubits[3], condition=condition)
    made.add_barrier([qubits[2], a[0]])
    made.Measure(qubits[2], out[0])
    made.Measure(qubits[3], out[1], condition=reg_geq(a, 1))

    def values(v: int) -> dict[str, int]:
        first = sum((v >= 2, v < 1, v > 2, v <= 2, True)) % 2
        second = sum((v != 3, v & 5 == 1, v & 2 > 0)) % 2 if v >= 1 else 0
        return {"a": v, "b": 5, "out": second << 1 | first, "tk_SCRATCH_BITREG_0": v & 5}

    return logical(made, "comparisons", values)


def assignments() -> Entry:
    """Bits and registers that are computed from outcomes."""
    made, qubits, a, b, out = coins()
    made.add_c_copyreg(a, b)
    made.add_c_xor(a[0], a[1], b[2])
    made.add_c_setreg(3, out, condition=a[1])
    made.add_c_or(b[1], b[2], out[1])
    made.add_c_copybits([b[2], a[1]], [b[0], b[1]])
    made.X(qubits[2], condition=b[2]).Measure(qubits[2], a[2])

    def values(v: int) -> dict[str, int]:
        exclusive = (v ^ v >> 1) & 1
        out = (v >> 1 | exclusive) << 1 | v >> 1
        return {"a": exclusive << 2 | v, "b": exclusive << 2 | v & 2 | exclusive, "out": out}

    return logical(made, "assignments", values)


def logical(made: Tket, name: str, values) -> Entry:
    """`values`: of each register, by the first two outcomes."""
    program = circuit_to_qasm_str(made, header="hqslib1")

    def outcomes():
        for v in range(4):
            known = values(v)
            yield {(r, i): known[r] >> i & 1 for r, size in registers_of(program) for i in range(size)}, 0.25

    return Entry("pytket", "hqslib1", name, program, distribution(program, outcomes()), "closed form")
