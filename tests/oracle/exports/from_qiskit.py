"""Programs of both exporters of Qiskit; the probabilities are exact sums over branches of its Statevector."""

import math
from collections.abc import Iterator

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit, QuantumRegister, qasm2, qasm3, transpile
from qiskit.circuit import CircuitInstruction, Clbit, Parameter
from qiskit.circuit import library as lib
from qiskit.quantum_info import Statevector, random_unitary

from common import Circuit, Entry, distribution, mix, registers_of, sandwiches

SOURCE = "qiskit.quantum_info.Statevector"

GATES = {
    **{name: (0, 1) for name in "h x y z s sdg t tdg sx sxdg id".split()},
    **{name: (1, 1) for name in "p rx ry rz".split()},
    **{name: (0, 2) for name in "cx cy cz ch cs csdg csx swap iswap dcx ecr".split()},
    **{name: (1, 2) for name in "cp crx cry crz rxx ryy rzz rzx".split()},
    **{name: (0, 3) for name in "ccx ccz cswap rccx".split()},
    **{"r": (2, 1), "u": (3, 1), "cu": (4, 2), "rcccx": (0, 4)},
}
OTHERS = {
    "u1": (lib.U1Gate, 1, 1),
    "u2": (lib.U2Gate, 2, 1),
    "u3": (lib.U3Gate, 3, 1),
    "cu1": (lib.CU1Gate, 1, 2),
    "cu3": (lib.CU3Gate, 3, 2),
    "xx_minus_yy": (lib.XXMinusYYGate, 2, 2),
    "xx_plus_yy": (lib.XXPlusYYGate, 2, 2),
    "c3x": (lib.C3XGate, 0, 4),
    "c3sx": (lib.C3SXGate, 0, 4),
    "c4x": (lib.C4XGate, 0, 5),
    "mcp": (lambda angle: lib.MCPhaseGate(angle, 3), 1, 4),
    "cx of 0": (lambda: lib.CXGate(ctrl_state=0), 0, 2),
    "ccrx of 01": (lambda angle: lib.RXGate(angle).control(2, ctrl_state=1, annotated=False), 1, 3),
    "cu of a phase": (lambda angle: lib.UGate(angle, 0.3, -1.1).control(1), 1, 2),
    "inverse of iswap": (lambda: lib.iSwapGate().inverse(), 0, 2),
    "inverse of ecr": (lambda: lib.ECRGate().inverse(), 0, 2),
    "power of iswap": (lambda: lib.iSwapGate().power(0.5), 0, 2),
    "qft": (lambda: lib.QFTGate(3), 0, 3),
    "permutation": (lambda: lib.PermutationGate([2, 0, 1]), 0, 3),
    "pauli": (lambda: lib.PauliGate("XYZ"), 0, 3),
    "unitary 1": (lambda: lib.UnitaryGate(random_unitary(2, seed=1)), 0, 1),
    "unitary 2": (lambda: lib.UnitaryGate(random_unitary(4, seed=2)), 0, 2),
    "diagonal": (lambda: lib.DiagonalGate(list(np.exp(1j * np.arange(4)))), 0, 2),
    "multiplexer": (lambda: lib.UCRYGate([0.3, -1.2]), 0, 2),
    "ms": (lambda angle: lib.MSGate(2, angle), 1, 2),
}
TABLE = {**GATES, **{name: shape[1:] for name, shape in OTHERS.items()}}


def build(circuit: Circuit) -> QuantumCircuit:
    made = QuantumCircuit(QuantumRegister(circuit.qubits, "q"), ClassicalRegister(circuit.qubits, "c"))
    for name, parameters, qubits in circuit.steps:
        if name in OTHERS:
            made.append(OTHERS[name][0](*parameters), qubits)
        else:
            getattr(made, name)(*parameters, *qubits)
    made.measure(range(circuit.qubits), range(circuit.qubits))
    return made


