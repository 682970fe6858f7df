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
from ._device import takes_any_option
from ._errors import CalibrationError, JobError, OptionValueError, StartupError
from ._nearest import nearest
from ._options import Declared, convert, declared_options
from ._registry import UnknownDevice, class_name, find, installed, is_import_path

# The order in which the driver reports problems, too.
_SYNTAX, _UNKNOWN, _MISSING, _VALUE, _PLACE, _FILE = range(6)
# What the driver reads itself, by operation.
_JOB_TIMEOUT = Declared("job_timeout", "seconds", "", False, None, "10", 0.001, 86_400, None)
_DRIVER_OPTIONS = {"process": ["data_dir", "job_timeout"], "monitor": ["data_dir"], "calibrate": ["data_dir"]}

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
                timeout=time_limit(cls, pairs),
                on_hang=_end_hung,
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


def _end_hung() -> None:
    print("JobError: job timed out, and run() goes on: the driver kills the process of such a device", file=sys.stderr, flush=True)
    os._exit(1)


def time_limit(cls: type, pairs: Sequence[str]) -> float:
    """Longest execution of a job in s: ``-o job_timeout``, what the device declares, or 10 as for every driver."""
    given = [text.strip() for key, _, text in (pair.partition("=") for pair in pairs) if key.strip() == "job_timeout"]
    return float(convert(_JOB_TIMEOUT, given[-1]) if given else getattr(cls, "job_timeout", None) or 10)


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
    accepted = sorted([each.key for each in declared] + _DRIVER_OPTIONS[getattr(cls, "operation", "process")])
    is_open = takes_any_option(cls) or (not declared and is_import_path(device))
    for key in [] if is_open else given:
        if key not in accepted:
            meant = nearest(key, accepted)
            hint = "" if meant is None else f"did you mean {meant}? "
            operation, name = getattr(cls, "operation", None), class_name(device, cls)
            reasons.append((_UNKNOWN, f"unknown option {key} for {operation} device {name}"))
            reasons.append((_UNKNOWN, f"  {hint}known options: {', '.join(accepted)}"))
    raw = {key: text for key, text in given.items() if key not in _DRIVER_OPTIONS[getattr(cls, "operation", "process")]}
    options = _read(declared, given, reasons, "-o {}", "option")
    if getattr(cls, "operation", None) == "process":
        _read([_JOB_TIMEOUT], given, reasons, "-o {}", "option")
    environment = _read(
        variables, {name: text for name, text in os.environ.items() if text.strip()}, reasons, "the variable {}", "variable"
    )
    if reasons:
        raise StartupError(reason for _, reason in sorted(reasons, key=lambda each: each[0]))
    return options, raw, environment


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
