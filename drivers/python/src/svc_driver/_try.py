"""``python -m svc_driver try``: one device, without server and driver."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import testing
from ._errors import CalibrationError, JobError, OptionValueError, StartupError
from ._options import Declared, convert, declared_options
from ._registry import UnknownDevice, find, installed

# The order in which the driver reports problems, too.
_SYNTAX, _MISSING, _VALUE, _PLACE, _FILE = range(5)

BELL = """OPENQASM 3.0;
include "stdgates.inc";
qubit[2] q;
bit[2] c;
h q[0];
cx q[0], q[1];
c = measure q;
"""


def try_device(
    device: str,
    pairs: Sequence[str],
    *,
    programs: Sequence[str],
    shots: int,
    parameter_values: Sequence[str],
    memory: bool,
    events: int,
    data_dir: str | None,
) -> int:
    """Starts a device, runs one job (or waits for events, or calibrates), prints what it returns. The exit status."""
    try:
        cls = find(device)
        options, raw, environment = read_pairs(cls, device, pairs)
    except UnknownDevice:
        print(f"unknown device {device}; installed devices: {', '.join(sorted(installed())) or 'none'}", file=sys.stderr)
        return 1
    except (StartupError, TypeError) as error:
        print(error, file=sys.stderr)
        return 1
    where: dict[str, Any] = {"environment": environment, "raw": raw, "data_dir": Path(data_dir) if data_dir else None}
    operation = getattr(cls, "operation", None)
    try:
        if operation == "monitor":
            result: Any = [{"type": kind, **payload} for kind, payload in testing.readings(cls, options, count=events, timeout=60)]
        elif operation == "calibrate":
            steps: list[dict[str, Any]] = []
            result = {"findings": testing.calibrate(cls, options, steps=steps, **where), "steps": steps}
        else:
            result = testing.run(
                cls,
                options,
                [Path(each).read_text() for each in programs] or [BELL],
                shots=shots,
                parameter_values=[[float(value) for value in each.split(",")] for each in parameter_values] or None,
                memory=memory,
                **where,
            )
    except (JobError, CalibrationError, StartupError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    print(json.dumps(result, indent=2, default=str))
    return 0


def read_pairs(
    cls: type, device: str, pairs: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, Any]]:
    """Options, other keys and variables. Raises `StartupError` with every problem, in the words of the driver."""
    declared, variables = declared_options(cls)
    given: dict[str, str] = {}
    reasons: list[tuple[int, str]] = []
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            reasons.append((_SYNTAX, f"invalid option {pair}; expected key=value"))
        else:
            given[key.strip()] = text.strip()
    options = _read(declared, given, reasons, "-o {}", "option")
    environment = _read(
        variables, {name: text for name, text in os.environ.items() if text.strip()}, reasons, "the variable {}", "variable"
    )
    if reasons:
        raise StartupError(reason for _, reason in sorted(reasons, key=lambda each: each[0]))
    return options, given, environment


def _read(
    declared: Sequence[Declared], given: dict[str, str], reasons: list[tuple[int, str]], place: str, noun: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for each in declared:
        text = given.get(each.key)
        if text is None:
            if each.required:
                assigned = f"-o {each.key}" if noun == "option" else each.key
                example = "" if each.example is None else f" (for example {assigned}={each.example})"
                reasons.append((_MISSING, f"missing required {noun} {each.key}{example}"))
            continue
        try:
            if each.kind == "secret" and noun == "option" and text.startswith("@"):
                text = text[1:] if text.startswith("@@") else Path(text[1:]).read_text().strip()
            values[each.key] = convert(each, text)
        except (OptionValueError, OSError) as error:
            is_shown = isinstance(error, OptionValueError) and error.shown and each.kind != "secret"
            shown = f"{json.dumps(text)}; " if is_shown else ""
            rank = _FILE if isinstance(error, OSError) else _PLACE if each.kind == "path" else _VALUE
            reasons.append((rank, f"bad value for {place.format(each.key)}: {shown}{error}"))
    return values
