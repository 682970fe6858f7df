"""Registers and inputs of an OpenQASM program, for devices that run without the driver, which has a parser."""

from __future__ import annotations

import re
from typing import Any

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_VERSION_2 = re.compile(r"\s*OPENQASM\s+2", re.IGNORECASE)
_REGISTER_3 = re.compile(r"\b(qubit|bit)\s*(?:\[\s*(\d+)\s*\])?\s+([A-Za-z_]\w*)\s*(?=[;=])")
_REGISTER_2 = re.compile(r"\b(qreg|creg)\s+([A-Za-z_]\w*)\s*\[\s*(\d+)\s*\]")
_INPUT = re.compile(r"\binput\s+([a-z]+)(?:\s*\[[^\]]*\])?\s+([A-Za-z_]\w*)(?=\s*;)")
_FORMS = {"int": "int", "uint": "int", "bit": "int", "bool": "bool", "duration": "duration"}


def read_program(text: str) -> dict[str, Any]:
    """What the driver tells a device of a program.

    Declarations at the top level are found, the sizes of registers as numbers; gates are not checked.
    """
    # Comments become blanks of the same length, so that offsets stay those of the text.
    bare = _COMMENT.sub(lambda found: re.sub(r"\S", " ", found.group()), text)
    version_2 = _VERSION_2.match(bare) is not None
    registers = [
        (found[1], found[2], int(found[3])) if version_2 else (found[1], found[3], int(found[2] or 1))
        for found in (_REGISTER_2 if version_2 else _REGISTER_3).finditer(bare)
        if version_2 or not re.search(r"\binput\s*$", bare[: found.start()])
    ]
    qregs = [(name, size) for kind, name, size in registers if kind in ("qubit", "qreg")]
    cregs = [(name, size) for kind, name, size in registers if kind in ("bit", "creg")]
    inputs = [
        {"start": found.start(), "end": found.end(), "form": _FORMS.get(found[1], "float")}
        for found in ([] if version_2 else _INPUT.finditer(bare))
    ]
    return {
        "qubits": sum(size for _, size in qregs),
        "clbits": sum(size for _, size in cregs),
        "qregs": qregs,
        "cregs": cregs,
        "inputs": inputs,
    }
