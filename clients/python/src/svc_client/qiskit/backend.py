"""A QPU as a backend of Qiskit."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from qiskit import QuantumCircuit
from qiskit.providers import BackendV2, Options
from qiskit.transpiler import Target

from .._models import Qpu, iso
from .._submission import (
    MAX_EXECUTIONS,
    Decoupling,
    MeasLevel,
    MeasReturn,
    OptimizationLevel,
    ParameterValues,
    Precision,
    Scheduling,
)
from .export import to_circuit
from .job import SvcJob
from .options import unknown_option
from .properties import Properties, description_at
from .target import not_in_target, restricts_gates, target_of

if TYPE_CHECKING:
    from .._sync.client import SvcClient

# Shots of a circuit, unless the QPU states fewer.
MAX_SHOTS = 1_000_000
_DEFAULTS: dict[str, Any] = {"shots": 1024, "memory": False, "meas_level": 2, "meas_return": "single", "seed": None}


@dataclass(frozen=True)
class BackendStatus:
    """Whether a QPU runs jobs now, how many wait, and ``active`` or why it does not."""

    backend_name: str
    operational: bool
    pending_jobs: int
    status_msg: str


class SvcBackend(BackendV2):
    """A QPU.

    ``target`` has the qubits, gates and errors that its device last described; ``refresh`` reads them again.

    Args:
        client: the client of its server.
        qpu: its name, its id, or what ``client.qpu`` has read; by default that of ``SVC_QPU`` or ``SVC_SESSION``.
        options: defaults of ``run``: shots, memory, meas_level, meas_return, seed.

    Raises:
        NotFoundError: there is no such QPU.
    """

    def __init__(self, client: SvcClient, qpu: str | Qpu | None = None, **options: Any) -> None:
        self.client = client
        self.qpu = client.qpu(str(qpu or client._usual_qpu()))
        _assert_known(options)
        super().__init__(name=self.qpu.name, description=f"QPU {self.qpu.name} of svc", **options)
        self._target = target_of(self.qpu)
        self._properties: Properties | None = None

    @property
    def service(self) -> SvcClient:
        """The client of its server."""
        return self.client

    @property
    def simulator(self) -> bool:
        """Whether it computes what a QPU would measure."""
        return bool((self.qpu.description or {}).get("simulator"))

    @property
    def max_shots(self) -> int:
        """Shots of one circuit."""
        return min(MAX_SHOTS, int(self._limits.get("shots") or MAX_SHOTS))

    @property
    def target(self) -> Target:
        """What its device last described: qubits, gates, errors and durations."""
        return self._target

    @property
    def max_circuits(self) -> int:
        """Circuits of a job, multiplied by their parameter sets."""
        return min(MAX_EXECUTIONS, int(self._limits.get("executions") or MAX_EXECUTIONS))

    @property
    def _limits(self) -> dict[str, Any]:
        limits: dict[str, Any] = (self.qpu.description or {}).get("limits") or {}
        return limits

    @classmethod
    def _default_options(cls) -> Options:
        return Options(**_DEFAULTS)

    def set_options(self, **fields: Any) -> None:
        """Changes defaults of ``run``. Raises OptionError for one that does not exist."""
        _assert_known(fields)
        super().set_options(**fields)

    def refresh(self) -> None:
        """Reads the QPU again: its description changes with each calibration."""
        self.qpu = self.client.qpu(self.qpu.id)
        self._target = target_of(self.qpu)
        self._properties = None

    def properties(self, refresh: bool = False, datetime: datetime | None = None) -> Properties:
        """What is known of its qubits and gates: times, frequencies, errors, durations.

        Args:
            refresh: reads the QPU again.
            datetime: a time, local without zone; then the values are those that the calibrations until then have
                reported, and what they have not is None.
        """
        if datetime is not None:
            return Properties(self.qpu.name, self._description_at(datetime) or {})
        if refresh:
            self.refresh()
        if self._properties is None:
            self._properties = Properties(self.qpu.name, self.qpu.description or {})
        return self._properties

    def target_history(self, datetime: datetime | None = None) -> Target:
        """The target with the values of an earlier time, as ``properties``; the present target without one."""
        if datetime is None:
            return self._target
        return target_of(replace(self.qpu, description=self._description_at(datetime)))

    def status(self) -> BackendStatus:
        """Whether it runs jobs now, and how many wait."""
        qpu = self.client.qpu(self.qpu.id)
        text = "active" if qpu.reason is None else qpu.reason
        return BackendStatus(qpu.name, qpu.reason is None, qpu.queue_length, text)

    def check_faulty(self, circuit: QuantumCircuit) -> None:
        """Raises ValueError if a circuit uses what the QPU does not have or what is not in use."""
        self.check([circuit])

    def _description_at(self, when: datetime) -> dict[str, Any] | None:
        query = {"qpu": self.qpu.id, "at": iso(when)}
        values = self.client._transport.request("GET", "/api/calibration/values", query=query)["values"]
        return description_at(self.qpu.description, values)

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
        optimization_level: OptimizationLevel | None = None,
        dynamical_decoupling: Decoupling | None = None,
        scheduling: Scheduling | None = None,
        precision: Precision | None = None,
        allow_uncalibrated: bool = False,
        name: str | None = None,
        tags: Sequence[str] = (),
        **unknown: Any,
    ) -> SvcJob:
        """Submits one job of one or several circuits.

        Args:
            parameter_values: values of the parameters of each circuit in the order of ``circuit.parameters``, or
                several sets, each of which gives a result.
            seed_simulator: makes the results of a simulator repeatable.
            optimization_level, dynamical_decoupling, scheduling, precision, allow_uncalibrated: as of
                ``SvcClient.submit_job``.
            unknown: options that do not exist, which are refused.

        Raises:
            OptionError: an option does not exist.
            ValueError: a circuit has instructions that the QPU does not have, or parameters without values.
            SvcError: as ``SvcClient.submit_job`` does.
        """
        if unknown:
            known = inspect.signature(SvcBackend.run).parameters
            raise unknown_option(next(iter(unknown)), [each for each in known if each not in ("self", "unknown")])
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
            optimization_level=optimization_level,
            dynamical_decoupling=dynamical_decoupling,
            scheduling=scheduling,
            precision=precision,
            allow_uncalibrated=allow_uncalibrated,
            name=name,
            tags=tags,
        )
        return SvcJob(self, job)

    def retrieve_job(self, job_id: str) -> SvcJob:
        """A job that was submitted before, in this process or another. Raises NotFoundError."""
        return SvcJob(self, self.client.job(job_id))

    def __repr__(self) -> str:
        return f"<SvcBackend {self.name!r}: {self.num_qubits} qubits>"


def _assert_known(options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in _DEFAULTS:
            raise unknown_option(name, _DEFAULTS)
