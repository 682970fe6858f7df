"""Mitigation of the errors of readout, without a server."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from svc_client import CircuitResult
from svc_client.qiskit import SamplerOptions
from svc_client.qiskit.mitigation import mitigated
from svc_client.qiskit.sampler import sampled

FIRST, SECOND = [[0.98, 0.02], [0.06, 0.94]], [[0.97, 0.03], [0.1, 0.9]]
SHOTS = 20_000


def read(shares: dict[str, float], matrices: list[Any] | None, shots: int = SHOTS) -> CircuitResult:
    """The result of a circuit whose outcomes have these shares before the readout; bit 0 is the last one."""
    found = {format(outcome, "02b"): 0.0 for outcome in range(4)}
    for was, share in shares.items():
        for outcome in found:
            found[outcome] += share * FIRST[int(was[1])][int(outcome[1])] * SECOND[int(was[0])][int(outcome[0])]
    counts = {outcome: round(share * shots) for outcome, share in found.items() if round(share * shots) > 0}
    memory = [hex(int(outcome, 2)) for outcome, count in counts.items() for _ in range(count)]
    raw = {
        "header": {"name": "c", "memory_slots": 2, "metadata": None},
        "shots": len(memory),
        "counts": counts,
        "memory": memory,
        "metadata": {} if matrices is None else {"readout_assignment": matrices},
    }
    return CircuitResult(raw)


@pytest.mark.parametrize("shares", [{"00": 1.0}, {"00": 0.5, "11": 0.5}, {"01": 0.25, "10": 0.75}])
def test_shares_before_the_readout_are_found(shares: dict[str, float]) -> None:
    found = mitigated(read(shares, [FIRST, SECOND]))
    assert found is not None and sum(found.values()) == pytest.approx(1)
    for outcome, share in found.items():
        assert share == pytest.approx(shares.get(outcome, 0), abs=2e-3)


def test_errors_that_go_together_are_taken_off_with_the_matrix_of_the_line() -> None:
    # Both bits of 11 flip together: no product of two matrices says so.
    line = [[0.96, 0.0, 0.0, 0.04], [0.0, 0.98, 0.02, 0.0], [0.0, 0.02, 0.98, 0.0], [0.1, 0.0, 0.0, 0.9]]
    result = read({"00": 1.0}, [FIRST, SECOND])
    result.raw["counts"] = {"00": 5_300, "11": 4_700}
    result.raw["metadata"]["readout_lines"] = [{"bits": [0, 1], "assignment": line}]
    found = mitigated(CircuitResult(result.raw))
    assert found is not None and found["00"] == pytest.approx(0.5, abs=1e-3)
    assert found["11"] == pytest.approx(0.5, abs=1e-3)


def test_a_bit_without_a_matrix_stays_and_a_result_without_matrices_has_no_shares() -> None:
    result = read({"00": 1.0}, [FIRST, None])
    found = mitigated(result)
    assert found is not None and found["10"] + found.get("11", 0) == pytest.approx(0.03, abs=2e-3)
    assert mitigated(read({"00": 1.0}, None)) is None


PLAN = {
    "kind": "sampler",
    "meas_type": "classified",
    "pubs": [{"shape": [], "shots": SHOTS, "bits": 2, "registers": [["c", [0, 1]]], "metadata": {}}],
}


def test_the_sampler_keeps_the_counts_and_says_what_is_negative() -> None:
    result = read({"00": 1.0}, [[[0.9, 0.1], [0.06, 0.94]], SECOND])
    [raw], [pub] = (sampled({**PLAN, **more}, [result]) for more in ({}, {"mitigation": "readout"}))
    assert np.array_equal(raw.data.c.array, pub.data.c.array)
    assert "mitigation" not in raw.metadata
    mitigation = pub.metadata["mitigation"]
    assert mitigation["method"] == "readout" and len(mitigation["shares"]) == 1
    [negative] = mitigation["negative"]
    assert negative == pytest.approx(-sum(share for share in mitigation["shares"][0].values() if share < 0)) and negative > 0.05


def test_a_qpu_without_matrices_is_said() -> None:
    with pytest.warns(UserWarning, match="no assignment matrix of its readout"):
        [pub] = sampled({**PLAN, "mitigation": "readout"}, [read({"00": 1.0}, None)])
    assert pub.metadata["mitigation"]["shares"] == [None]


def test_the_option_is_off_by_default() -> None:
    assert SamplerOptions().mitigation == "none"
    with pytest.raises(ValueError, match="expected none or readout"):
        SamplerOptions(mitigation="zne")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="classified"):
        SamplerOptions.of({"mitigation": "readout", "meas_type": "kerneled"})._submitted()
