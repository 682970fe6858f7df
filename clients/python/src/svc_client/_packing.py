"""Many circuits as few jobs within the limits of the server."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ._submission import MAX_EXECUTIONS, Circuit

if TYPE_CHECKING:
    from ._result import CircuitResult
    from ._sync.client import SvcClient

# Of the limits of a job, with space for what surrounds programs and results.
_MAX_PROGRAM_BYTES = 9 * 1024 * 1024
_MAX_RESULT_BYTES = 6 * 1024 * 1024
_BYTES_PER_VALUE = 25


@dataclass(frozen=True)
class Part:
    """A circuit with its parameter sets, and the size of the results of one set."""

    circuit: Circuit
    result_bytes: int

    @property
    def sets(self) -> Sequence[Sequence[float]] | None:
        """The parameter sets; None = it has no parameters and runs once."""
        return cast("Sequence[Sequence[float]] | None", self.circuit.parameter_values)

    @property
    def executions(self) -> int:
        """How often its circuit runs."""
        return 1 if self.sets is None else len(self.sets)

    def slice(self, start: int, stop: int) -> Part:
        """The part with some of its parameter sets."""
        if self.sets is None:
            return self
        return Part(dataclasses.replace(self.circuit, parameter_values=self.sets[start:stop]), self.result_bytes)


def counted_bytes(shots: int, bits: int, *, memory: bool) -> int:
    """The most that the results of one execution take in a response: counts, and the packed bits of each shot."""
    outcomes: int = min(shots, 2 ** min(bits, 30))
    return 1_000 + outcomes * (bits + 12) + (4 * math.ceil(bits / 8) * shots // 3 if memory else 0)


def jobs_of(parts: Sequence[Part], max_executions: int) -> list[list[Circuit]]:
    """The circuits of each job: as few jobs as the limits of the server allow, in the order of the parts."""
    jobs: list[list[Circuit]] = [[]]
    executions = programs = results = 0
    for part in parts:
        start = 0
        per_set = _BYTES_PER_VALUE * len(part.sets[0]) if part.sets else 0
        while start < part.executions:
            text = len(part.circuit.text.encode())
            fits = min(
                part.executions - start,
                max_executions - executions,
                (_MAX_RESULT_BYTES - results) // part.result_bytes,
                (_MAX_PROGRAM_BYTES - programs - text) // max(1, per_set),
            )
            if fits < 1 and jobs[-1]:
                jobs.append([])
                executions = programs = results = 0
                continue
            # One execution that is too large on its own is refused by the server, in its own words.
            fits = max(1, fits)
            jobs[-1].append(part.slice(start, start + fits).circuit)
            start += fits
            executions += fits
            programs += text + fits * per_set
            results += fits * part.result_bytes
    return jobs if jobs[0] else []


def run_parts(client: SvcClient, parts: Sequence[Part], *, seed: int | None, **options: Any) -> list[CircuitResult]:
    """Submits parts as few jobs and waits for the results of their executions, in order.

    Args:
        seed: of the first job: jobs with the same seed would have the same random numbers.
        options: of ``SvcClient.submit_job``.
    """
    jobs = [
        client.submit_job(circuits, seed=None if seed is None else seed + at, **options)
        for at, circuits in enumerate(jobs_of(parts, MAX_EXECUTIONS))
    ]
    return [result for job in client.wait(jobs) for result in job.result()]
