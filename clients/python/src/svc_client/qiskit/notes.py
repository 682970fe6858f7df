"""Notes in programs, by which the results of a primitive can be read in another process."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from .._submission import Circuit

# Begins the comment.
_MARK = "// svc_client.qiskit "


def with_note(circuit: Circuit, note: Any) -> Circuit:
    """The circuit with a note as a comment after its program."""
    text = json.dumps(note, separators=(",", ":"), allow_nan=False)
    return dataclasses.replace(circuit, text=f"{circuit.text.rstrip()}\n{_MARK}{text}\n")


def note_of(program: str) -> Any:
    """The note of ``with_note``; None if the program has none."""
    _, mark, rest = program.rpartition(_MARK)
    return json.loads(rest.split("\n", 1)[0]) if mark else None
