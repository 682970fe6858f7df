"""Circuits of Cirq, and a sampler that runs them on a QPU. Needs the extra ``cirq``.

from svc_client.cirq import SvcSampler

result = SvcSampler("kelvin").run(circuit, repetitions=1000)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._submission import require

require("cirq")

import cirq
import numpy as np

from ._packing import Part, counted_bytes, run_parts
from ._result import CircuitResult
from ._submission import Circuit
from ._sync.client import SvcClient

# As many as a number has.
_DIGITS = 17
# Cirq writes this gate although ``stdgates.inc`` does not have it.
_INCLUDE, _SXDG = 'include "stdgates.inc";', "gate sxdg a { inv @ sx a; }"


def to_circuit(circuit: cirq.AbstractCircuit) -> Circuit:
    """The circuit as ``submit_job`` sends it.

    ``LineQubit(i)`` is qubit i of the QPU; qubits of other kinds are numbered in their order.

    Raises:
        ValueError: it has symbols without values, or operations that OpenQASM does not have.
    """
    if cirq.is_parameterized(circuit):
        symbols = ", ".join(sorted(cirq.parameter_names(circuit)))
        raise ValueError(f"The circuit has the symbols {symbols}; pass cirq.resolve_parameters(circuit, values)")
    qubits = sorted(circuit.all_qubits())
    on_line = [qubit.x for qubit in qubits if isinstance(qubit, cirq.LineQubit) and qubit.x >= 0]
    if qubits and len(on_line) == len(qubits):
        qubits = list(cirq.LineQubit.range(max(on_line) + 1))
    # Names of measurements may be any text: the program gets names of its own.
    names = {key: f"m{at}" for at, key in enumerate(_widths(circuit))}
    renamed = cirq.with_measurement_key_mapping(circuit, names)
    program = str(renamed.to_qasm(qubit_order=qubits, precision=_DIGITS, version="3.0"))
    return Circuit(program.replace(_INCLUDE, f"{_INCLUDE}\n{_SXDG}", 1) if "sxdg " in program else program)


class SvcSampler(cirq.Sampler):
    """Samples circuits on a QPU.

    All values of a sweep go as one job, or as several where they exceed a limit of the server.

    Args:
        qpu: its name or id; any QPU unless given.
        client: default ``SvcClient()``, with the saved account.
        seed: makes the results of a simulator repeatable.
    """

    def __init__(self, qpu: str | None = None, *, client: SvcClient | None = None, seed: int | None = None) -> None:
        self.client = client or SvcClient()
        self.qpu = qpu
        self.seed = seed

    def run_sweep(
        self, program: cirq.AbstractCircuit, params: cirq.Sweepable, repetitions: int = 1
    ) -> Sequence[cirq.Result]:
        """Runs a circuit with each set of values and waits for the results.

        Raises:
            ValueError: the circuit has no measurements, or several with the same name.
            SvcError: as ``SvcClient.submit_job`` and ``Job.result`` do.
        """
        if not cirq.is_measurement(program):
            raise ValueError("The circuit has no measurements")
        resolvers = list(cirq.to_resolvers(params))
        widths = _widths(program)
        size = counted_bytes(repetitions, sum(widths.values()), memory=True)
        parts = [Part(to_circuit(cirq.resolve_parameters(program, resolver)), size) for resolver in resolvers]
        results = run_parts(self.client, parts, seed=self.seed, qpu=self.qpu, shots=repetitions, memory=True)
        return [
            cirq.ResultDict(params=resolver, measurements=_measurements(result, widths))
            for resolver, result in zip(resolvers, results)
        ]

    def __repr__(self) -> str:
        return f"<SvcSampler {self.qpu or 'of any QPU'}>"


def _widths(circuit: cirq.AbstractCircuit) -> dict[str, int]:
    """The bits of each measurement, in the order in which the program declares them."""
    widths: dict[str, int] = {}
    for operation in circuit.all_operations():
        if not isinstance(operation.gate, cirq.MeasurementGate):
            continue
        key = cirq.measurement_key_name(operation)
        if key in widths:
            raise ValueError(f"The circuit has several measurements with the name {key!r}; give each its own")
        widths[key] = len(operation.qubits)
    return widths


def _measurements(result: CircuitResult, widths: dict[str, int]) -> dict[str, Any]:
    """The bits of each measurement by shot and qubit."""
    width = -(-sum(widths.values()) // 8)
    rows = np.frombuffer(result.packed_memory() or b"", np.uint8).reshape(result.kept_shots, width)
    # From the lowest bit on.
    bits = np.unpackbits(rows, axis=-1)[:, ::-1]
    found, first = {}, 0
    for key, count in widths.items():
        found[key] = bits[:, first : first + count].astype(np.int64)
        first += count
    return found
