"""Circuits of Qiskit as OpenQASM 3."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from qiskit import QuantumCircuit, qasm3, transpile
from qiskit.circuit import (
    ClassicalRegister,
    ControlFlowOp,
    Instruction,
    Parameter,
    ParameterExpression,
    QuantumRegister,
)
from qiskit.qasm3 import QASM3ExporterError

from .._submission import Circuit

# Gates of stdgates.inc under the names of Qiskit.
STANDARD_GATES = (
    *("id", "x", "y", "z", "h", "s", "sdg", "t", "tdg", "sx", "p", "rx", "ry", "rz", "u"),
    *("cx", "cy", "cz", "ch", "cp", "crx", "cry", "crz", "cu", "swap", "ccx", "cswap"),
)
_NO_GATES = ("measure", "reset", "delay", "store", "break_loop", "continue_loop")
_MAX_NAME = 200


def to_circuit(circuit: QuantumCircuit) -> Circuit:
    """The circuit as ``submit_job`` sends it, with its name and metadata.

    Its parameters stay parameters: values are expected in the order of ``circuit.parameters``.
    """
    return Circuit(to_openqasm(circuit), name=circuit.name[:_MAX_NAME], metadata=plain_metadata(circuit.metadata))


def to_openqasm(circuit: QuantumCircuit) -> str:
    """The circuit in OpenQASM 3. Bit number i of the results is ``circuit.clbits[i]``.

    Raises:
        QASM3ExporterError: it cannot be expressed, also not in the gates of ``stdgates.inc``.
    """
    ordered = _with_ordered_bits(circuit)
    if _has_open_delay(ordered):
        # The exporter writes the names of parameters in a wait as they are, also those that it changes elsewhere.
        names = [Parameter(f"value_{at:05}") for at in range(circuit.num_parameters)]
        named = ordered.assign_parameters(dict(zip(circuit.parameters, names)))
        return re.sub(r"delay\[(.*value_\d{5}.*?)(ms|us|ns|dt|s)\]", r"delay[(\1) * 1\2]", _program(named))
    return _program(ordered)


def _program(ordered: QuantumCircuit) -> str:
    if not _needs_lowering(ordered):
        try:
            return _written(ordered)
        except QASM3ExporterError:
            # Of instructions that have a definition which is no gate, such as those with a reset.
            pass
    lowered = transpile(ordered, basis_gates=list(STANDARD_GATES), optimization_level=0)
    return _written(_on_qubits_of(ordered, lowered))


def _on_qubits_of(circuit: QuantumCircuit, rebuilt: QuantumCircuit) -> QuantumCircuit:
    """A circuit that was made of another one. With the layout of that, its qubits are the physical ones (``$3``)."""
    rebuilt._layout = circuit._layout
    return rebuilt


def _written(circuit: QuantumCircuit) -> str:
    """The program of a circuit of ``_with_ordered_bits``.

    Conditions on registers that share bits leave a register for each beside that of all bits. The exporter declares
    such bits one by one, and registers as sets of them, which is not OpenQASM; they become aliases of the first one.
    """
    if sum(len(register) for register in circuit.cregs) <= circuit.num_clbits:
        return str(qasm3.dumps(circuit))
    everything = circuit.cregs[0]
    text = re.sub(r"(?m)^bit \w+;\n", "", qasm3.dumps(circuit, allow_aliasing=True))
    text = re.sub(rf"(?m)^let {everything.name} = .*$", f"bit[{len(everything)}] {everything.name};", text)
    for register in circuit.cregs[1:]:
        places = ", ".join(str(circuit.find_bit(bit).index) for bit in register)
        alias = f"let {register.name} = {everything.name}[{{{places}}}];"
        text = re.sub(rf"(?m)^let {register.name} = .*$", alias, text)
    return text


def plain_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Metadata as JSON has it: arrays become lists, and what JSON cannot express becomes text."""
    if not metadata:
        return None
    plain: dict[str, Any] = json.loads(json.dumps(dict(metadata), default=_plain_value))
    return plain


