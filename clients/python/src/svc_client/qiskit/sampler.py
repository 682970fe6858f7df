"""The sampler primitive."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from qiskit import QuantumCircuit
from qiskit.primitives import BaseSamplerV2, SamplerPubLike
from qiskit.primitives.containers import BitArray, DataBin, SamplerPubResult
from qiskit.primitives.containers.sampler_pub import SamplerPub

from .._packing import Part, counted_bytes
from .._result import CircuitResult
from .export import plain_metadata, to_circuit
from .mitigation import mitigated
from .modes import Batch, Mode, Session, opened
from .options import MeasType, SamplerOptions
from .primitive_job import Plan, SvcPrimitiveJob, submit

if TYPE_CHECKING:
    from .backend import SvcBackend

_BYTES_PER_POINT = 45


class SvcSampler(BaseSamplerV2):
    """Samples circuits on a QPU.

    All pubs of a call, with all their parameter sets, go as one job, or as several where they exceed a limit of the
    server (300 executions, 8 MiB of results). Parameters are bound by the QPU.

    Args:
        mode: the backend, a ``Session`` or a ``Batch``; by default the one of the ``with`` statement around.
        options: ``SamplerOptions``, or its fields as a mapping.

    Raises:
        OptionError: an option does not exist, is not supported, or has a wrong value.
    """

    def __init__(self, mode: Mode = None, *, options: SamplerOptions | Mapping[str, Any] | None = None) -> None:
        self._mode = opened(mode)
        self._backend = self._mode.svc_backend
        self._options = SamplerOptions.of(options)

    @property
    def backend(self) -> SvcBackend:
        """The QPU."""
        return self._backend

    @property
    def mode(self) -> Session | Batch | None:
        """The session or the batch of its jobs."""
        context: Session | Batch | None = self._mode.context
        return context

    @property
    def options(self) -> SamplerOptions:
        """The options, which can be changed."""
        return self._options

    def run(self, pubs: Iterable[SamplerPubLike], *, shots: int | None = None) -> SvcPrimitiveJob:
        """Submits pubs: ``circuit``, ``(circuit, parameter values)`` or ``(circuit, parameter values, shots)``.

        Raises:
            ValueError: a pub is invalid, or its circuit has instructions that the QPU does not have.
            SvcError: as ``SvcClient.submit_job`` does.
        """
        coerced = [SamplerPub.coerce(pub, self._options.default_shots if shots is None else shots) for pub in pubs]
        self._backend.check([pub.circuit for pub in coerced])
        for at, pub in enumerate(coerced):
            _check_registers(at, pub.circuit)
            if not pub.circuit.cregs:
                warnings.warn(
                    f"The circuit of pub {at} has no classical register, so its result is empty; add measurements",
                    stacklevel=2,
                )
        meas_type = self._options.meas_type
        described = [_describe(pub) for pub in coerced]
        plan = {"kind": "sampler", "meas_type": meas_type, "pubs": described}
        if self._options.mitigation != "none":
            plan["mitigation"] = self._options.mitigation
        stored = {**plan, "pubs": [{**each, "metadata": plain_metadata(each["metadata"])} for each in described]}
        parts = [part for pub in coerced for part in _parts(pub, meas_type)]
        options: dict[str, Any] = {"memory": True} if meas_type == "classified" else {"meas_level": 1}
        if meas_type == "avg_kerneled":
            options["meas_return"] = "avg"
        return submit(self._mode, parts, plan, stored, **self._options._submitted(), **options)


def sampled(plan: Plan, circuits: Sequence[CircuitResult]) -> list[SamplerPubResult]:
    """The results of the pubs of a call, from those of its circuits in order."""
    found, left = [], list(circuits)
    for pub in plan["pubs"]:
        size = math.prod(pub["shape"])
        own, left = left[:size], left[size:]
        read = _bits if plan["meas_type"] == "classified" else _points
        data = DataBin(**read(pub, own), shape=tuple(pub["shape"]))
        metadata = {"shots": pub["shots"], "circuit_metadata": pub["metadata"] or {}}
        if plan.get("mitigation") == "readout":
            metadata["mitigation"] = _mitigation(own)
        found.append(SamplerPubResult(data, metadata=metadata))
    return found


def _mitigation(circuits: Sequence[CircuitResult]) -> dict[str, Any]:
    """The shares of the outcomes of each parameter set without the errors of readout, and how much is negative."""
    shares = [mitigated(each) for each in circuits]
    if None in shares:
        warnings.warn("The QPU gives no assignment matrix of its readout with these results: nothing is mitigated", stacklevel=2)
    negative = [None if each is None else -sum(share for share in each.values() if share < 0) for each in shares]
    return {"method": "readout", "shares": shares, "negative": negative}


def parameter_sets(circuit: QuantumCircuit, values: Any) -> list[list[float]]:
    """The values of a bindings array in the order of the circuit's parameters, one set after the other."""
    sets = np.asarray(values.as_array(circuit.parameters), dtype=float).reshape(values.size, circuit.num_parameters)
    return [[float(value) for value in each] for each in sets]


