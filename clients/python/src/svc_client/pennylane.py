"""Circuits of PennyLane, and a device that runs them on a QPU. Needs the extra ``pennylane``.

device = qml.device("svc.qpu", backend="kelvin")

@qml.set_shots(1000)
@qml.qnode(device)
def circuit(angle): ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from ._submission import require

require("pennylane")

import numpy as np
import pennylane as qml
from pennylane.devices import Device, ExecutionConfig
from pennylane.devices.modifiers import simulator_tracking, single_tape_support
from pennylane.devices.preprocess import decompose, validate_device_wires, validate_measurements
from pennylane.measurements import ExpectationMP, ProbabilityMP, StateMeasurement, VarianceMP
from pennylane.tape import QuantumScript
from pennylane.transforms import broadcast_expand, defer_measurements, diagonalize_measurements, split_non_commuting
from pennylane.transforms.core import CompilePipeline

from ._packing import Part, counted_bytes, run_parts
from ._result import CircuitResult
from ._submission import Circuit
from ._sync.client import SvcClient

NAME = "svc.qpu"
# What PennyLane writes as OpenQASM; everything else is decomposed to these.
_GATES = {
    *("CNOT", "CZ", "U1", "U2", "U3", "Identity", "PauliX", "PauliY", "PauliZ", "Hadamard", "S", "T", "RX", "RY", "RZ"),
    *("Adjoint(S)", "Adjoint(T)", "CRX", "CRY", "CRZ", "SWAP", "Toffoli", "CSWAP", "PhaseShift", "GlobalPhase"),
}


def to_circuit(circuit: Any) -> Circuit:
    """A tape, or a QNode without arguments, as ``submit_job`` sends it: all of its wires are measured.

    Raises:
        TypeError: it is something else of PennyLane.
    """
    if isinstance(circuit, qml.QNode):
        circuit = qml.workflow.construct_tape(circuit)()
    if not isinstance(circuit, QuantumScript):
        raise TypeError(f"Expected a QNode or a tape of PennyLane, not {type(circuit).__name__}")
    return Circuit(_program(circuit, circuit.wires, rotations=True), shots=circuit.shots.total_shots)


@simulator_tracking
@single_tape_support
class SvcDevice(Device):
    """A QPU as a device of PennyLane, ``qml.device("svc.qpu", backend=...)``.

    Circuits that PennyLane executes together, such as those of a gradient by parameter shifts, go as one job, or as
    several where they exceed a limit of the server. Without shots, a simulator returns exact means, variances and
    probabilities. Wire i of a device without ``wires`` is qubit i in the order in
    which a circuit uses its wires.

    Args:
        wires: number or labels of the wires; any unless given.
        shots: of circuits that do not state their own; PennyLane prefers ``qml.set_shots`` on the QNode.
        backend: name or id of the QPU; any QPU unless given.
        client: default ``SvcClient()``, with the saved account.
        seed: makes the results of a simulator repeatable.
    """

    def __init__(
        self,
        wires: Any = None,
        shots: Any = None,
        *,
        backend: str | None = None,
        client: SvcClient | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(wires=wires, shots=shots)
        self.client = client or SvcClient()
        self.backend = backend
        self.seed = seed

    @property
    def name(self) -> str:
        """The name under which PennyLane finds it."""
        return NAME

    def preprocess_transforms(self, execution_config: ExecutionConfig | None = None) -> CompilePipeline:
        """Circuits become measurements of Z of gates that OpenQASM has."""
        program = CompilePipeline()
        program.add_transform(validate_device_wires, wires=self.wires, name=self.name)
        program.add_transform(validate_measurements, analytic_measurements=_is_exact, name=self.name)
        program.add_transform(defer_measurements, allow_postselect=False)
        program.add_transform(_split)
        program.add_transform(_diagonalize)
        program.add_transform(
            decompose,
            stopping_condition=_is_gate,
            target_gates=_GATES,
            skip_initial_state_prep=False,
            name=self.name,
        )
        program.add_transform(broadcast_expand)
        return program

    def execute(self, circuits: Any, execution_config: ExecutionConfig | None = None) -> tuple[Any, ...]:
        """Submits circuits and waits for their results.

        Raises:
            SvcError: as ``SvcClient.submit_job`` and ``Job.result`` do.
        """
        # A job is exact or not.
        groups = [[tape for tape in circuits if bool(tape.shots) is has_shots] for has_shots in (True, False)]
        sampled, exact = (self._execute(tapes) if tapes else [] for tapes in groups)
        return tuple((sampled if tape.shots else exact).pop(0) for tape in circuits)

    def _execute(self, tapes: Sequence[QuantumScript]) -> list[Any]:
        is_exact = not tapes[0].shots
        parts = [_exact_part(tape, self._wires_of(tape)) if is_exact else self._sampled_part(tape) for tape in tapes]
        options = {"qpu": self.backend, "memory": not is_exact, "exact": is_exact}
        results = run_parts(self.client, parts, seed=self.seed, **options)
        values = _exact_values if is_exact else _values
        return [values(tape, self._wires_of(tape), result) for tape, result in zip(tapes, results)]

    def _sampled_part(self, tape: QuantumScript) -> Part:
        shots, wires = tape.shots.total_shots, self._wires_of(tape)
        circuit = Circuit(_program(tape, wires, rotations=False), shots=shots)
        return Part(circuit, counted_bytes(shots, len(wires), memory=True))

    def _wires_of(self, tape: QuantumScript) -> Any:
        return self.wires if self.wires is not None else tape.wires


def _is_exact(measurement: Any) -> bool:
    """Whether a measurement has an exact value on a simulator."""
    return isinstance(measurement, (ExpectationMP, VarianceMP, ProbabilityMP))


def _has_means(tape: QuantumScript) -> bool:
    """Whether a tape is measured by means of Pauli sums without shots, which need no change of its basis."""
    if tape.shots or not tape.measurements:
        return False
    return all(type(each) is ExpectationMP and _sentence(each) is not None for each in tape.measurements)


def _sentence(measurement: Any) -> Any:
    return None if measurement.obs is None else measurement.obs.pauli_rep


@qml.transform
def _split(tape: QuantumScript) -> Any:
    return ([tape], _first) if _has_means(tape) else split_non_commuting(tape)


@qml.transform
def _diagonalize(tape: QuantumScript) -> Any:
    return ([tape], _first) if _has_means(tape) else diagonalize_measurements(tape)


def _first(results: Any) -> Any:
    return results[0]


def _exact_part(tape: QuantumScript, wires: Any) -> Part:
    if not _has_means(tape):
        outcomes = 2 ** min(len(wires), 30)
        return Part(Circuit(_program(tape, wires, rotations=False)), 1_000 + outcomes * (len(wires) + 26))
    sums = [_labels(_sentence(each), wires) for each in tape.measurements]
    program = _program(QuantumScript(tape.operations), wires, rotations=False, measured=False)
    return Part(Circuit(program, expectation_values=sums), 1_000 + 25 * len(sums))


def _labels(sentence: Any, wires: Any) -> dict[str, float]:
    """A sum of Pauli words by labels, with the first wire last."""
    found: dict[str, float] = {}
    for word, factor in sentence.items():
        if abs(complex(factor).imag) > 0:
            raise ValueError(f"The observable has the complex coefficient {factor}; expected a real one")
        label = "".join(word.get(wire, "I") for wire in reversed(list(wires)))
        found[label] = found.get(label, 0.0) + complex(factor).real
    return found or {"I" * len(wires): 0.0}


def _exact_values(tape: QuantumScript, wires: Any, result: CircuitResult) -> Any:
    """What the measurements of a tape give for the exact values of its execution."""
    if result.expectation_values is not None:
        values = tuple(np.array(each) for each in result.expectation_values)
    else:
        amplitudes = np.zeros((2,) * len(wires))
        for bits, probability in result.probabilities().items():
            # The first wire is bit 0, on the right.
            amplitudes[tuple(int(bit) for bit in reversed(bits))] = math.sqrt(probability)
        # Measurements are diagonal here, so that phases do not matter.
        measurements = cast("list[StateMeasurement]", tape.measurements)
        values = tuple(each.process_state(amplitudes.reshape(-1), wires) for each in measurements)
    return values[0] if len(values) == 1 else values


def _is_gate(operation: Any) -> bool:
    return operation.name in _GATES


def _program(tape: QuantumScript, wires: Any, *, rotations: bool, measured: bool = True) -> str:
    # A global phase has no effect, and none in OpenQASM 2.
    seen = [operation for operation in tape.operations if operation.name != "GlobalPhase"]
    written = QuantumScript(seen, tape.measurements, shots=tape.shots)
    return str(qml.to_openqasm(written, wires=wires, rotations=rotations, measure_all=measured))


def _values(tape: QuantumScript, wires: Any, result: CircuitResult) -> Any:
    """What the measurements of a tape give for the samples of its execution."""
    count, kept = len(wires), result.kept_shots
    if kept == 0 or (kept < result.shots and tape.shots.has_partitioned_shots):
        parts = "; it cannot be divided into the parts of the shots" if kept else ""
        raise ValueError(f"The device has kept {kept} of {result.shots} shots{parts}")
    rows = np.frombuffer(result.packed_memory() or b"", np.uint8).reshape(kept, -(-count // 8))
    # The bit of the first wire is the lowest one.
    samples = np.unpackbits(rows, axis=-1)[:, ::-1][:, :count].astype(np.int64)

    def of(shots: Sequence[int] | None) -> Any:
        values = tuple(_value(measurement, samples, wires, shots) for measurement in tape.measurements)
        return values[0] if len(values) == 1 else values

    if not tape.shots.has_partitioned_shots:
        return of(None)
    return tuple(of(bounds) for bounds in tape.shots.bins())


def _value(measurement: Any, samples: Any, wires: Any, shots: Sequence[int] | None) -> Any:
    process: Callable[..., Any] = measurement.process_samples
    return process(samples, wire_order=wires, shot_range=None if shots is None else tuple(shots))
