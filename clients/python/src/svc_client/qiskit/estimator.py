"""The estimator primitive."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from qiskit import ClassicalRegister, QuantumCircuit
from qiskit.primitives import BaseEstimatorV2, EstimatorPubLike
from qiskit.primitives.containers import DataBin, PubResult
from qiskit.primitives.containers.estimator_pub import EstimatorPub
from qiskit.transpiler import PassManager
from qiskit.transpiler.passes import Optimize1qGatesDecomposition

from .._packing import Part, counted_bytes
from .._result import CircuitResult
from .export import plain_metadata, to_circuit
from .modes import Batch, Mode, Session, opened
from .options import EstimatorOptions
from .pauli_terms import bases_of, fits, pauli_sum, term_values
from .primitive_job import Plan, SvcPrimitiveJob, submit
from .sampler import parameter_sets
from .target import restricts_gates

if TYPE_CHECKING:
    from .backend import SvcBackend

_REGISTER = "estimate"
_BYTES_PER_VALUE = 25


class SvcEstimator(BaseEstimatorV2):
    """Estimates expectation values on a QPU, without mitigation of errors.

    Terms that commute on each qubit are measured together. The circuits of all pubs of a call, with all parameter
    sets, go as one job, or as several where they exceed a limit of the server; parameters are bound by the QPU.
    Observables may have projectors (``0``, ``1``, ``+``, ``-``, ``r``, ``l``) as well as Pauli operators.

    Args:
        mode: the backend, a ``Session`` or a ``Batch``; by default the one of the ``with`` statement around.
        options: ``EstimatorOptions``, or its fields as a mapping.

    Raises:
        OptionError: an option does not exist, is not supported, or has a wrong value.
    """

    def __init__(self, mode: Mode = None, *, options: EstimatorOptions | Mapping[str, Any] | None = None) -> None:
        self._mode = opened(mode)
        self._backend = self._mode.svc_backend
        self._options = EstimatorOptions.of(options)

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
    def options(self) -> EstimatorOptions:
        """The options, which can be changed."""
        return self._options

    def run(self, pubs: Iterable[EstimatorPubLike], *, precision: float | None = None) -> SvcPrimitiveJob:
        """Submits pubs: ``(circuit, observables, parameter values, precision)``, of which the last two may be absent.

        With precision 0 for all pubs, a simulator returns exact values, without shots and errors. Otherwise each
        circuit is measured with ⌈1/precision²⌉ shots, in several executions, and several jobs, where that is more
        than one allows. ``stds`` of the result are the standard errors of ``evs``, from the scatter of the shots.

        Raises:
            InvalidRequestError: precision 0 on a QPU that has no exact values.
            ValueError: a pub is invalid, or its circuit has instructions that the QPU does not have.
            SvcError: as ``SvcClient.submit_job`` does.
        """
        default = self._options.default_precision if precision is None else precision
        coerced = [EstimatorPub.coerce(pub, default) for pub in pubs]
        for at, pub in enumerate(coerced):
            if pub.precision is None or not pub.precision >= 0:
                raise ValueError(f"The precision of pub {at} is {pub.precision}; it must be positive, or 0 for exact values")
        if coerced and all(pub.precision == 0 for pub in coerced):
            return self._run_exactly(coerced)
        for at, pub in enumerate(coerced):
            if pub.precision == 0:
                raise ValueError(f"The precision of pub {at} is 0, that of others is not; run exact values in a call of their own")
        described = [_describe(pub, self._backend.max_shots) for pub in coerced]
        circuits = [self._measured(pub, each["measured"]) for pub, each in zip(coerced, described)]
        parts = [
            part for pub, each, measured in zip(coerced, described, circuits) for part in _parts(pub, each, measured)
        ]
        plan = {"kind": "estimator", "pubs": described}
        stored = {**plan, "pubs": [{**each, "metadata": plain_metadata(each["metadata"])} for each in described]}
        return submit(self._mode, parts, plan, stored, **self._options._submitted())

    def _run_exactly(self, pubs: Sequence[EstimatorPub]) -> SvcPrimitiveJob:
        described = [_describe_exactly(pub) for pub in pubs]
        self._backend.check([pub.circuit for pub in pubs])
        parts = [part for pub, each in zip(pubs, described) for part in _exact_parts(pub, each)]
        plan = {"kind": "estimator", "pubs": described}
        stored = {**plan, "pubs": [{**each, "metadata": plain_metadata(each["metadata"])} for each in described]}
        return submit(self._mode, parts, plan, stored, exact=True, **self._options._submitted())

    def _measured(self, pub: EstimatorPub, measured: Sequence[Mapping[str, Any]]) -> list[QuantumCircuit]:
        """The circuit of a pub, followed by a measurement in each basis."""
        circuits = [_with_measurement(pub.circuit, self._rotation(each["basis"]), each["basis"]) for each in measured]
        self._backend.check(circuits or [pub.circuit])
        return circuits

    def _rotation(self, basis: str) -> QuantumCircuit:
        """Rotates a basis to that of the measurement, in the gates of the QPU."""
        rotation = QuantumCircuit(len(basis))
        for qubit, letter in enumerate(reversed(basis)):
            if letter == "Y":
                rotation.sdg(qubit)
            if letter in "XY":
                rotation.h(qubit)
        if not restricts_gates(self._backend.qpu):
            return rotation
        return PassManager([Optimize1qGatesDecomposition(target=self._backend.target)]).run(rotation)


def estimated(plan: Plan, circuits: Sequence[CircuitResult]) -> list[PubResult]:
    """The results of the pubs of a call, from those of its circuits in order."""
    found, left = [], list(circuits)
    for pub in plan["pubs"]:
        if "exact" in pub:
            found.append(_exactly_estimated(pub, left))
            continue
        outcomes: dict[tuple[int, int], list[CircuitResult]] = {}
        for basis, measured in enumerate(pub["measured"]):
            # A call of an earlier release has no repetitions.
            for _ in range(pub.get("repetitions", 1)):
                for at in measured["sets"]:
                    outcomes.setdefault((basis, at), []).append(left.pop(0))
        values = [_estimate(pub, at, pub["observables"][which], outcomes) for at, which in pub["elements"]]
        shape = tuple(pub["shape"])
        evs, stds = (np.array([each[part] for each in values], dtype=float).reshape(shape) for part in (0, 1))
        metadata = {
            "target_precision": pub["precision"],
            "shots": pub["shots"],
            "circuit_metadata": pub["metadata"] or {},
        }
        found.append(PubResult(DataBin(evs=evs, stds=stds, shape=shape), metadata=metadata))
    return found


def _describe(pub: EstimatorPub, max_shots: int) -> dict[str, Any]:
    """How the values of a pub follow from its circuits: which sets are measured in which bases, and for what."""
    precision = cast(float, pub.precision)
    elements, terms, groups = _wanted(pub)
    wanted = math.ceil(1 / precision**2)
    repetitions = math.ceil(wanted / max_shots)
    each = math.ceil(wanted / repetitions)
    return {
        "shape": list(pub.shape),
        "precision": float(precision),
        "shots": each * repetitions,
        "repetitions": repetitions,
        "first_bit": pub.circuit.num_clbits,
        "observables": terms,
        "elements": elements,
        "measured": [
            {"basis": basis, "sets": sets}
            for which_ones, sets in groups.items()
            for basis in bases_of(label for which in which_ones for label in terms[which])
        ],
        "metadata": pub.circuit.metadata,
    }


def _wanted(
    pub: EstimatorPub,
) -> tuple[list[list[int]], list[dict[str, float]], dict[tuple[int, ...], list[int]]]:
    """Set and observable of each value of a pub, the observables, and the sets that have the same observables."""
    values, observables = pub.parameter_values, pub.observables
    numbers = np.broadcast_arrays(
        np.arange(values.size).reshape(values.shape), np.arange(observables.size).reshape(observables.shape)
    )
    elements = [[int(at), int(which)] for at, which in zip(*(each.ravel() for each in numbers))]
    terms = [
        {label: float(factor) for label, factor in observable.items()}
        for observable in (observables[at] for at in np.ndindex(observables.shape))
    ]
    needed: dict[int, set[int]] = {}
    for at, which in elements:
        needed.setdefault(at, set()).add(which)
    groups: dict[tuple[int, ...], list[int]] = {}
    for at, which_ones in needed.items():
        groups.setdefault(tuple(sorted(which_ones)), []).append(at)
    return elements, terms, groups


def _describe_exactly(pub: EstimatorPub) -> dict[str, Any]:
    """How the exact values of a pub follow from its circuits: which sets have which observables."""
    elements, terms, groups = _wanted(pub)
    return {
        "shape": list(pub.shape),
        "observables": terms,
        "elements": elements,
        "exact": [{"observables": list(which_ones), "sets": sets} for which_ones, sets in groups.items()],
        "metadata": pub.circuit.metadata,
    }


def _exact_parts(pub: EstimatorPub, described: Mapping[str, Any]) -> list[Part]:
    sets, parts = parameter_sets(pub.circuit, pub.parameter_values), []
    for group in described["exact"]:
        sums = [pauli_sum(described["observables"][which], pub.circuit.num_qubits) for which in group["observables"]]
        sent = dataclasses.replace(to_circuit(pub.circuit), expectation_values=sums)
        size = counted_bytes(1, pub.circuit.num_clbits, memory=False) + _BYTES_PER_VALUE * len(sums)
        if pub.circuit.num_parameters == 0:
            parts += [Part(sent, size)] * len(group["sets"])
        else:
            own = [sets[at] for at in group["sets"]]
            parts.append(Part(dataclasses.replace(sent, parameter_values=own), size))
    return parts


def _exactly_estimated(pub: Mapping[str, Any], left: list[CircuitResult]) -> PubResult:
    """The result of a pub; takes those of its circuits from the front of ``left``."""
    values: dict[tuple[int, int], float] = {}
    for group in pub["exact"]:
        for at in group["sets"]:
            means = left.pop(0).expectation_values or []
            values.update({(at, which): mean for which, mean in zip(group["observables"], means)})
    shape = tuple(pub["shape"])
    evs = np.array([values[at, which] for at, which in pub["elements"]], dtype=float).reshape(shape)
    metadata = {"target_precision": 0.0, "shots": 0, "circuit_metadata": pub["metadata"] or {}}
    return PubResult(DataBin(evs=evs, stds=np.zeros(shape), shape=shape), metadata=metadata)


def _with_measurement(circuit: QuantumCircuit, rotation: QuantumCircuit, basis: str) -> QuantumCircuit:
    qubits = [qubit for qubit, letter in enumerate(reversed(basis)) if letter != "I"]
    names = {register.name for register in circuit.cregs}
    name = next(each for each in (_REGISTER, *(f"{_REGISTER}_{at}" for at in range(len(names)))) if each not in names)
    measured = circuit.copy()
    register = ClassicalRegister(len(qubits), name)
    measured.add_register(register)
    measured.compose(rotation, qubits=range(circuit.num_qubits), inplace=True)
    measured.measure(qubits, list(register))
    return measured


def _parts(pub: EstimatorPub, described: Mapping[str, Any], circuits: Sequence[QuantumCircuit]) -> list[Part]:
    parts, repetitions = [], described["repetitions"]
    shots = described["shots"] // repetitions
    sets = parameter_sets(pub.circuit, pub.parameter_values)
    for circuit, measured in zip(circuits, described["measured"]):
        sent = dataclasses.replace(to_circuit(circuit), shots=shots)
        size = counted_bytes(shots, circuit.num_clbits, memory=False)
        if circuit.num_parameters == 0:
            parts += [Part(sent, size)] * len(measured["sets"]) * repetitions
        else:
            own = [sets[at] for at in measured["sets"]]
            parts += [Part(dataclasses.replace(sent, parameter_values=own), size)] * repetitions
    return parts


def _estimate(
    pub: Mapping[str, Any],
    at: int,
    observable: Mapping[str, float],
    outcomes: Mapping[tuple[int, int], Sequence[CircuitResult]],
) -> tuple[float, float]:
    """Mean and standard error of an observable with one set of parameters.

    Each term is taken from the first basis that it is measured in. The terms of a basis come from the same shots:
    their sum is averaged, so that the error has their correlations.
    """
    mean = sum(factor for label, factor in observable.items() if not label.strip("I"))
    variance = 0.0
    left = {label: factor for label, factor in observable.items() if label.strip("I")}
    for number, measured in enumerate(pub["measured"]):
        if (number, at) not in outcomes:
            continue
        basis = measured["basis"]
        own = {label: factor for label, factor in left.items() if fits(label, basis)}
        if not own:
            continue
        left = {label: factor for label, factor in left.items() if label not in own}
        kept = sum(each.kept_shots for each in outcomes[number, at])
        if kept == 0:
            raise ValueError(f"The device discarded all shots of the circuit in basis {basis}: there is no mean")
        counts: Counter[str] = Counter()
        for each in outcomes[number, at]:
            counts.update(each.counts)
        weights = np.array(list(counts.values()), dtype=float)
        weights /= weights.sum()
        values = term_values(list(counts), pub["first_bit"], basis, own)
        average = float(weights @ values)
        mean += average
        variance += float(weights @ (values - average) ** 2) / kept
    return mean, math.sqrt(variance)