def _check_registers(at: int, circuit: QuantumCircuit) -> None:
    """Refuses, before anything is charged, a register that a result of Qiskit cannot have."""
    for register in circuit.cregs:
        try:
            DataBin(**{register.name: np.zeros(0)}, shape=())
        except (TypeError, ValueError):
            raise ValueError(
                f"A result of Qiskit cannot contain the register {register.name} of pub {at}, because it uses this name "
                "itself: rename the register"
            ) from None


def _describe(pub: SamplerPub) -> dict[str, Any]:
    circuit = pub.circuit
    places = {bit: at for at, bit in enumerate(circuit.clbits)}
    return {
        "shape": list(pub.shape),
        "shots": pub.shots,
        "bits": circuit.num_clbits,
        "registers": [[register.name, [places[bit] for bit in register]] for register in circuit.cregs],
        "metadata": circuit.metadata,
    }


def _parts(pub: SamplerPub, meas_type: MeasType) -> list[Part]:
    circuit, bits, shots = to_circuit(pub.circuit), pub.circuit.num_clbits, cast(int, pub.shots)
    if meas_type == "classified":
        each = counted_bytes(shots, bits, memory=True)
    else:
        each = 1_000 + _BYTES_PER_POINT * bits * (shots if meas_type == "kerneled" else 1)
    if pub.circuit.num_parameters == 0:
        return [Part(dataclasses.replace(circuit, shots=shots), each)] * pub.size
    if pub.size == 0:
        return []
    sets = parameter_sets(pub.circuit, pub.parameter_values)
    return [Part(dataclasses.replace(circuit, shots=shots, parameter_values=sets), each)]


def _bits(pub: Mapping[str, Any], results: Sequence[CircuitResult]) -> dict[str, Any]:
    """An array of bits for each register, of the shots that the device has kept."""
    bits = pub["bits"]
    width = math.ceil(bits / 8)
    kept = [each.kept_shots for each in results] or [pub["shots"]]
    shots = kept[0]
    if set(kept) != {shots}:
        raise ValueError(
            f"The device has kept {min(kept)} to {max(kept)} of {pub['shots']} shots of the parameter sets of a pub, and an "
            "array of Qiskit has equally many of each: run each set as a pub of its own, or read the job with "
            "SvcClient().job(id).result()"
        )
    packed = b"".join(_packed(each, shots * width) for each in results)
    rows = np.frombuffer(packed, np.uint8).reshape(len(results), shots, width)
    # From the lowest bit on.
    unpacked = np.unpackbits(rows, axis=-1)[..., ::-1]
    arrays = {}
    for name, places in pub["registers"]:
        own = unpacked[..., places[::-1]]
        padded = np.pad(own, ((0, 0), (0, 0), (-len(places) % 8, 0)))
        array = np.packbits(padded, axis=-1).reshape(*pub["shape"], shots, math.ceil(len(places) / 8))
        arrays[name] = BitArray(array, len(places))
    return arrays


def _packed(result: CircuitResult, size: int) -> bytes:
    """The outcome of each shot. A circuit that measures nothing has neither counts nor memory: its bits are 0."""
    memory = result.packed_memory()
    return bytes(size) if memory is None and not result.counts else memory or b""


def _points(pub: Mapping[str, Any], results: Sequence[CircuitResult]) -> dict[str, Any]:
    """Complex points for each register: those of each shot, or their mean."""
    points = np.array([each.iq for each in results])
    return {
        name: points[..., places].reshape(*pub["shape"], *points.shape[1:-1], len(places))
        for name, places in pub["registers"]
    }
