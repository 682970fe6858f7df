"""Whether results contradict their job, for devices that run without the driver, which checks the same.

`src/protocol/result-figures.ts` is the check of driver and server; a test compares the words of both.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Expected = Mapping[str, Any]
"""``meas_level``, ``meas_return`` and ``memory`` (none, hex, packed) of a job, and ``results``: the shots and the number
of result bits of each result, None for a number that is not known."""


def expected_results(payload: Mapping[str, Any], bits: Sequence[int | None]) -> Expected:
    """What the results of a job must be; ``bits`` has the number of result bits of each circuit."""
    memory = payload.get("memory_format", "hex") if payload["memory"] else "none"
    results = [
        (entry.get("shots") or payload["shots"], width)
        for entry, width in zip(payload["circuits"], bits)
        for _ in range(max(1, len(entry.get("parameter_values") or [])))
    ]
    kept = {key: payload[key] for key in ("meas_level", "meas_return")}
    return {**kept, "memory": memory, "results": results}


def contradiction(results: Mapping[str, Any], expected: Expected) -> str | None:
    """The field that contradicts the job, with the figure found and the one expected. None for complete results."""
    if results.get("success") is not True:
        return "success is false"
    circuits, wanted = results["circuit_results"], expected["results"]
    if len(circuits) != len(wanted):
        return f"circuit_results has {_of(len(circuits), 'result')}, the job {len(wanted)} (circuits × parameter sets)"
    for index, (found, (shots, bits)) in enumerate(zip(circuits, wanted)):
        width = found["header"]["memory_slots"] if bits is None else bits
        problem = _problem(found, shots, width, expected)
        if problem is not None:
            return f"circuit_results.{index}.{problem}"
    first = circuits[0] if circuits else results
    repeats = results["shots"] == first["shots"] and results.get("counts") in (None, first.get("counts"))
    return None if repeats else "shots and counts do not repeat those of circuit_results.0"


def _problem(found: Mapping[str, Any], shots: int, bits: int, expected: Expected) -> str | None:
    if found["shots"] != shots:
        return f"shots is {found['shots']}, the job asks for {shots}"
    discarded = found.get("discarded_shots", 0)
    if not _is_whole(discarded) or not 0 <= discarded <= shots:
        return f"discarded_shots is {discarded}, expected a whole number from 0 to {shots}"
    counts = found.get("counts")
    if bits == 0:
        # A program without result bits has nothing to count or to keep.
        return _counts_problem(counts, shots, discarded, bits) if any((counts or {}).values()) else None
    is_countless = counts is None and found.get("counts_omitted") is True and expected["memory"] == "packed"
    if expected["meas_level"] == 2 and not is_countless:
        problem = _counts_problem(counts, shots, discarded, bits)
        if problem is not None:
            return problem
    return _memory_problem(found, shots - discarded, bits, expected)


def _counts_problem(counts: Any, shots: int, discarded: int, bits: int) -> str | None:
    if counts is None:
        return f"counts are missing for {_of(shots, 'shot')}"
    for outcome, number in counts.items():
        if not _is_whole(number) or number < 0 or re.fullmatch("[01]*", outcome) is None:
            return f"counts has {json.dumps(outcome[:100])}: {number}, which is not a bit string with a number of shots"
    widths = sorted({len(outcome) for outcome in counts})
    wrong = [width for width in widths if width != bits]
    if wrong:
        return f"counts has an outcome of {_of(wrong[0], 'bit')}, the program has {bits}"
    total = sum(counts.values())
    if total == shots - discarded:
        return None
    return f"counts add up to {total} of {_of(shots, 'shot')}{f', {discarded} of them discarded' if discarded else ''}"


def _memory_problem(found: Mapping[str, Any], entries: int, bits: int, expected: Expected) -> str | None:
    level, kept, memory = expected["meas_level"], expected["memory"], found.get("memory")
    if level == 2 and kept == "none":
        return None
    if memory is None:
        return "memory is missing, which the job asks for"
    if level == 2 and kept == "packed":
        return _packed_problem(found, entries, bits)
    if not isinstance(memory, (list, tuple)):
        return "memory is not a list"
    is_mean = level == 0 or (level == 1 and expected["meas_return"] == "avg")
    if not is_mean and len(memory) != entries:
        return f"memory has {_of(len(memory), 'entry', 'entries')} for {_of(entries, 'shot')}"
    if level != 2:
        return None
    if any(not isinstance(each, str) or re.fullmatch("0x[0-9a-fA-F]+", each) is None for each in memory):
        return "memory has an entry that is not a text 0x…"
    return _outcomes_problem(found, Counter(int(each, 16) for each in memory), bits)


def _packed_problem(found: Mapping[str, Any], entries: int, bits: int) -> str | None:
    memory, width = found["memory"], -(-bits // 8)
    try:
        data = base64.b64decode(memory, validate=True) if isinstance(memory, str) else None
    except binascii.Error:
        data = None
    if data is None:
        return "memory is not packed, which the job asks for"
    if len(data) != entries * width:
        return f"memory has {_of(len(data), 'byte')}, expected {entries * width}"
    rows = Counter(data[at : at + width] for at in range(0, len(data), width))
    return _outcomes_problem(found, {int.from_bytes(row, "big"): shots for row, shots in rows.items()}, bits)


def _outcomes_problem(found: Mapping[str, Any], shots: Mapping[int, int], bits: int) -> str | None:
    slots = found["header"]["memory_slots"]
    if slots != bits:
        return f"header.memory_slots is {slots}, the program has {_of(bits, 'bit')}"
    most = max(shots, default=0).bit_length()
    if most > bits:
        return f"memory has an outcome of {_of(most, 'bit')}, the program has {bits}"
    if found.get("counts") is None:
        return None
    counts = {int(outcome, 2): number for outcome, number in found["counts"].items()}
    wrong = [outcome for outcome in {*shots, *counts} if shots.get(outcome, 0) != counts.get(outcome, 0)]
    if not wrong:
        return None
    first = min(wrong)
    name = format(first, f"0{bits}b")[:100]
    return f'memory has {shots.get(first, 0)} of outcome "{name}", counts {counts.get(first, 0)}'


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _of(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
