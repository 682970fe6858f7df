"""Circuits of PennyLane, and a device that runs them on a QPU. Needs the extra ``pennylane``.

device = qml.device("svc.qpu", backend="kelvin")

@qml.set_shots(1000)
@qml.qnode(device)
def circuit(angle): ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ._submission import require

require("pennylane")

import numpy as np
import pennylane as qml
from pennylane.devices import Device, ExecutionConfig
from pennylane.devices.modifiers import simulator_tracking, single_tape_support
from pennylane.devices.preprocess import decompose, validate_device_wires, validate_measurements
from pennylane.tape import QuantumScript
from pennylane.transforms import broadcast_expand, defer_measurements, diagonalize_measurements, split_non_commuting
from pennylane.transforms.core import CompilePipeline

from ._packing import Part, counted_bytes, jobs_of
from ._result import CircuitResult
from ._submission import Circuit
from ._sync.client import SvcClient

NAME = "svc.qpu"
_MAX_EXECUTIONS = 300
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
    several where they exceed a limit of the server. Wire i of a device without ``wires`` is qubit i in the order in
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

    def setup_execution_config(
        self, config: ExecutionConfig | None = None, circuit: QuantumScript | None = None
    ) -> ExecutionConfig:
        """The settings of an execution. Raises ValueError for a circuit without a number of shots."""
        if circuit is not None and not circuit.shots:
            raise ValueError(f"{self.name} needs a number of shots; put @qml.set_shots(1000) on the QNode")
        return super().setup_execution_config(config, circuit)

    def preprocess_transforms(self, execution_config: ExecutionConfig | None = None) -> CompilePipeline:
        """Circuits become measurements of Z of gates that OpenQASM has."""
        program = CompilePipeline()
        program.add_transform(validate_device_wires, wires=self.wires, name=self.name)
        program.add_transform(validate_measurements, analytic_measurements=_none, name=self.name)
        program.add_transform(defer_measurements, allow_postselect=False)
        program.add_transform(split_non_commuting)
        program.add_transform(diagonalize_measurements)
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
        parts = []
        for tape in circuits:
            shots, wires = tape.shots.total_shots, self._wires_of(tape)
            circuit = Circuit(_program(tape, wires, rotations=False), shots=shots)
            parts.append(Part(circuit, counted_bytes(shots, len(wires), memory=True)))
        jobs = [
            self.client.submit_job(
                job,
                qpu=self.backend,
                memory=True,
                # Jobs with the same seed would have the same random numbers.
                seed=None if self.seed is None else self.seed + at,
            )
            for at, job in enumerate(jobs_of(parts, _MAX_EXECUTIONS))
        ]
        results = [result for job in self.client.wait(jobs) for result in job.result()]
        return tuple(_values(tape, self._wires_of(tape), result) for tape, result in zip(circuits, results))

    def _wires_of(self, tape: QuantumScript) -> Any:
        return self.wires if self.wires is not None else tape.wires


def _none(measurement: Any) -> bool:
    """No measurement has an exact value on a QPU."""
    return False


def _is_gate(operation: Any) -> bool:
    return operation.name in _GATES


def _program(tape: QuantumScript, wires: Any, *, rotations: bool) -> str:
    # A global phase has no effect, and none in OpenQASM 2.
    seen = [operation for operation in tape.operations if operation.name != "GlobalPhase"]
    written = QuantumScript(seen, tape.measurements, shots=tape.shots)
    return str(qml.to_openqasm(written, wires=wires, rotations=rotations, measure_all=True))


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