class Branches:
    """Runs a circuit on all branches of its outcomes: (weight, state of all qubits, value of each bit)."""

    def __init__(self, circuit: QuantumCircuit):
        state = Statevector.from_int(0, 2**circuit.num_qubits)
        self.branches = [(1.0, state, {bit: 0 for bit in circuit.clbits})]
        qubits = {qubit: index for index, qubit in enumerate(circuit.qubits)}
        self.run(circuit, qubits, {bit: bit for bit in circuit.clbits})

    def run(self, circuit, qubits, bits):
        for instruction in circuit.data:
            self.step(instruction, [qubits[q] for q in instruction.qubits], bits)

    def step(self, instruction: CircuitInstruction, places: list[int], bits):
        operation = instruction.operation
        match operation.name:
            case "barrier" | "delay":
                return
            case "measure":
                self.measure(places[0], bits[instruction.clbits[0]])
            case "reset":
                for place in places:
                    self.reset(place)
            case "if_else":
                yes, no = operation.blocks[0], operation.blocks[1] if len(operation.blocks) > 1 else None
                self.where(operation.condition, yes, no, instruction, places, bits)
            case "for_loop":
                values, _, body = operation.params
                for _ in values:
                    self.body(body, instruction, places, bits)
            case "while_loop":
                ended = []
                while self.branches:
                    kept, others = self.split(operation.condition, bits)
                    ended += others
                    self.branches = [branch for branch in kept if branch[0] > 1e-14]
                    self.body(operation.blocks[0], instruction, places, bits)
                self.branches = ended
            case "switch_case":
                self.switch(operation, instruction, places, bits)
            case _ if operation.name == "initialize":
                self.run(operation.definition, dict(zip(operation.definition.qubits, places)), {})
            case _:
                self.branches = [(w, s.evolve(operation, places), b) for w, s, b in self.branches]

    def body(self, block, instruction, places, bits):
        if block is None:
            return
        inner = {own: bits[outer] for own, outer in zip(block.clbits, instruction.clbits)}
        for own in block.cregs:
            inner[own] = own
        self.run(block, dict(zip(block.qubits, places)), inner)

    def value(self, target, values, bits) -> int:
        if isinstance(target, Clbit):
            return values[bits[target]]
        return sum(values[bits.get(bit, bit)] << index for index, bit in enumerate(target))

    def split(self, condition, bits):
        target, wanted = condition
        kept, others = [], []
        for branch in self.branches:
            is_true = self.value(target, branch[2], bits) == int(wanted)
            (kept if is_true else others).append(branch)
        return kept, others

    def where(self, condition, yes, no, instruction, places, bits):
        kept, others = self.split(condition, bits)
        self.branches = kept
        self.body(yes, instruction, places, bits)
        kept, self.branches = self.branches, others
        self.body(no, instruction, places, bits)
        self.branches += kept

    def switch(self, operation, instruction, places, bits):
        ended, rest = [], self.branches
        for labels, block in operation.cases_specifier():
            def matches(branch):
                value = self.value(operation.target, branch[2], bits)
                return any(not isinstance(label, int) or label == value for label in labels)

            self.branches = [branch for branch in rest if matches(branch)]
            rest = [branch for branch in rest if not matches(branch)]
            self.body(block, instruction, places, bits)
            ended += self.branches
        self.branches = ended + rest

    def measure(self, place: int, bit):
        branches = []
        for weight, state, values in self.branches:
            for outcome, share, after in projected(state, place):
                branches.append((weight * share, after, {**values, bit: outcome}))
        self.branches = branches

    def reset(self, place: int):
        branches = []
        for weight, state, values in self.branches:
            for outcome, share, after in projected(state, place):
                clean = after.evolve(lib.XGate(), [place]) if outcome else after
                branches.append((weight * share, clean, values))
        self.branches = branches


def projected(state: Statevector, place: int):
    size = state.dim
    is_one = (np.arange(size) >> place) & 1
    for outcome in (0, 1):
        data = np.where(is_one == outcome, state.data, 0)
        share = float(np.vdot(data, data).real)
        if share > 1e-14:
            yield outcome, share, Statevector(data / math.sqrt(share))


def probabilities(circuit: QuantumCircuit, program: str) -> dict[str, float]:
    # Bits of no register, and all bits if one of them is in two, have registers of their own.
    declared = dict(registers_of(program))
    places = {bit: (f"_bit{index}", 0) for index, bit in enumerate(circuit.clbits)}
    for register in circuit.cregs:
        if register.name in declared:
            places |= {bit: (register.name, index) for index, bit in enumerate(register)}

    def outcomes():
        for weight, _, values in Branches(circuit).branches:
            yield {places[bit]: value for bit, value in values.items()}, weight

    return distribution(program, outcomes())


