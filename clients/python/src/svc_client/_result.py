"""Results of jobs."""

from __future__ import annotations

import base64
import importlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Iterator, Mapping, overload

from ._models import time_of

if TYPE_CHECKING:
    import numpy
    import pandas


@dataclass(frozen=True)
class Provenance:
    """Where results come from.

    Attributes:
        seconds: time of execution on the device.
        seed: random seed of a simulator.
        calibration: age and routine of the calibrated values that were in use.
        versions: versions of the driver, the device and the compiler, as far as they are known.
        program_sha256: SHA-256 of the program, or of the sums of several; None from an earlier server.
        raw: all metadata of the results.
    """

    device: str | None
    driver: str | None
    attempt: int | None
    started: datetime | None
    finished: datetime | None
    seconds: float | None
    seed: int | None
    calibration: Any
    versions: Mapping[str, str]
    program_sha256: str | None
    raw: dict[str, Any] = field(repr=False)


class CircuitResult:
    """The outcomes of one circuit with one set of parameters."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    @property
    def header(self) -> dict[str, Any]:
        """Name, registers and metadata of the circuit."""
        header: dict[str, Any] = self.raw["header"]
        return header

    @property
    def name(self) -> str:
        """Name given to the circuit."""
        return str(self.header["name"])

    @property
    def shots(self) -> int:
        """Number of shots that the job asked for."""
        return int(self.raw["shots"])

    @property
    def discarded_shots(self) -> int:
        """Number of shots that the device ran and left out of counts and memory."""
        return int(self.raw.get("discarded_shots") or 0)

    @property
    def kept_shots(self) -> int:
        """Number of shots in counts and memory."""
        return self.shots - self.discarded_shots

    @property
    def counts(self) -> dict[str, int]:
        """Number of shots by outcome; bit 0 is the rightmost character.

        Results of a job with ``memory_format="packed"`` may omit counts that are too large: they are counted here.
        """
        if self.raw.get("counts_omitted") and "counts" not in self.raw:
            return dict(self._counted)
        return {bits: int(count) for bits, count in (self.raw.get("counts") or {}).items()}

    @property
    def expectation_values(self) -> list[float] | None:
        """The exact mean of each observable of the circuit, of a job submitted with ``exact=True``."""
        values = self.raw.get("expectation_values")
        return None if values is None else [float(each) for each in values]

    @cached_property
    def _counted(self) -> Counter[str]:
        return Counter(self.memory or [])

    @property
    def metadata(self) -> dict[str, Any]:
        """Metadata given to the circuit."""
        metadata: dict[str, Any] = self.header.get("metadata") or {}
        return metadata

    @property
    def warnings(self) -> list[str]:
        """Why the outcomes may mean less than they seem, such as qubits that are not calibrated."""
        return [str(each) for each in (self.raw.get("metadata") or {}).get("warnings") or []]

    @cached_property
    def memory(self) -> list[str] | None:
        """The outcome of each shot in bits, of a job submitted with ``memory=True``."""
        memory, bits = self.raw.get("memory"), int(self.header["memory_slots"])
        if isinstance(memory, str):
            return _unpack(memory, self.kept_shots, bits)
        if not isinstance(memory, list) or not memory or not isinstance(memory[0], str):
            return None
        return [format(int(outcome, 16), f"0{bits}b") for outcome in memory]

    def packed_memory(self) -> bytes | None:
        """The outcomes as ⌈bits/8⌉ big-endian bytes a shot, the layout of Qiskit's ``BitArray``."""
        memory, bits = self.raw.get("memory"), int(self.header["memory_slots"])
        if isinstance(memory, str):
            return base64.b64decode(memory)
        if not isinstance(memory, list) or not memory or not isinstance(memory[0], str):
            return None
        width = math.ceil(bits / 8)
        return b"".join(int(outcome, 16).to_bytes(width, "big") for outcome in memory)

    @cached_property
    def iq(self) -> numpy.ndarray[Any, numpy.dtype[numpy.complex128]] | None:
        """Complex points of a job with ``meas_level=1``, of shape ``(shots, slots)``, or ``(slots,)`` if averaged."""
        memory = self.raw.get("memory")
        if not isinstance(memory, list) or not memory or not isinstance(memory[0], list):
            return None
        np = _module("numpy", "numpy")
        points = np.asarray(memory, dtype=np.float64)
        complex_points: numpy.ndarray[Any, numpy.dtype[numpy.complex128]] = points[..., 0] + 1j * points[..., 1]
        return complex_points

    def probabilities(self) -> dict[str, float]:
        """Relative frequencies of the outcomes; exact probabilities of a job submitted with ``exact=True``."""
        if "probabilities" in self.raw:
            return {bits: float(each) for bits, each in self.raw["probabilities"].items()}
        return {bits: count / self.kept_shots for bits, count in self.counts.items()}

    @property
    def _size(self) -> int:
        return int(self.header["memory_slots"])

    def _weights(self) -> Mapping[str, float]:
        """Counts, or the exact probabilities, by outcome."""
        if "probabilities" in self.raw:
            return self.probabilities()
        if self.raw.get("counts") is not None or self.raw.get("counts_omitted"):
            return self.counts
        has = "the means of observables (expectation_values)" if self.expectation_values is not None else "signals"
        raise ValueError(f"The result has {has} in place of outcomes")

    def marginal(self, bits: Sequence[int]) -> dict[str, float]:
        """Counts of some bits: their numbers from the left of the new keys to the right.

        Probabilities in place of counts of a job submitted with ``exact=True``.

        Raises:
            ValueError: the result has no outcomes, but signals or the exact means of observables, or not so many bits.
        """
        absent = next((bit for bit in bits if not 0 <= bit < self._size), None)
        if absent is not None:
            raise ValueError(f"The result has {self._size} bits; there is no bit {absent}")
        sums: dict[str, float] = {}
        for key, count in self._weights().items():
            part = "".join(key[-1 - bit] if bit < len(key) else "0" for bit in bits)
            sums[part] = sums.get(part, 0) + count
        return sums

    def register(self, name: str) -> dict[str, float]:
        """Counts of one classical register, or probabilities as of ``marginal()``.

        Raises:
            ValueError: the circuit has no such register, or the result no outcomes.
        """
        first = 0
        for register, size in self.header["creg_sizes"]:
            if register == name:
                return self.marginal(range(first + int(size) - 1, first - 1, -1))
            first += int(size)
        known = ", ".join(register for register, _ in self.header["creg_sizes"])
        raise ValueError(f'The circuit has no register "{name}"; it has {known or "none"}')

    def expectation(self, pauli_z: str) -> tuple[float, float]:
        """Mean and standard error of a product of Pauli Z, such as ``"ZIZ"``, whose rightmost character is bit 0.

        The mean of exact probabilities has the error 0.

        Raises:
            ValueError: it has other characters than Z and I or more of them than bits, the device discarded all shots,
                or the result has no outcomes.
        """
        if not pauli_z or set(pauli_z) - {"Z", "I"}:
            raise ValueError(f'"{pauli_z}" has other characters than Z and I')
        if len(pauli_z) > self._size:
            raise ValueError(f'"{pauli_z}" has more characters than the {self._size} bits')
        bits = [len(pauli_z) - 1 - at for at, letter in enumerate(pauli_z) if letter == "Z"]
        total = sum(-count if key.count("1") % 2 else count for key, count in self.marginal(bits).items())
        if "probabilities" in self.raw:
            return total, 0.0
        if self.kept_shots == 0:
            raise ValueError("The device discarded all shots")
        value = total / self.kept_shots
        return value, math.sqrt((1 - value**2) / self.kept_shots)

    def __repr__(self) -> str:
        top = sorted(self.counts.items(), key=lambda each: -each[1])
        shown = ", ".join(f"{bits}: {count}" for bits, count in top[:4])
        more = ", …" if len(top) > 4 else ""
        left_out = f" ({self.discarded_shots} discarded)" if self.discarded_shots else ""
        return f"<CircuitResult {self.name!r}: {self.shots} shots{left_out}{f', {shown}{more}' if shown else ''}>"

    def _repr_html_(self) -> str:
        top = sorted(self.counts.items(), key=lambda each: -each[1])[:32]
        rows = "".join(f"<tr><td><code>{escape(bits)}</code></td><td>{count}</td></tr>" for bits, count in top)
        left_out = f", {self.discarded_shots} discarded" if self.discarded_shots else ""
        return f"<table><caption>{escape(self.name)}: {self.shots} shots{left_out}</caption>{rows}</table>"


