"""Registers and inputs of an OpenQASM program, for devices that run without the driver, which has a parser."""

from __future__ import annotations

import re
from typing import Any

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_VERSION_2 = re.compile(r"\s*OPENQASM\s+2", re.IGNORECASE)
_REGISTER_3 = re.compile(
    r"(?:\b(?P<form>input|output|const)\s+)?\b(?P<kind>qubit|bit)\s*(?:\[(?P<size>[^\]]*)\])?\s+(?P<name>[A-Za-z_]\w*)\s*(?=[;=])"
)
_REGISTER_2 = re.compile(r"(?P<form>)\b(?P<kind>qreg|creg)\s+(?P<name>[A-Za-z_]\w*)\s*\[(?P<size>[^\]]*)\]")
_NO_RESULT = ("input", "const")
# A gate, its parameters if it has some, and its operands.
_CALL = re.compile(
    r"\s*(?P<modifiers>(?:(?:ctrl|negctrl|inv|pow)\s*(?:\([^@]*\))?\s*@\s*)*)(?P<name>[A-Za-z_]\w*)\s*"
    r"(?:\(.*\)\s*|\s)(?:[A-Za-z_]\w*|\$\d+)[^=]*$",
    re.DOTALL,
)
_KEYWORDS = frozenset(
    "OPENQASM include qubit bit qreg creg input output const let gate def opaque extern measure reset barrier delay nop box if else "
    "for while switch case default return break continue end int uint float angle bool duration complex array pragma defcal cal".split()
)
_INPUT = re.compile(r"\binput\s+([a-z]+)(?:\s*\[[^\]]*\])?\s+([A-Za-z_]\w*)(?=\s*;)")
_FORMS = {"int": "int", "uint": "int", "bit": "int", "bool": "bool", "duration": "duration"}


def read_program(text: str) -> dict[str, Any]:
    """What the driver tells a device of a program.

    Declarations at the top level are found, the sizes of registers as numbers; gates are not checked.
    """
    # Comments become blanks of the same length, so that offsets stay those of the text.
    bare = _COMMENT.sub(lambda found: re.sub(r"\S", " ", found.group()), text)
    version_2 = _VERSION_2.match(bare) is not None
    top = _outermost(bare)
    found = list((_REGISTER_2 if version_2 else _REGISTER_3).finditer(top))
    registers = [(each["kind"], each["name"], _size(each["size"])) for each in found if each["form"] not in _NO_RESULT]
    is_output = [each["form"] == "output" for each in found if each["form"] not in _NO_RESULT]
    if any(is_output) or re.search(r"\boutput\b", top):
        registers = [each for each, kept in zip(registers, is_output) if kept or each[0] in ("qubit", "qreg")]
    qregs = [(name, size) for kind, name, size in registers if kind in ("qubit", "qreg")]
    cregs = [(name, size) for kind, name, size in registers if kind in ("bit", "creg")]
    inputs = [
        {"start": found.start(), "end": found.end(), "form": _FORMS.get(found[1], "float")}
        for found in ([] if version_2 else _INPUT.finditer(bare))
    ]
    return {
        "qubits": _total(qregs),
        "clbits": _total(cregs),
        "qregs": qregs,
        "cregs": cregs,
        "inputs": inputs,
        "gates": _gates(bare),
    }


def _outermost(text: str) -> str:
    """The text without what is in braces."""
    depth, kept = 0, []
    for each in text:
        depth += each == "{"
        kept.append(";" if each in "{}" else each if depth == 0 else " ")
        depth -= each == "}"
    return "".join(kept)


def _size(text: str | None) -> int | None:
    """The size of a register: 1 without any, None for an expression, which is not evaluated here."""
    return 1 if text is None else int(text) if text.strip().isdigit() else None


def _total(registers: list[tuple[str, int | None]]) -> int | None:
    sizes = [size for _, size in registers]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _gates(text: str) -> list[str]:
    """Names of the gates that are called and not defined, with their modifiers."""
    defined = set(re.findall(r"\bgate\s+([A-Za-z_]\w*)", text))
    called: dict[str, None] = {}
    for statement in re.split(r"[;{}]", text):
        found = _CALL.match(statement)
        if found is None or found["name"] in _KEYWORDS:
            continue
        modifiers = re.findall(r"\b(ctrl|negctrl|inv|pow)\b", found["modifiers"])
        name = " ".join([*(f"{each} @" for each in modifiers), found["name"]])
        if name not in defined and name != "gphase":
            called[name] = None
    return list(called)
