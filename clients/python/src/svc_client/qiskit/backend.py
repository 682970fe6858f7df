"""A QPU as a backend of Qiskit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from qiskit import QuantumCircuit
from qiskit.providers import BackendV2, Options
from qiskit.transpiler import Target

from .._models import Qpu
from .._submission import MeasLevel, MeasReturn, ParameterValues
from .export import to_circuit
from .job import SvcJob
from .target import not_in_target, restricts_gates, target_of

if TYPE_CHECKING:
    from .._sync.client import SvcClient

# Circuits of a job multiplied by their parameter sets, unless the QPU states fewer.
MAX_EXECUTIONS = 300


class SvcBackend(BackendV2):
    """A QPU.

    ``target`` has the qubits, gates and errors that its device last described; ``refresh`` reads them again.

    Args:
        client: the client of its server.
        qpu: its name, its id, or what ``client.qpu`` has read.
        options: defaults of ``run``: shots, memory, meas_level, meas_return, seed.

    Raises:
        NotFoundError: there is no such QPU.
    """

    def __init__(self, client: SvcClient, qpu: str | Qpu, **options: Any) -> None:
        self.client = client
        self.qpu = client.qpu(str(qpu))
        super().__init__(name=self.qpu.name, description=f"QPU {self.qpu.name} of svc", **options)
        self._target = target_of(self.qpu)

    @property
    def target(self) -> Target:
        return self._target

    @property
    def max_circuits(self) -> int:
        limits = (self.qpu.description or {}).get("limits") or {}
        return min(MAX_EXECUTIONS, int(limits.get("executions") or MAX_EXECUTIONS))

    @classmethod
    def _default_options(cls) -> Options:
        return Options(shots=1024, memory=False, meas_level=2, meas_return="single", seed=None)

    def refresh(self) -> None:
        """Reads the QPU again: its description changes with each calibration."""
        self.qpu = self.client.qpu(self.qpu.id)
        self._target = target_of(self.qpu)

    def check(self, circuits: Sequence[QuantumCircuit]) -> None:
        """Raises ValueError for the first circuit with an instruction that the QPU does not have.

        A QPU without described gates is a simulator, or not known, and is not checked.
        """
        if not restricts_gates(self.qpu):
            return
        for at, circuit in enumerate(circuits):
            found = not_in_target(circuit, self._target)
            if found is None and circuit.num_qubits > self._target.num_qubits:
                found = f"{circuit.num_qubits} qubits"
            if found is not None:
                raise ValueError(
                    f"Circuit {at} ({circuit.name}) uses {found}, which QPU {self.name} does not have; transpile it: "
                    "generate_preset_pass_manager(optimization_level=1, backend=backend).run(circuit)"
                )

    def run(
        self,
        run_input: QuantumCircuit | Sequence[QuantumCircuit],
        *,
        shots: int | None = None,
        parameter_values: ParameterValues | None = None,
        memory: bool | None = None,
        meas_level: MeasLevel | None = None,
        meas_return: MeasReturn | None = None,
        seed_simulator: int | None = None,
        name: str | None = None,
        tags: Sequence[str] = (),
    ) -> SvcJob:
        """Submits one job of one or several circuits.

        Args:
            parameter_values: values of the parameters of each circuit in the order of ``circuit.parameters``, or
                several sets, each of which gives a result.
            seed_simulator: makes the results of a simulator repeatable.

        Raises:
            ValueError: a circuit has instructions that the QPU does not have, or parameters without values.
            SvcError: as ``SvcClient.submit_job`` does.
        """
        circuits = [run_input] if isinstance(run_input, QuantumCircuit) else list(run_input)
        self.check(circuits)
        for circuit in circuits:
            if circuit.parameters and parameter_values is None:
                names = ", ".join(parameter.name for parameter in circuit.parameters)
                raise ValueError(f"Circuit {circuit.name} has the parameters {names}; pass parameter_values")
        defaults: Any = self.options
        job = self.client.submit_job(
            [to_circuit(circuit) for circuit in circuits],
            qpu=self.qpu,
            shots=defaults.shots if shots is None else shots,
            parameter_values=parameter_values,
            memory=defaults.memory if memory is None else memory,
            meas_level=defaults.meas_level if meas_level is None else meas_level,
            meas_return=defaults.meas_return if meas_return is None else meas_return,
            seed=defaults.seed if seed_simulator is None else seed_simulator,
            name=name,
            tags=tags,
        )
        return SvcJob(self, job)

    def retrieve_job(self, job_id: str) -> SvcJob:
        """A job that was submitted before, in this process or another. Raises NotFoundError."""
        return SvcJob(self, self.client.job(job_id))

    def __repr__(self) -> str:
        return f"<SvcBackend {self.name!r}: {self.num_qubits} qubits>"