def read(program: str) -> dict[str, float]:
    """The distribution of an OpenQASM 2 program of another tool as Qiskit reads it."""
    return probabilities(qasm2.loads(program, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS), program)


READ = "qiskit.qasm2.loads and Statevector: the tool writes another gate than its simulator runs"

OPTIONS_3 = {
    "qasm3": {},
    "qasm3, includes=()": {"includes": ()},
    "qasm3, disable_constants": {"disable_constants": True, "indent": ""},
    "qasm3, basis_gates": {"includes": (), "basis_gates": ("U", "cx", "h", "rz", "ry", "sx", "swap")},
    "qasm3, allow_aliasing": {"allow_aliasing": True},
}


def entries(circuit: QuantumCircuit, name: str, options: tuple[str, ...]) -> Iterator[Entry]:
    for option in options:
        try:
            program = qasm2.dumps(circuit) if option == "qasm2" else qasm3.dumps(circuit, **OPTIONS_3[option])
        except qasm3.QASM3ExporterError:
            # Qiskit itself has no OpenQASM 3 for it.
            continue
        yield Entry("Qiskit", option, name, program, probabilities(circuit, program), SOURCE)


def programs() -> Iterator[Entry]:
    for circuit in sandwiches(TABLE):
        for entry in entries(build(circuit), circuit.name, ("qasm2", "qasm3")):
            yield entry
    for name in ("cp", "cu", "csx", "ecr", "rccx", "u", "cu of a phase", "xx_plus_yy"):
        circuit = next(sandwiches({name: TABLE[name]}))
        yield from entries(build(circuit), name, ("qasm3, includes=()",))
    for seed in range(3):
        circuit = build(mix(seed, GATES, 4))
        yield from entries(circuit, f"mix {seed}", ("qasm2", *OPTIONS_3))
    for name, circuit in special():
        yield from entries(circuit, name, ("qasm2", "qasm3", "qasm3, includes=()"))
    for name, circuit in flow():
        yield from entries(circuit, name, ("qasm3",))
    yield from aliases()
    made = QuantumCircuit(2)
    made.initialize([0.6, 0, 0, 0.8j], [0, 1])
    made.h(0)
    made.measure_all()
    yield from entries(made, "initialize", ("qasm2", "qasm3"))


def special() -> Iterator[tuple[str, QuantumCircuit]]:
    made = QuantumCircuit(2, 2)
    made.h(0)
    made.delay(1600, 0)
    made.delay(2, 1)
    made.cx(0, 1)
    made.ry(0.4, 0)
    made.measure([0, 1], [1, 0])
    yield "delay in dt", made
    made = QuantumCircuit(2, 2)
    made.h(0)
    made.delay(100, 0, "ns")
    made.delay(1.5, 1, "us")
    made.rx(0.7, [0, 1])
    made.measure([0, 1], [0, 1])
    yield "delay in seconds", made
    made = QuantumCircuit(2, 2, global_phase=0.7)
    made.h(0)
    made.append(build_phase().to_gate(label="phased").control(1), [0, 1])
    made.h(0)
    made.measure([0, 1], [0, 1])
    yield "controlled global phase", made
    made = QuantumCircuit(2, 2)
    made.ry(1.1, 0)
    made.measure(0, 0)
    made.reset(0)
    made.h(0)
    made.barrier()
    made.cx(0, 1)
    made.rx(0.3, 1)
    made.measure(0, 1)
    made.reset([0, 1])
    yield "reset and measurement in the middle", made
    made = QuantumCircuit(
        QuantumRegister(2, "data"), QuantumRegister(1, "anc"), ClassicalRegister(1, "flag"),
        ClassicalRegister(2, "out"),
    )  # fmt: skip
    made.ry(0.9, 0)
    made.cx(0, 2)
    made.rz(0.2, 1)
    made.h(1)
    made.cx(1, 0)
    made.measure([2, 0, 1], [0, 2, 1])
    yield "several registers", made
    made = QuantumCircuit(3, 3)
    made.h([0, 1, 2])
    made.barrier(0, 2)
    made.append(named_gate(), [2, 0])
    made.append(named_gate().inverse(), [1, 2])
    made.append(named_gate().control(1), [0, 1, 2])
    made.measure([0, 1, 2], [0, 1, 2])
    yield "gates of its own", made
    made = transpile(build(mix(7, GATES, 3)), basis_gates=["rz", "sx", "x", "cx"], optimization_level=1)
    yield "transpiled", made
    made = transpile(
        build(mix(8, GATES, 3)), basis_gates=["rz", "sx", "x", "ecr"], coupling_map=[[0, 1], [1, 2], [2, 3]],
        optimization_level=1, seed_transpiler=1,
    )  # fmt: skip
    yield "transpiled to a chip", made


