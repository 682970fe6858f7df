"""What is known of the qubits and gates of a QPU, now or at an earlier time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Union

from .._models import time_of

Qubits = Union[int, Iterable[int]]
# Parameters of calibrations that are values of a qubit in a description.
_OF_QUBIT = {"coherence.t1": "t1_s", "coherence.t2_echo": "t2_s", "clock_freqs.f01": "frequency_hz"}
_FIDELITY = ".fidelity"


class Properties:
    """The properties of a QPU, by the names of ``BackendProperties`` of qiskit-ibm-runtime.

    All values are in SI units, and None where they are not known. ``raw`` is the description that they come from.
    """

    def __init__(self, backend_name: str, description: Mapping[str, Any]) -> None:
        self.backend_name = backend_name
        self.raw = description
        self._qubits: list[dict[str, Any]] = list(description.get("qubits") or [])
        self._gates: dict[str, dict[str, Any]] = {gate["name"]: gate for gate in description.get("gates") or []}

    @property
    def last_update_date(self) -> datetime | None:
        """When the QPU was calibrated last, in UTC."""
        return time_of(self.raw.get("calibrated_at"))

    def t1(self, qubit: int) -> float | None:
        """Relaxation time in s."""
        return self._number(qubit, "t1_s")

    def t2(self, qubit: int) -> float | None:
        """Coherence time with an echo in s."""
        return self._number(qubit, "t2_s")

    def frequency(self, qubit: int) -> float | None:
        """Frequency in Hz."""
        return self._number(qubit, "frequency_hz")

    def readout_error(self, qubit: int) -> float | None:
        """Mean probability of reading a wrong outcome."""
        return self._number(qubit, "readout_error")

    def readout_length(self, qubit: int) -> float | None:
        """Duration of a measurement in s."""
        self._of_qubit(qubit, "name")
        found: float | None = (self.raw.get("measure") or {}).get("duration_s")
        return found

    def gate_error(self, gate: str, qubits: Qubits) -> float | None:
        """Average error of a gate on these qubits."""
        found: float | None = self._of_gate(gate, qubits, "error")
        return found

    def gate_length(self, gate: str, qubits: Qubits) -> float | None:
        """Duration of a gate on these qubits in s."""
        found: float | None = self._of_gate(gate, qubits, "duration_s")
        return found

    def is_qubit_operational(self, qubit: int) -> bool:
        """Whether a qubit is in use."""
        return self._of_qubit(qubit, "operational") is not False

    def is_gate_operational(self, gate: str, qubits: Qubits) -> bool:
        """Whether a gate is in use on these qubits, and they are."""
        indices = _indices(qubits)
        return all(map(self.is_qubit_operational, indices)) and self._of_gate(gate, indices, "operational") is not False

    def faulty_qubits(self) -> list[int]:
        """The qubits that are not in use."""
        return [at for at in range(len(self._qubits)) if not self.is_qubit_operational(at)]

    def faulty_gates(self) -> list[tuple[str, tuple[int, ...]]]:
        """The gates that are not in use, with their qubits."""
        return [
            (name, tuple(each["qubits"]))
            for name, gate in self._gates.items()
            for each in gate.get("on") or []
            if each.get("operational") is False
        ]

    def to_dict(self) -> dict[str, Any]:
        """The description."""
        return dict(self.raw)

    def _number(self, qubit: int, key: str) -> float | None:
        found: float | None = self._of_qubit(qubit, key)
        return found

    def _of_qubit(self, qubit: int, key: str) -> Any:
        if not 0 <= qubit < len(self._qubits):
            raise ValueError(f"QPU {self.backend_name} has {len(self._qubits)} described qubits; there is no qubit {qubit}")
        return self._qubits[qubit].get(key)

    def _of_gate(self, gate: str, qubits: Qubits, key: str) -> Any:
        described, indices = self._gates.get(gate), _indices(qubits)
        if described is None:
            raise ValueError(f"QPU {self.backend_name} has no gate {gate}; it has {', '.join(self._gates)}")
        if described.get("virtual"):
            return {"error": 0.0, "duration_s": 0.0}.get(key)
        on = described.get("on")
        if on is None:
            return None
        for each in on:
            if list(each["qubits"]) == indices:
                return each.get(key)
        raise ValueError(f"QPU {self.backend_name} has no gate {gate} on qubits {', '.join(map(str, indices))}")

    def __repr__(self) -> str:
        return f"<Properties {self.backend_name}: {len(self._qubits)} qubits, {self.last_update_date}>"


def description_at(
    description: Mapping[str, Any] | None, values: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | None:
    """A description with the values that calibrations had found by a time, and no others.

    What is no value, such as gates, couplings and durations, is that of the description.

    Args:
        description: the present one; None without one.
        values: the newest of each parameter by then, as ``GET /api/calibration/values`` has them.
    """
    if description is None:
        return None
    qubits = [
        {key: value for key, value in qubit.items() if key not in (*_OF_QUBIT.values(), "readout_error")}
        for qubit in description.get("qubits") or []
    ]
    names = {qubit["name"]: qubit for qubit in qubits}
    errors: dict[str, float] = {}
    for each in values:
        element, parameter, value = each["element"], each["parameter"], each["value"]
        if parameter in _OF_QUBIT and element in names and value > 0:
            names[element][_OF_QUBIT[parameter]] = value
        elif parameter.endswith(_FIDELITY):
            error = min(1.0, max(0.0, 1 - value))
            if "readout" not in parameter:
                errors[element] = error
            elif element in names:
                names[element]["readout_error"] = error
    gates = [
        {**gate, "on": [_with_error(place, errors, qubits) for place in gate["on"]]}
        if gate.get("on") and not gate.get("virtual")
        else gate
        for gate in description.get("gates") or []
    ]
    newest = max((str(each["at"]) for each in values), default=None)
    found = {**description, "qubits": qubits, "gates": gates, "calibrated_at": newest}
    return {key: value for key, value in found.items() if value is not None and (value or key in description)}


def _with_error(place: Mapping[str, Any], errors: Mapping[str, float], qubits: Sequence[Any]) -> dict[str, Any]:
    on = [qubits[at]["name"] for at in place["qubits"] if at < len(qubits)]
    # A coupling is named in either order of its qubits.
    error = errors.get("_".join(on), errors.get("_".join(reversed(on))))
    rest = {key: value for key, value in place.items() if key != "error"}
    return rest if error is None else {**rest, "error": error}


def _indices(qubits: Qubits) -> list[int]:
    return [qubits] if isinstance(qubits, int) else list(qubits)
