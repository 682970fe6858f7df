"""Finding devices: by import path, and by name among the installed packages."""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ._device import BASES
from ._errors import StartupError

GROUP = "svc_driver.devices"
"""Entry-point group under which packages advertise devices."""


class UnknownDevice(Exception):
    """No installed package has a device of this name."""


def normalize(name: str) -> str:
    """The name with underscores for hyphens."""
    return name.replace("-", "_")


def installed() -> dict[str, EntryPoint]:
    """The advertised devices by name, nothing imported."""
    return {normalize(each.name): each for each in entry_points(group=GROUP)}


def is_import_path(device: str) -> bool:
    """Whether ``device`` is ``module:attr`` or ``module.attr`` rather than a name."""
    return ":" in device or "." in device


def find(device: str) -> type:
    """The class of a device.

    Raises `UnknownDevice` for a name that no package advertises, and `StartupError` if it cannot be imported.
    """
    if is_import_path(device):
        found = import_attribute(f"device {device}", *_split(device))
    else:
        advertised = installed().get(normalize(device))
        if advertised is None:
            raise UnknownDevice(device)
        module, _, attribute = advertised.value.split("[")[0].strip().partition(":")
        found = import_attribute(f"device {device}", module.strip(), attribute.strip())
    if not inspect.isclass(found):
        bases = ", ".join(base.__name__ for base in BASES)
        raise StartupError(f"device {device} is not a class; derive one from svc_driver.{bases}")
    return found


def class_name(device: str, cls: type) -> str:
    """The name of a device in logs and results."""
    return cls.__name__ if is_import_path(device) else normalize(device)


def _split(device: str) -> tuple[str, str]:
    module, separator, attribute = device.partition(":")
    if not separator:
        module, _, attribute = device.rpartition(".")
    return module, attribute


def import_attribute(what: str, module: str, attribute: str) -> Any:
    """What a module has under a name; raises `StartupError`, which begins with ``what``, if it cannot be imported."""
    try:
        found: Any = importlib.import_module(module)
    except BaseException as error:
        # Also SystemExit, which scripts without a main guard raise.
        if isinstance(error, KeyboardInterrupt):
            raise
        sys.stderr.write(traceback.format_exc())
        raise StartupError(f"{what} cannot be imported: {type(error).__name__}: {error}") from error
    for part in attribute.split("."):
        owner = found
        found = getattr(owner, part, None)
        if found is None:
            classes = [name for name, value in vars(owner).items() if inspect.isclass(value) and (hasattr(value, "operation") or hasattr(value, "measure"))]
            defines = ", ".join(name for name in classes if not any(vars(owner)[name] is base for base in BASES))
            raise StartupError(f"{what}: {module} has no {part}; it defines {defines or 'no such class'}")
    return found
