"""Counts without the errors of the readout, as far as the QPU knows them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._result import CircuitResult

_MAX_OUTCOMES = 4096


def mitigated(result: CircuitResult) -> dict[str, float] | None:
    """Shares of the outcomes before the readout, by the assignment matrices that belong to the result.

    The matrix of each bit, or of the bits of a readout line together, is inverted on the outcomes that were seen (P. D. Nation et al., PRX Quantum 2, 040326
    (2021)). Shares can be negative: they are quasi-probabilities, whose sum is 1.

    Returns:
        The share of each outcome; None if the result has no assignment matrices.

    Raises:
        ValueError: there are more than 4,096 different outcomes, or a bit whose readout tells nothing.
    """
    metadata = result.raw.get("metadata") or {}
    matrices: Sequence[Sequence[Sequence[float]] | None] | None = metadata.get("readout_assignment")
    counts = result.counts
    if matrices is None or not counts:
        return None
    if len(counts) > _MAX_OUTCOMES:
        raise ValueError(f"Mitigation takes at most {_MAX_OUTCOMES} different outcomes; this circuit has {len(counts)}")
    outcomes = sorted(counts)
    bits = np.array([[int(bit) for bit in reversed(outcome)] for outcome in outcomes])
    assignment = np.ones((len(outcomes), len(outcomes)))
    lines = metadata.get("readout_lines") or []
    for line in lines:
        # Errors of qubits that share a line are not independent: the lowest bit of a state is that of the first.
        state = bits[:, line["bits"]] @ (1 << np.arange(len(line["bits"])))
        assignment *= np.asarray(line["assignment"], dtype=float)[state[None, :], state[:, None]]
    together = {place for line in lines for place in line["bits"]}
    for place, matrix in enumerate(matrices):
        if place in together:
            continue
        own = bits[:, place]
        # Rows are the outcomes that are read, columns those that were there. Nothing is read into a bit without one.
        assignment *= np.asarray(np.eye(2) if matrix is None else matrix, dtype=float)[own[None, :], own[:, None]]
    assignment /= assignment.sum(axis=0, keepdims=True)
    shares = np.array([counts[outcome] for outcome in outcomes], dtype=float)
    try:
        found = np.linalg.solve(assignment, shares / shares.sum())
    except np.linalg.LinAlgError:
        raise ValueError("Mitigation needs a readout that tells 0 from 1; that of a bit of this circuit does not") from None
    return {outcome: float(share) for outcome, share in zip(outcomes, found)}
