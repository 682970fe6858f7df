"""Schedules of gates, which the tuner turns into pulses with the values of the chip."""

from __future__ import annotations

from typing import Any


class Schedule:
    """Gates on the elements of the chip, each as soon as its qubits are free. Every method returns the schedule.

    A keyword replaces the value of the device file: ``frequency``, ``amp180``, ``amplitude``, ``motzoi`` and ``duration`` of
    rotations, ``point`` (``measure``, ``measure_2state`` or ``measure_3state``), ``frequency``, ``amplitude``, ``duration``,
    ``delay`` and ``window`` of readouts, ``frequency``, ``amplitude``, ``duration`` and ``is_raw`` (without phase corrections)
    of CZ gates.
    """

    def __init__(self) -> None:
        self.operations: list[dict[str, Any]] = []

    def rotate(self, qubit: str, theta: float, phi: float = 0.0, **overrides: float) -> Schedule:
        """Rotates by ``theta`` about the axis at ``phi`` in the plane of x and y, rad."""
        return self._add("rotate", qubit=qubit, theta=float(theta), phi=float(phi), overrides=_floats(overrides))

    def rotate12(self, qubit: str, theta: float, phi: float = 0.0, **overrides: float) -> Schedule:
        """The same between the states 1 and 2."""
        return self._add("rotate12", qubit=qubit, theta=float(theta), phi=float(phi), overrides=_floats(overrides))

    def rz(self, qubit: str, angle: float) -> Schedule:
        """Rotates about z by an angle in rad, in no time."""
        return self._add("rz", qubit=qubit, angle=float(angle))

    def tone(self, qubit: str, *, frequency: float, amplitude: float, duration: float) -> Schedule:
        """A long weak pulse of one frequency on the drive line."""
        return self._add("tone", qubit=qubit, frequency=float(frequency), amplitude=float(amplitude), duration=float(duration))

    def delay(self, qubit: str, seconds: float) -> Schedule:
        """Waits, s."""
        return self._add("delay", qubit=qubit, seconds=float(seconds))

    def barrier(self, *qubits: str) -> Schedule:
        """Waits until all given qubits are free; without arguments, all that were used."""
        return self._add("barrier", qubits=list(qubits))

    def cz(self, edge: str, *, is_raw: bool = False, **overrides: float) -> Schedule:
        """Plays the CZ gate of an edge, with both qubits at rest."""
        return self._add("cz", edge=edge, is_raw=is_raw, overrides=_floats(overrides))

    def measure(self, qubit: str, *, point: str = "measure", **overrides: float) -> Schedule:
        """Reads a qubit out."""
        return self._add("measure", qubit=qubit, point=point, overrides=_floats(overrides))

    def _add(self, op: str, **parts: Any) -> Schedule:
        self.operations.append({"op": op, **parts})
        return self


def _floats(overrides: dict[str, float]) -> dict[str, float]:
    return {name: float(each) for name, each in overrides.items()}