def _plain_value(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _needs_lowering(circuit: QuantumCircuit) -> bool:
    """Whether the exporter would write something that is not OpenQASM, also in definitions.

    That are gates on no qubits, and gates with other parameters than real numbers: texts, complex numbers, matrices.
    """
    # By identity; the blocks are referred to, so that no other gets the identity of one that is gone.
    seen: dict[int, QuantumCircuit] = {}

    def is_unwritable(operation: Instruction) -> bool:
        if isinstance(operation, ControlFlowOp):
            return any(has_unwritable(block) for block in operation.blocks)
        if not _is_gate(operation):
            return False
        if operation.num_qubits == 0 or not all(_is_real(parameter) for parameter in operation.params):
            return True
        # Gates of the standard library are defined by each other; only others may contain anything.
        if getattr(operation, "_standard_gate", None) is not None:
            return False
        definition = getattr(operation, "definition", None)
        return definition is not None and has_unwritable(definition)

    def has_unwritable(block: QuantumCircuit) -> bool:
        if id(block) in seen:
            return False
        seen[id(block)] = block
        return any(is_unwritable(instruction.operation) for instruction in block.data)

    return has_unwritable(circuit)


def _has_open_delay(circuit: QuantumCircuit) -> bool:
    """Whether a parameter decides how long a wait is."""
    if circuit.num_parameters == 0:
        return False
    operations = [instruction.operation for instruction in circuit.data]
    blocks = [block for each in operations if isinstance(each, ControlFlowOp) for block in each.blocks]
    return any(_has_open_delay(block) for block in blocks) or any(
        each.name == "delay" and isinstance(each.duration, ParameterExpression) for each in operations
    )


def _registers_in_blocks(circuit: QuantumCircuit) -> set[ClassicalRegister]:
    """The registers that blocks may have conditions on."""
    operations = [instruction.operation for instruction in circuit.data]
    blocks = [block for each in operations if isinstance(each, ControlFlowOp) for block in each.blocks]
    return {register for block in blocks for register in (*block.cregs, *_registers_in_blocks(block))}


def _is_real(parameter: Any) -> bool:
    return isinstance(parameter, (Real, ParameterExpression))


def _is_gate(operation: Instruction) -> bool:
    directives = getattr(operation, "_directive", False)
    return not directives and operation.name not in (
        "measure",
        "reset",
        "delay",
        "store",
        "break_loop",
        "continue_loop",
    )


def _with_ordered_bits(circuit: QuantumCircuit) -> QuantumCircuit:
    """The circuit, whose program declares qubits and bits in the order in which the circuit has them.

    The exporter declares those without register first, and then the registers, which must not share bits. A
    circuit of another order gets one register of qubits and one of bits; so does one with an empty register, which
    OpenQASM does not have.
    """

    def is_ordered(bits: Sequence[Any], registers: Iterable[Iterable[Any]]) -> bool:
        alone = [bit for bit in bits if not circuit.find_bit(bit).registers]
        return [*alone, *(bit for register in registers for bit in register)] == list(bits)

    has_empty = any(len(register) == 0 for register in [*circuit.qregs, *circuit.cregs])
    if not has_empty and is_ordered(circuit.qubits, circuit.qregs) and is_ordered(circuit.clbits, circuit.cregs):
        return circuit
    # Of the same bits: blocks in blocks would keep theirs, and their conditions would name others.
    registers = [QuantumRegister(name="q", bits=circuit.qubits), ClassicalRegister(name="bits", bits=circuit.clbits)]
    named = _registers_in_blocks(circuit)
    registers += [register for register in circuit.cregs if register in named]
    filled = [register for register in registers if len(register) > 0]
    rebuilt = QuantumCircuit(*filled, name=circuit.name, global_phase=circuit.global_phase)
    rebuilt.metadata = circuit.metadata
    rebuilt.compose(circuit, qubits=rebuilt.qubits, clbits=rebuilt.clbits, copy=False, inplace=True)
    return _on_qubits_of(circuit, rebuilt)