def _versions_of(job: Mapping[str, Any]) -> dict[str, str]:
    """Those that the attempt with the results reports."""
    attempts = [each["provenance"] for each in job.get("attempts") or () if each.get("provenance")]
    known = attempts[-1] if attempts else {}
    parts = ((name, known.get(name)) for name in ("driver", "device", "compiler"))
    return {name: str(part["version"]) for name, part in parts if part and part.get("version")}


class Result(Sequence[CircuitResult]):
    """The results of a job: one for each circuit and set of parameters, in order."""

    def __init__(self, job_id: str, raw: dict[str, Any], job: Mapping[str, Any] | None = None) -> None:
        self.job_id = job_id
        self.raw = raw
        self._job = job or {}
        self._circuits = [CircuitResult(each) for each in raw["circuit_results"]]

    @property
    def backend(self) -> str:
        """Name of the device."""
        return str(self.raw["backend"])

    @property
    def metadata(self) -> dict[str, Any]:
        """Device, times, seed and versions, as the device reports them."""
        metadata: dict[str, Any] = self.raw["metadata"]
        return metadata

    @property
    def provenance(self) -> Provenance:
        """Where the results come from."""
        known = self.metadata
        return Provenance(
            device=known.get("device"),
            driver=known.get("driver") or self._job.get("driver") or None,
            attempt=int(self._job["attempt"]) if "attempt" in self._job else None,
            started=time_of(known.get("started")),
            finished=time_of(known.get("finished")),
            seconds=known.get("seconds"),
            seed=known.get("seed"),
            calibration=known.get("calibration"),
            versions=_versions_of(self._job),
            program_sha256=self._job.get("program_sha256"),
            raw=known,
        )

    def counts(self, i: int = 0) -> dict[str, int]:
        """Counts of one circuit, by its position. Raises ``IndexError`` beyond the last one."""
        try:
            return self._circuits[i].counts
        except IndexError:
            raise IndexError(f"The job has {len(self)} results; there is no number {i}") from None

    def to_dataframe(self) -> pandas.DataFrame:
        """One row for each circuit and outcome: circuit, name, outcome, count, probability. Needs pandas."""
        rows = [
            (at, circuit.name, bits, count, count / circuit.kept_shots)
            for at, circuit in enumerate(self._circuits)
            for bits, count in circuit.counts.items()
        ]
        columns = ["circuit", "name", "outcome", "count", "probability"]
        frame: pandas.DataFrame = _module("pandas", "'svc-client[pandas]'").DataFrame(rows, columns=columns)
        return frame

    @overload
    def __getitem__(self, index: int) -> CircuitResult: ...
    @overload
    def __getitem__(self, index: slice) -> list[CircuitResult]: ...
    def __getitem__(self, index: int | slice) -> CircuitResult | list[CircuitResult]:
        return self._circuits[index]

    def __len__(self) -> int:
        return len(self._circuits)

    def __iter__(self) -> Iterator[CircuitResult]:
        return iter(self._circuits)

    def __repr__(self) -> str:
        return f"<Result of job {self.job_id}: {len(self)} circuits on {self.backend}>"

    def _repr_html_(self) -> str:
        head = f"<p>Job {escape(self.job_id)} on {escape(self.backend)}: {len(self)} results</p>"
        return head + "".join(circuit._repr_html_() for circuit in self._circuits[:10])


def _unpack(text: str, shots: int, bits: int) -> list[str]:
    data, width = base64.b64decode(text), math.ceil(bits / 8)
    rows = (data[shot * width : (shot + 1) * width] for shot in range(shots))
    return [format(int.from_bytes(row, "big"), f"0{bits}b") if bits else "" for row in rows]


def _module(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} is not installed; run: pip install {extra}") from error


@dataclass(frozen=True)
class PartialResults:
    """The results of circuits that have ended of a job that has not completed.

    Attributes:
        attempt: the attempt that they belong to.
        progress: part of the job that this attempt has done, from 0 to 1.
        complete: whether the job has completed: ``result()`` returns all results, and there are none here.
        circuits: by their positions in the results of the whole job, in the order in which they ended.
    """

    attempt: int
    progress: float
    complete: bool
    circuits: Mapping[int, CircuitResult]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> PartialResults:
        """Those of a response."""
        circuits = {int(each["index"]): CircuitResult(each["result"]) for each in raw["results"]}
        return cls(int(raw["attempt"]), float(raw["progress"]), bool(raw["complete"]), circuits)
