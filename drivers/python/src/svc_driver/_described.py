"""Whether a device describes what a job needs, for devices that run without driver and server, which refuse the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import JobError


def check_described(description: Any, payload: Mapping[str, Any], programs: Sequence[Mapping[str, Any]], *, compiles: bool) -> None:
    """Raises `JobError` for the first circuit that the description excludes."""
    if not isinstance(description, Mapping):
        return
    limits = description.get("limits") or {}
    qubits = limits.get("qubits") or len(description.get("qubits") or []) or description.get("num_qubits")
    gates = [each["name"] for each in description.get("gates") or []]
    executions = sum(max(1, len(each.get("parameter_values") or [])) for each in payload["circuits"])
    if executions > limits.get("executions", executions):
        raise JobError(f"The job has {executions} executions; the device describes at most {limits['executions']}", code="too_many_executions")
    for index, (entry, program) in enumerate(zip(payload["circuits"], programs)):
        shots, needed = entry.get("shots") or payload["shots"], program.get("qubits")
        if shots > limits.get("shots", shots):
            message = f"circuit {index}: {shots} shots are requested; the device describes at most {limits['shots']}"
            raise JobError(message, code="too_many_shots", circuit_index=index)
        if qubits and needed is not None and needed > qubits:
            message = f"circuit {index}: the program declares {needed} qubits; the device describes {qubits}"
            raise JobError(message, code="too_many_qubits", circuit_index=index)
        foreign = [each for each in program.get("gates") or [] if each not in gates]
        if gates and foreign and not compiles:
            message = f"circuit {index}: the device does not describe the gate {foreign[0]}; compile the program for {', '.join(gates[:20])}"
            raise JobError(message, code="unsupported_gate", circuit_index=index)
