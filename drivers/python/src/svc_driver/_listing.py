"""The devices that installed packages advertise, with their options, for ``svc driver devices``."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from typing import Any

from . import _registry
from ._errors import StartupError
from ._options import declared_options


def listed() -> tuple[list[dict[str, Any]], list[str]]:
    """What each advertised device declares, and one line for each that cannot be imported."""
    devices: list[dict[str, Any]] = []
    skipped: list[str] = []
    for name in sorted(_registry.installed()):
        try:
            # What a module prints while it is imported is of no interest here.
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                cls = _registry.find(name)
                options, variables = declared_options(cls)
        except (StartupError, TypeError) as error:
            skipped.append(f"device {name} is skipped: {error}")
            continue
        devices.append(
            {
                "name": name,
                "operation": getattr(cls, "operation", None),
                "options": [each.wire() for each in options],
                "environment": [each.wire() for each in variables],
            }
        )
    return devices, skipped


def print_devices(as_json: bool) -> int:
    """Prints the advertised devices."""
    devices, skipped = listed()
    if as_json:
        sys.stdout.write(json.dumps({"devices": devices, "skipped": skipped}) + "\n")
        return 0
    for device in devices:
        print(f"{device['operation']}: {device['name']}")
    for line in skipped:
        print(line, file=sys.stderr)
    return 0
