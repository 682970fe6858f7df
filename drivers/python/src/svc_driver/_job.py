"""Jobs as a device receives them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class Execution:
    """One circuit with one parameter set: what the device runs and returns one result for."""

    index: int
    """Position among all executions of the job, from 0."""
    circuit_index: int
    """Position of the circuit in the job, from 0."""
    parameter_set: int
    """Position of the parameter set of the circuit, from 0."""
    text: str
    """OpenQASM, the parameters replaced by their values."""
    shots: int
    parameters: tuple[float, ...]
    """Values of the parameters, in the order of their declaration."""
    qubits: int | None
    clbits: int | None
    qregs: tuple[tuple[str, int], ...]
    cregs: tuple[tuple[str, int], ...]
    """Quantum and classical registers; unknown (None, empty) for a device with ``bind = False``."""


@dataclasses.dataclass(frozen=True)
class Job:
    """One attempt of a job."""

    id: str
    attempt: int
    payload: dict[str, Any]
    """The whole job: circuits, shots, meas_level, meas_return, memory, seed, …"""
    programs: Sequence[dict[str, Any]] | None = dataclasses.field(default=None, repr=False)

    @property
    def shots(self) -> int:
        return int(self.payload["shots"])

    @property
    def meas_level(self) -> int:
        return int(self.payload["meas_level"])

    @property
    def memory(self) -> bool:
        return bool(self.payload["memory"])

    @property
    def seed(self) -> int | None:
        seed = self.payload.get("seed")
        return None if seed is None else int(seed)

    def executions(self) -> Iterator[Execution]:
        """Every circuit with every parameter set, in the order in which results are returned."""
        index = 0
        for circuit_index, entry in enumerate(self.payload["circuits"]):
            program = self.programs[circuit_index] if self.programs is not None else {}
            sets = entry.get("parameter_values") or [[]]
            for parameter_set, values in enumerate(sets):
                yield Execution(
                    index=index,
                    circuit_index=circuit_index,
                    parameter_set=parameter_set,
                    text=bind(entry["circuit"], program.get("inputs") or [], values),
                    shots=int(entry.get("shots") or self.shots),
                    parameters=tuple(values),
                    qubits=program.get("qubits"),
                    clbits=program.get("clbits"),
                    qregs=tuple((name, size) for name, size in program.get("qregs") or []),
                    cregs=tuple((name, size) for name, size in program.get("cregs") or []),
                )
                index += 1


def bind(text: str, inputs: Sequence[dict[str, Any]], values: Sequence[float]) -> str:
    """Replaces declarations of inputs by constants.

    ``inputs`` has for each declaration the offsets of its keyword ``input`` and of the end of its name, in code points,
    and the form of its value: ``float``, ``int``, ``bool`` or ``duration``.
    """
    parts = []
    position = 0
    for declared, value in zip(inputs, values):
        start, end = declared["start"], declared["end"]
        parts += [text[position:start], "const", text[start + len("input") : end], " = ", _literal(declared["form"], value)]
        position = end
    return "".join([*parts, text[position:]])


def _literal(form: str, value: float) -> str:
    if form == "bool":
        return "true" if value else "false"
    if form == "int":
        return str(int(value))
    return f"{float(value)!r}s" if form == "duration" else repr(float(value))
