"""Programs of Amazon Braket's SDK; the probabilities are those of its local simulator without shots."""

from collections.abc import Iterator

import numpy as np
from braket.circuits import Circuit as Braket
from braket.circuits import FreeParameter, Gate, Instruction, Noise, Observable
from braket.circuits.serialization import IRType, OpenQASMSerializationProperties, QubitReferenceType
from braket.devices import LocalSimulator

from common import Circuit, Entry, measured, mix, register, sandwiches

SOURCE = "braket_sv local simulator, shots=0"

TABLE = {
    **{name: (0, 1) for name in "h i x y z s si t ti v vi".split()},
    **{name: (1, 1) for name in "rx ry rz phaseshift gpi gpi2".split()},
    **{name: (0, 2) for name in "cnot cv cy cz swap iswap ecr".split()},
    **{name: (1, 2) for name in "cphaseshift cphaseshift00 cphaseshift01 cphaseshift10 pswap xx xy yy zz".split()},
    **{"u": (3, 1), "prx": (2, 1), "ms": (3, 2), "ccnot": (0, 3), "cswap": (0, 3), "gphase": (1, 0)},
}
OTHERS = {
    "h of 1 control": lambda made, q: made.h(q[1], control=q[0]),
    "x of controls 0 and 1": lambda made, q: made.x(q[2], control=q[:2], control_state=[0, 1]),
    "power of iswap": lambda made, q: made.iswap(*q[:2], power=0.5),
    "power of a rotation": lambda made, q: made.rx(q[0], 0.4, power=-3, control=[q[1]]),
    "controlled phase": lambda made, q: made.gphase(0.8, control=q[:2]),
    "controlled u": lambda made, q: made.u(q[1], 0.3, 1.2, -0.4, control=[q[2]]),
    "unitary of one": lambda made, q: made.unitary(matrix=unitary(2), targets=q[:1]),
    "unitary of two": lambda made, q: made.unitary(matrix=unitary(4), targets=[q[2], q[0]]),
    "verbatim box": lambda made, q: made.add_verbatim_box(Braket().rx(q[0], 0.3).cz(*q[:2])),
}


def unitary(size: int) -> np.ndarray:
    rng = np.random.default_rng(size)
    random = rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size))
    return np.linalg.qr(random)[0]


def build(circuit: Circuit) -> Braket:
    made = Braket()
    for name, parameters, qubits in circuit.steps:
        if name in OTHERS:
            OTHERS[name](made, list(qubits))
        elif name == "gphase":
            made.gphase(*parameters)
        else:
            getattr(made, name)(*qubits, *parameters)
    return made


def exact(made: Braket) -> np.ndarray:
    """The probabilities of the state; without boxes, which the simulator does not run."""
    plain = Braket()
    for instruction in made.instructions:
        if isinstance(instruction.operator, Gate):
            plain.add_instruction(instruction)
    return LocalSimulator("braket_sv").run(plain.probability(), shots=0).result().values[0]


def written(made: Braket, **properties) -> str:
    serialization = OpenQASMSerializationProperties(**properties)
    return made.to_ir(IRType.OPENQASM, serialization_properties=serialization).source


def entry(circuit: Circuit, options: str, measures: bool = False, **properties) -> Entry:
    made = build(circuit)
    found = exact(made)
    if measures:
        made.measure(list(range(circuit.qubits)))
    program = written(made, **properties)
    return Entry(
        "Braket", options, circuit.name, program,
        measured(program, found, register("b", circuit.qubits)), SOURCE,
    )  # fmt: skip


def programs() -> Iterator[Entry]:
    for circuit in sandwiches({**TABLE, **{name: (0, 3) for name in OTHERS}}):
        physical = {"qubit_reference_type": QubitReferenceType.PHYSICAL} if circuit.name == "verbatim box" else {}
        yield entry(circuit, "default", **physical)
    for seed in range(3):
        circuit = mix(seed, TABLE, 4)
        yield entry(circuit, "default")
        yield entry(circuit, "measure", measures=True)
        yield entry(circuit, "physical", qubit_reference_type=QubitReferenceType.PHYSICAL)
    circuit = next(sandwiches({"cnot": (0, 2)}))
    made = build(circuit).measure([2, 0])
    program = written(made)
    yield Entry(
        "Braket", "measure", "some qubits", program,
        measured(program, marginal(exact(build(circuit)), [2, 0]), register("b", 2)), SOURCE,
    )  # fmt: skip
    theta = FreeParameter("theta")
    made = Braket().ry(0, theta).cnot(0, 1).rx(1, 2 * theta)
    program = written(made)
    yield Entry(
        "Braket", "default; inputs 0.75", "parameter", program,
        measured(program, exact(made.make_bound_circuit({"theta": 0.75})), register("b", 2)), SOURCE,
    )  # fmt: skip
    for name, result in (
        ("probability", lambda made: made.probability()),
        ("expectation", lambda made: made.expectation(Observable.Z(), 0)),
    ):
        made = build(circuit)
        found = exact(made)
        result(made)
        program = written(made)
        if "measure" not in program:
            # Result types replace the measurement; a user adds it.
            program += "\nbit[3] b;\nb = measure q;\n"
        yield Entry("Braket", "result type", name, program, measured(program, found, register("b", 3)), SOURCE)
    made = build(circuit)
    made.apply_gate_noise(Noise.BitFlip(0.1))
    program = written(made)
    yield Entry(
        "Braket", "noise, which is ignored", "noise", program,
        measured(program, exact(build(circuit)), register("b", 3)), SOURCE,
    )  # fmt: skip


def marginal(probabilities: np.ndarray, kept: list[int]) -> np.ndarray:
    size = int(np.log2(len(probabilities)))
    cube = np.asarray(probabilities).reshape([2] * size)
    return np.einsum(cube, list(range(size)), kept).reshape(-1)
