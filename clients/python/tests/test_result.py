import base64
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
    with pytest.raises(ValueError, match='"ZZZ" has more characters than the 1 bits'):
        circuit.expectation("ZZZ")
    with pytest.raises(ValueError, match="discarded all shots"):
        circuit_of(counts={}, discarded_shots=100).expectation("Z")


def test_exact_values_are_read_in_place_of_counts() -> None:
    circuit = circuit_of(shots=0, probabilities={"0": 0.25, "1": 0.75})
    assert (circuit.probabilities(), circuit.counts, circuit.expectation_values) == ({"0": 0.25, "1": 0.75}, {}, None)
    observed = circuit_of(shots=0, expectation_values=[0.5, -1])
    assert observed.expectation_values == [0.5, -1.0]
    with pytest.raises(ValueError, match="means of observables .* in place of outcomes"):
        observed.expectation("Z")
    with pytest.raises(ValueError, match="signals in place of outcomes"):
        circuit_of(memory=[[[0.1, 0.2]]]).marginal([0])
    assert (circuit.register("c"), circuit.expectation("Z")) == ({"0": 0.25, "1": 0.75}, (-0.5, 0.0))


def test_counts_that_results_omit_are_counted_in_the_packed_memory() -> None:
    header = {"name": "c", "memory_slots": 9, "creg_sizes": [["c", 9]], "metadata": {}}
    memory = base64.b64encode(bytes([1, 1, 0, 2, 1, 1])).decode()
    kept = {"shots": 4, "discarded_shots": 1, "memory": memory, "counts_omitted": True}
    circuit = CircuitResult({**kept, "header": header, "metadata": {}})
    assert circuit.counts == {"100000001": 2, "000000010": 1}
    assert circuit.probabilities() == {"100000001": 2 / 3, "000000010": 1 / 3}
    assert circuit.register("c") == circuit.counts
