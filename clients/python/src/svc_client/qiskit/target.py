"""The target of the transpiler, from the description of a QPU."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

from qiskit.circuit import (
    Delay,
    ForLoopOp,
    Gate,
    IfElseOp,
    Measure,
    Parameter,
    QuantumCircuit,
    Reset,
    SwitchCaseOp,
    WhileLoopOp,
)
from qiskit.circuit.library import get_standard_gate_name_mapping
from qiskit.transpiler import InstructionProperties, QubitProperties, Target

from .._models import Qpu
from .export import STANDARD_GATES

# Names of OpenQASM that Qiskit has under another name.
_SYNONYMS = {"U": "u", "phase": "p", "cphase": "cp", "CX": "cx"}
_CONTROL_FLOW = {
    "feedback": {"if_else": IfElseOp, "switch_case": SwitchCaseOp},
    "loops": {"for_loop": ForLoopOp, "while_loop": WhileLoopOp},
}
_ALWAYS = ("barrier", "store", "break_loop", "continue_loop", "box", "global_phase")


def target_of(qpu: Qpu) -> Target:
    """What the QPU runs, without the qubits and pairs that are not operational.

    Without a description everything in ``stdgates.inc`` between all qubits, with a warning; a description without
    gates is that of a simulator, and means the same.
    """
    description = qpu.description
    if description is None:
        warnings.warn(
            f"QPU {qpu.name} has no description; circuits are transpiled for any gate between any of "
            f"{qpu.num_qubits} qubits",
            stacklevel=3,
        )
        description = {}
    qubits = description.get("qubits") or []
    target = Target(
        description=f"QPU {qpu.name} of svc",
        num_qubits=len(qubits) or qpu.num_qubits,
        dt=description.get("dt_s"),
        qubit_properties=[_qubit(each) for each in qubits] or None,
    )
    usable = [at for at in range(target.num_qubits) if not qubits or qubits[at].get("operational", True)]
    for gate in description.get("gates") or [{"name": name} for name in STANDARD_GATES]:
        _add_gate(target, gate, usable)
    measured = (description.get("measure") or {}).get("duration_s")
    errors = {at: qubits[at].get("readout_error") if qubits else None for at in usable}
    target.add_instruction(
        Measure(), {(at,): InstructionProperties(duration=measured, error=error) for at, error in errors.items()}
    )
    target.add_instruction(Delay(Parameter("t")), _places((at,) for at in usable))
    # A device that lists its features has no others; one that lists none may have all.
    features = description.get("features")
    if features is None or "reset" in features:
        waits = (description.get("reset") or {}).get("duration_s")
        target.add_instruction(Reset(), {(at,): InstructionProperties(duration=waits) for at in usable})
    for feature, operations in _CONTROL_FLOW.items():
        if features is None or feature in features:
            for name, operation in operations.items():
                target.add_instruction(operation, name=name)
    return target


def restricts_gates(qpu: Qpu) -> bool:
    """Whether the QPU runs only some gates: those of its description."""
    return bool((qpu.description or {}).get("gates"))


def not_in_target(circuit: QuantumCircuit, target: Target) -> str | None:
    """The first instruction that the target does not have, in words; None if it has all of them."""

    def first(block: QuantumCircuit, indices: Mapping[Any, int]) -> str | None:
        for instruction in block.data:
            operation = instruction.operation
            at = tuple(indices[qubit] for qubit in instruction.qubits)
            blocks = getattr(operation, "blocks", ())
            if operation.name not in _ALWAYS and not (
                target.instruction_supported(operation.name)
                if blocks
                else target.instruction_supported(operation.name, at)
            ):
                return f"{operation.name} on {'qubit' if len(at) == 1 else 'qubits'} {', '.join(map(str, at))}"
            for inner in blocks:
                found = first(inner, dict(zip(inner.qubits, at)))
                if found is not None:
                    return found
        return None

    return first(circuit, {qubit: at for at, qubit in enumerate(circuit.qubits)})


def _add_gate(target: Target, described: Mapping[str, Any], usable: list[int]) -> None:
    """Adds a gate on the pairs of its description, or on all operational qubits in any combination."""
    name = str(described["name"])
    name = _SYNONYMS.get(name, name)
    on = described.get("on")
    gate = _gate(name, described)
    if gate is None or name in target:
        return
    if on is None:
        virtual = InstructionProperties(duration=0.0, error=0.0) if described.get("virtual") else None
        # Without broken qubits, the combinations need not be listed.
        if len(usable) == target.num_qubits and virtual is None:
            target.add_instruction(gate, name=name)
        else:
            target.add_instruction(gate, {at: virtual for at in permutations(usable, gate.num_qubits)}, name=name)
        return
    operational = set(usable)
    places = {
        tuple(each["qubits"]): InstructionProperties(duration=each.get("duration_s"), error=each.get("error"))
        for each in on
        if each.get("operational", True) and operational.issuperset(each["qubits"])
    }
    target.add_instruction(gate, places, name=name)


def _gate(name: str, described: Mapping[str, Any]) -> Gate | None:
    """The gate of Qiskit with this name, else one of its own; None if its number of qubits is not known."""
    known = get_standard_gate_name_mapping().get(name)
    if known is not None:
        return known
    on = described.get("on") or []
    if not on:
        return None
    return Gate(name, len(on[0]["qubits"]), [Parameter(each) for each in described.get("params") or []])


def _qubit(described: Mapping[str, Any]) -> QubitProperties:
    return QubitProperties(t1=described.get("t1_s"), t2=described.get("t2_s"), frequency=described.get("frequency_hz"))


def _places(places: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], None]:
    return {place: None for place in places}
