"""Chips that the simulator ``aer_sim`` takes its noise and its description from."""

from __future__ import annotations

ELEMENTS = "svc.elements"


def device_file(qubits: int, t1: float | None = None) -> str:
    """A calibrated chip with its qubits in a row. Without ``t1``, that of the first in s, it has no noise."""
    texts = []
    for at in range(qubits):
        texts += [f"q{at}:", f"  element_type: {{path: {ELEMENTS}.CalibratedTransmon, args: [q{at}], kwargs: {{}}}}"]
        texts += ["  rxy: {amp180: 0.5, motzoi: 0.0, duration: 5.6e-8}"]
        if t1 is not None:
            texts += [f"  coherence: {{t1: {t1 if at == 0 else 8e-5}, t2_echo: 1.0e-5}}"]
            texts += ["  measure_2state: {assignment: [[0.99, 0.01], [0.02, 0.98]]}"]
    for at in range(qubits - 1):
        ends = f"{{parent_element_name: q{at}, child_element_name: q{at + 1}}}"
        texts += [f"q{at}_q{at + 1}:", f"  element_type: {{path: {ELEMENTS}.FluxTunableCoupler, kwargs: {ends}}}"]
        texts += ["  cz: {square_amp: 0.4, square_duration: 4.0e-8}"]
    return "\n".join(texts)
