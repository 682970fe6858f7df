import math

import pytest

from svc_client import CircuitResult


def circuit_of(**more: object) -> CircuitResult:
    header = {"name": "c", "memory_slots": 1, "creg_sizes": [["c", 1]], "metadata": {}}
    return CircuitResult({"shots": 100, "header": header, "metadata": {}, **more})


def test_discarded_shots_are_in_no_probability_expectation_value_or_memory() -> None:
    circuit = circuit_of(counts={"0": 60, "1": 20}, discarded_shots=20)
    assert (circuit.shots, circuit.discarded_shots, circuit.kept_shots) == (100, 20, 80)
    assert circuit.probabilities() == {"0": 0.75, "1": 0.25}
    assert circuit.expectation("Z") == (0.5, math.sqrt(0.75 / 80))
    assert repr(circuit) == "<CircuitResult 'c': 100 shots (20 discarded), 0: 60, 1: 20>"
    with pytest.raises(ValueError, match="discarded all shots"):
        circuit_of(counts={}, discarded_shots=100).expectation("Z")
