"""Programs with modified gates and their probabilities as Qiskit's importer of OpenQASM 3 reads them, one a line.

The output is `tests/qasm/gates/importer.jsonl`; `importer.test.ts` compares the two.
"""

import json
import random

from qiskit import qasm3
from qiskit.quantum_info import Statevector

QUBITS = 3
HEAD = f"""OPENQASM 3.0;
include "stdgates.inc";
gate bare_cx c, t {{ ctrl @ U(pi, 0, pi) c, t; }}
gate letter_x a {{ U(pi, 0, pi) a; gphase(-pi/2); }}
gate chain(a, b) c, d {{ U(a, b, -b) c; bare_cx c, d; inv @ U(b, a/2, 0.2) d; }}
qubit[{QUBITS}] q;
"""
# Powers are decimal: Qiskit divides integers without a remainder.
POWERS = ["2", "-1", "3", "0.5", "-0.5", "0.25", "1.75", "-2.3"]


def angle(draw: random.Random) -> str:
    return draw.choice(["0", "pi", "pi/2", "-pi/2", "2*pi", "0.7", "-1.3", "2.9", "5.1"])


def gate(draw: random.Random) -> tuple[str, int]:
    a, b, c = angle(draw), angle(draw), angle(draw)
    return draw.choice(
        [
            *[(f"U({a}, {b}, {c})", 1)] * 5,
            (f"u3({a}, {b}, {c})", 1),
            (f"u2({a}, {b})", 1),
            ("letter_x", 1),
            ("CX", 2),
            ("bare_cx", 2),
            (f"chain({a}, {b})", 2),
        ]
    )


def call(draw: random.Random) -> str:
    name, width = gate(draw)
    modifiers: list[str] = []
    for _ in range(draw.randint(0, 3)):
        kind = draw.choice(["ctrl", "negctrl", "inv", "pow"])
        if kind in ("ctrl", "negctrl"):
            count = draw.randint(1, QUBITS)
            if width + count > QUBITS:
                continue
            width += count
            kind = kind if count == 1 else f"{kind}({count})"
        elif kind == "pow":
            kind = f"pow({draw.choice(POWERS)})"
        modifiers.insert(0, f"{kind} @ ")
    qubits = draw.sample(range(QUBITS), width)
    return f"{''.join(modifiers)}{name} {', '.join(f'q[{qubit}]' for qubit in qubits)};"


def program(seed: int) -> str:
    draw = random.Random(seed)
    mix = [f"h q[{qubit}]; rz(0.3) q[{qubit}]; ry(0.4) q[{qubit}];" for qubit in range(QUBITS)]
    calls = [call(draw) for _ in range(draw.randint(1, 4))]
    return HEAD + "\n".join([*mix, *calls, *mix]) + "\n"


def probabilities(text: str) -> list[float]:
    return [round(float(p), 12) for p in Statevector(qasm3.loads(text)).probabilities()]


for seed in range(120):
    text = program(seed)
    print(json.dumps({"program": text, "probabilities": probabilities(text)}))
