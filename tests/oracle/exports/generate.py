"""Prints the corpus of exported programs, or what the tools named as arguments write, one JSON object a line."""

import contextlib
import importlib
import json
import os
import re
import sys
import warnings
from dataclasses import asdict

from common import Entry

TOOLS = ("qiskit", "pytket", "pennylane", "cirq", "qibo", "bqskit", "braket", "pyzx", "pygsti")

# Why a file cannot run, by tool, name and, where only some of them cannot, options.
REFUSED = {
    ("Qiskit", "pauli"): "pauli(XYZ): the parameter is no number",
    ("Qiskit", "diagonal", "qasm2"): "0.84j: the parameter is a complex number in the spelling of Python",
    ("Qiskit", "initialize", "qasm2"): "0.8j: the parameter is a complex number in the spelling of Python",
    ("bqskit", "diagonal"): "diag: only bqskit knows how many qubits and parameters it has, and what they mean",
    ("bqskit", "mprz"): "mprz: only bqskit knows how many qubits and parameters it has, and what they mean",
    ("bqskit", "mpry"): "mpry: only bqskit knows how many qubits and parameters it has, and what they mean",
    ("pytket", "mix 1", "qelib1, include_gate_defs"): "a fragment without version and registers",
}


def stable(program: str) -> str:
    """The program without addresses of memory, which Qiskit appends to names."""
    numbers: dict[str, str] = {}
    return re.sub(r"_(\d{11,})\b", lambda m: numbers.setdefault(m[0], f"_{10**11 + len(numbers)}"), program)


def line(entry: Entry) -> str:
    entry.program = stable(entry.program)
    reason = REFUSED.get((entry.tool, entry.name)) or REFUSED.get((entry.tool, entry.name, entry.options))
    refused = {"refused": reason} if reason else {}
    return json.dumps({**asdict(entry), **refused}, separators=(",", ":"), ensure_ascii=False)


def main() -> None:
    warnings.simplefilter("ignore")
    for tool in sys.argv[1:] or TOOLS:
        # Some tools print while they are imported.
        with contextlib.redirect_stdout(sys.stderr):
            entries = list(importlib.import_module(f"from_{tool}").programs())
        for entry in entries:
            print(line(entry))


if __name__ == "__main__":
    # bqskit writes definitions in the order of a set.
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()