def build_phase() -> QuantumCircuit:
    made = QuantumCircuit(1, global_phase=0.9)
    made.rz(0.5, 0)
    return made


def named_gate():
    made = QuantumCircuit(2, name="my gate-1")
    made.ry(0.6, 0)
    made.cx(0, 1)
    made.rzz(-0.8, 0, 1)
    made.sx(1)
    return made.to_gate()


def flow() -> Iterator[tuple[str, QuantumCircuit]]:
    made = QuantumCircuit(2, 2)
    made.ry(1.0, 0)
    made.measure(0, 0)
    with made.if_test((made.clbits[0], 1)) as otherwise:
        made.rx(0.5, 1)
    with otherwise:
        made.rx(-1.5, 1)
    made.measure(1, 1)
    yield "if and else on a bit", made
    made = QuantumCircuit(QuantumRegister(3, "q"), ClassicalRegister(2, "c"), ClassicalRegister(1, "d"))
    made.ry(1.0, 0)
    made.ry(2.0, 1)
    made.measure([0, 1], [0, 1])
    with made.if_test((made.cregs[0], 2)):
        made.h(2)
        with made.if_test((made.clbits[1], 1)):
            made.ry(0.4, 2)
    made.measure(2, 2)
    yield "if on a register", made
    made = QuantumCircuit(1, 1)
    with made.for_loop(range(3)):
        made.ry(0.3, 0)
        made.rz(0.2, 0)
    made.measure(0, 0)
    yield "for", made
    made = QuantumCircuit(2, 2)
    made.h(0)
    made.measure(0, 0)
    with made.while_loop((made.clbits[0], 1)):
        made.ry(0.7, 1)
        made.h(0)
        made.measure(0, 0)
    made.measure(1, 1)
    yield "while", made
    made = QuantumCircuit(QuantumRegister(3, "q"), ClassicalRegister(2, "c"), ClassicalRegister(1, "d"))
    made.ry(1.0, 0)
    made.ry(2.0, 1)
    made.measure([0, 1], [0, 1])
    with made.switch(made.cregs[0]) as case:
        with case(0):
            made.x(2)
        with case(1, 2):
            made.ry(0.9, 2)
        with case(case.DEFAULT):
            made.h(2)
    made.measure(2, 2)
    yield "switch", made


def aliases() -> Iterator[Entry]:
    """Bits that are in two registers."""
    qubits, bits = QuantumRegister(2, "q"), ClassicalRegister(2, "c")
    made = QuantumCircuit(qubits, bits, ClassicalRegister(name="other", bits=[bits[1], bits[0]]))
    made.ry(0.8, 0)
    made.cx(0, 1)
    made.rx(0.3, 1)
    made.measure([0, 1], [0, 1])
    yield from entries(made, "a bit of two registers", ("qasm3, allow_aliasing",))
    # Qubits without a register.
    loose = QuantumCircuit(list(QuantumCircuit(2).qubits), [Clbit(), Clbit()])
    loose.ry(0.8, 0)
    loose.cx(0, 1)
    loose.measure([0, 1], [1, 0])
    yield from entries(loose, "bits without a register", ("qasm3",))
    bound = Parameter("theta")
    made = QuantumCircuit(1, 1)
    made.ry(bound, 0)
    made.measure(0, 0)
    program = qasm3.dumps(made)
    value = probabilities(made.assign_parameters({bound: 0.75}), program)
    yield Entry("Qiskit", "qasm3; inputs 0.75", "parameter", program, value, SOURCE)
