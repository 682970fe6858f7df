"""Programs as circuits of Qiskit; needs ``pip install "./drivers/python[qiskit]"``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._job import Execution

_VERSION_2 = re.compile(r"\s*(//[^\n]*\s*)*OPENQASM\s+2", re.IGNORECASE)
_CONSTANT = re.compile(r"\bconst\s+(?:float|angle)\s*(?:\[[^\]]*\])?\s+([A-Za-z_]\w*)\s*=\s*([^;]+);")


def to_qiskit(program: str | Execution) -> Any:
    """The circuit of an OpenQASM 2 or 3 program, or of an execution.

    Constants are put in the place of their names, because not every version of the importer reads their declarations.
    Raises what the importers of Qiskit raise for statements that they do not know.
    """
    text = program if isinstance(program, str) else program.text
    if _VERSION_2.match(text):
        from qiskit import qasm2

        return qasm2.loads(text, custom_instructions=qasm2.LEGACY_CUSTOM_INSTRUCTIONS)
    from qiskit import qasm3

    return qasm3.loads(_without_constants(text))


def _without_constants(text: str) -> str:
    constants = {name: f"({value.strip()})" for name, value in _CONSTANT.findall(text)}
    if not constants:
        return text
    names = re.compile(rf"\b({'|'.join(map(re.escape, constants))})\b")
    return names.sub(lambda found: constants[found[1]], _CONSTANT.sub("", text))
