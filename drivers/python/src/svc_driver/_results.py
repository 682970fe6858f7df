"""Results that clients of every library can read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._errors import JobError
from ._frames import unsendable_path
from ._job import Execution

INVALID_RESULTS = "invalid_results"
"""Code of a job whose device returned what cannot be its results. The job ends immediately and is not charged."""


def counts_result(
    execution: Execution,
    counts: Mapping[Any, Any],
    *,
    memory: Sequence[str] | str | None = None,
    discarded_shots: int = 0,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The result of one execution by its counts, which add up to its shots without those that the device discarded.

    ``counts`` maps outcomes to numbers of shots. An outcome is a text with classical bit 0 rightmost (spaces between
    registers, as Qiskit writes them, are left out) or a whole number. Outcomes with 0 shots are left out, and all of them
    for a program without result bits. ``memory`` has one outcome per shot, as ``0x…``, or is a text with all of them
    packed.
    """
    width = execution.clbits
    readable: dict[str, int | float] = {}
    for outcome, number in counts.items():
        # A program without result bits has no outcomes.
        if number == 0 or width == 0:
            continue
        key = _bits(outcome, width)
        # Numbers of NumPy become those of Python; a fraction stays one, which the driver refuses.
        readable[key] = readable.get(key, 0) + (int(number) if int(number) == number else float(number))
    if width is None:
        width = max((len(key) for key in readable), default=0)
    result = _result(execution, width, metadata)
    result["counts"] = readable
    if memory is not None:
        result["memory"] = memory if isinstance(memory, str) else list(memory)
    if discarded_shots:
        result["discarded_shots"] = int(discarded_shots)
    return result


def points_result(
    execution: Execution, points: Any, *, metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The result of one execution at ``meas_level`` 1.

    ``points`` are complex numbers, of the shape (shots, bits), or (bits,) for their mean (``meas_return`` ``avg``): an
    array of NumPy or nested sequences.
    """
    rows = points.tolist() if hasattr(points, "tolist") else points
    memory = _pairs(rows)
    first = memory[0] if memory else []
    width = len(memory) if first and not isinstance(first[0], list) else len(first)
    result = _result(execution, execution.clbits if execution.clbits is not None else width, metadata)
    result["memory"] = memory
    return result


def _pairs(rows: Any) -> list[Any]:
    return [_pairs(each) if isinstance(each, Sequence) else [complex(each).real, complex(each).imag] for each in rows]


def _bits(outcome: Any, width: int | None) -> str:
    if isinstance(outcome, str):
        return outcome.replace(" ", "")
    return format(int(outcome), f"0{width or 1}b")


def _result(execution: Execution, width: int, metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        "shots": execution.shots,
        "header": {
            "name": f"circuit_{execution.circuit_index}",
            "n_qubits": execution.qubits or 0,
            "memory_slots": width,
            "creg_sizes": [list(each) for each in execution.cregs],
            "qreg_sizes": [list(each) for each in execution.qregs],
            "metadata": {},
        },
        "metadata": {"parameter_set": execution.parameter_set, **(metadata or {})},
    }


def job_results(
    backend: str, circuits: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The results of a completed job, made of the results of its executions."""
    results = [dict(each) for each in circuits]
    if not results:
        raise JobError("The device returned no results", code=INVALID_RESULTS)
    first = results[0]
    top = {"counts": first["counts"]} if "counts" in first else {}
    return {
        "success": True,
        "backend": backend,
        "shots": first["shots"],
        **top,
        "circuit_results": results,
        "metadata": dict(metadata or {}),
    }


def complete(returned: Any, *, backend: str, executions: int, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What ``run`` returned or yielded, as results of a job. Raises `JobError` if it is neither."""
    if isinstance(returned, Mapping) and "circuit_results" in returned:
        return dict(returned)
    if isinstance(returned, (str, bytes, Mapping)) or not isinstance(returned, Iterable):
        raise _invalid(f"run() returned {type(returned).__name__}; expected a list of results")
    results = list(returned)
    if any(not isinstance(each, Mapping) for each in results):
        raise _invalid("run() returned something that is not a result; make results with counts_result()")
    if len(results) != executions:
        raise _invalid(f"run() returned {len(results)} results for {executions} executions")
    return job_results(backend, results, metadata)


def _invalid(reason: str) -> JobError:
    message = f"The device returned no valid results: {reason}"
    return JobError(message, code=INVALID_RESULTS)


def not_finite(results: Any) -> JobError | None:
    """The error of results that contain a value which JSON cannot represent."""
    path = unsendable_path(results)
    if path is None:
        return None
    message = f"The device returned a value that is not a finite number at {path}"
    return JobError(message, code=INVALID_RESULTS)
