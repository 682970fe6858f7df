"""Programs of pyGSTi with all of its options; the probabilities are those of its model without errors."""

from collections.abc import Iterator

import pygsti
from pygsti.baseobjs import Label
from pygsti.circuits import Circuit as Gsti
from pygsti.models import create_crosstalk_free_model
from pygsti.processors import QubitProcessorSpec

import from_qiskit
from common import Circuit, Entry, measured, mix, register, sandwich

SOURCE = "pygsti crosstalk-free model without errors"

ONE = ["Gxpi2", "Gypi2", "Gzpi2", "Gxpi", "Gypi", "Gzpi", "Gxmpi2", "Gympi2", "Gzmpi2", "Gh", "Gp", "Gpdag", "Gt", "Gi"]
ONE += ["Gtdag", *[f"Gc{index}" for index in range(24)]]
TWO = ["Gcnot", "Gcphase", "Gswap", "Gecr"]
TABLE = {**{name: (0, 1) for name in ONE}, **{name: (0, 2) for name in TWO}, "Gzr": (1, 1), "Gczr": (1, 2), "Gu3": (3, 1)}

# pyGSTi writes an ecr with its qubits exchanged, and crz for a controlled phase.
MEANT_OTHERWISE = ("Gecr", "Gczr")


def programs() -> Iterator[Entry]:
    models = {}
    for version in ("u3", "x-sx-rz"):
        for options in ({}, {"include_delay_on_idle": True}, {"block_between_gates": True, "block_between_layers": False}):
            for seed in range(4):
                yield entry(mix(seed, usable(version), 3), version, options, models)
    for name in ("Gt", "Gu3", "Gswap", *MEANT_OTHERWISE):
        made = entry(sandwich(name, *TABLE[name]), "u3", {}, models)
        if name in MEANT_OTHERWISE:
            made.probabilities, made.source = from_qiskit.read(made.program), from_qiskit.READ
        yield made


def usable(version: str) -> dict[str, tuple[int, int]]:
    conversions = pygsti.tools.internalgates.standard_gatenames_openqasm_conversions(version)
    written = {*conversions[0], *conversions[1]} - set(MEANT_OTHERWISE)
    return {name: shape for name, shape in TABLE.items() if name in written}


def label_of(name: str, parameters, qubits) -> Label:
    return Label(name, qubits, args=parameters) if parameters else Label(name, qubits)


def entry(circuit: Circuit, version: str, options: dict, models: dict) -> Entry:
    layers = []
    for name, parameters, qubits in circuit.steps:
        if name == "ry":
            layers.append(Label("Gu3", qubits, args=(*parameters, 0.0, 0.0)))
        elif name == "rz":
            layers.append(Label("Gzr", qubits, args=parameters))
        else:
            layers.append(label_of(name, parameters, qubits))
    made = Gsti(layers, line_labels=tuple(range(circuit.qubits)))
    size = circuit.qubits
    if size not in models:
        specification = QubitProcessorSpec(size, list(TABLE), geometry="line", availability={
            name: "all-permutations" for name, shape in TABLE.items() if shape[1] == 2})  # fmt: skip
        models[size] = create_crosstalk_free_model(specification)
    result = models[size].probabilities(made)
    found = [result[(format(index, f"0{size}b"),)] for index in range(2**size)]
    program = made.convert_to_openqasm(standard_gates_version=version, **options)
    name = ", ".join([version, *options])
    return Entry("pyGSTi", name, circuit.name, program, measured(program, found, register("cr", size)), SOURCE)
