"""Options of a device, declared by annotations of its class."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
import types
import typing
from typing import Any, Literal, NewType, Union, get_args, get_origin
from urllib.parse import urlsplit

from ._errors import OptionValueError

Seconds = NewType("Seconds", float)
"""A number of seconds, without unit; not negative unless ``min`` allows it."""
Url = NewType("Url", str)
"""An http or https address."""
Secret = NewType("Secret", str)
"""Text that no message repeats; ``-o key=@file`` reads it from a file."""
SafePath = NewType("SafePath", str)
"""A file or folder in a safe location; the value is its absolute path."""

_KINDS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "number",
    str: "string",
    Seconds: "seconds",
    Url: "url",
    Secret: "secret",
    SafePath: "path",
}


@dataclasses.dataclass(frozen=True)
class Declared:
    """One option as the driver reads it."""

    key: str
    kind: str
    help: str
    required: bool
    default: Any
    example: str | None
    min: float | None
    max: float | None
    values: tuple[str, ...] | None

    def wire(self) -> dict[str, Any]:
        """The option in the message ``described``."""
        fields = {key: value for key, value in dataclasses.asdict(self).items() if value is not None}
        if "values" in fields:
            fields["values"] = list(fields["values"])
        return fields


class _Slot:
    """What `option` and `env` leave in the class: reading it from a device gives the value."""

    def __init__(self, details: dict[str, Any], variable: str | None) -> None:
        self.details = details
        self.variable = variable
        self.attribute = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.attribute = name

    def __get__(self, device: Any, owner: type | None = None) -> Any:
        if device is None:
            return self
        if self.variable is not None:
            return device.environment.get(self.variable)
        return getattr(device.options, self.attribute)


def option(
    default: Any = None,
    *,
    required: bool = False,
    example: str | None = None,
    help: str = "",
    min: float | None = None,
    max: float | None = None,
) -> Any:
    """Declares an option ``-o key=value``; the annotation of the attribute is its kind.

    ``bool``, ``int``, ``float``, ``str``, ``Literal["a", "b"]``, ``list[str]``, `Seconds`, `Url`, `Secret` and
    `SafePath`, each also ``| None``. Without ``default`` and ``required``, the value of an absent option is None.
    """
    details = {"default": default, "required": required, "example": example, "help": help, "min": min, "max": max}
    return _Slot(details, None)


def env(
    variable: str,
    default: Any = None,
    *,
    required: bool = False,
    example: str | None = None,
    help: str = "",
    min: float | None = None,
    max: float | None = None,
) -> Any:
    """Declares an environment variable of the driver's machine, with the kinds of `option`."""
    details = {"default": default, "required": required, "example": example, "help": help, "min": min, "max": max}
    return _Slot(details, variable)


def declared_options(cls: type) -> tuple[list[Declared], list[Declared]]:
    """The options and the environment variables of a device class, in the order of their declaration.

    Raises `TypeError` naming the attribute whose declaration is not usable.
    """
    options: dict[str, Declared] = {}
    variables: dict[str, Declared] = {}
    for base in reversed(cls.__mro__):
        annotations = base.__dict__.get("__annotations__") or _annotations_of(base)
        for name, slot in list(base.__dict__.items()):
            if not isinstance(slot, _Slot):
                continue
            if name not in annotations:
                raise TypeError(f"option {name} has no annotation; write {name}: str = option(…)")
            key = slot.variable or name
            declared = _declare(key, _evaluate(annotations[name], base, name), slot)
            (options if slot.variable is None else variables)[key] = declared
    return list(options.values()), list(variables.values())


def _annotations_of(cls: type) -> dict[str, Any]:
    """Python 3.14 evaluates annotations only when they are asked for."""
    if sys.version_info >= (3, 14):
        import annotationlib  # type: ignore[import-not-found, unused-ignore]

        return dict(annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF))
    return {}


def _evaluate(annotation: Any, cls: type, name: str) -> Any:
    """The type behind an annotation that may be text."""
    if not isinstance(annotation, str):
        return annotation
    module = vars(sys.modules.get(cls.__module__, typing))
    try:
        return eval(annotation, {**vars(typing), **module}, dict(vars(cls)))  # noqa: S307
    except Exception as error:
        raise TypeError(f"annotation of option {name} cannot be read: {annotation}") from error


def _declare(key: str, annotation: Any, slot: _Slot) -> Declared:
    kind, values = _kind_of(annotation, slot.attribute)
    details = dict(slot.details)
    if details["required"] and details["default"] is not None:
        raise TypeError(f"option {key} is required and has a default; leave one of them out")
    if kind not in ("int", "number", "seconds") and (details["min"] is not None or details["max"] is not None):
        raise TypeError(f"option {key} has bounds, which only numbers have")
    if values is not None and details["default"] is not None and details["default"] not in values:
        raise TypeError(f"option {key} has the default {details['default']!r}; expected one of {', '.join(values)}")
    return Declared(key=key, kind=kind, values=values, **details)


def _kind_of(annotation: Any, name: str) -> tuple[str, tuple[str, ...] | None]:
    origin = get_origin(annotation)
    if origin is Union or origin is getattr(types, "UnionType", Union):
        rest = [each for each in get_args(annotation) if each is not type(None)]
        if len(rest) == 1:
            return _kind_of(rest[0], name)
    if origin is Literal and all(isinstance(each, str) for each in get_args(annotation)):
        return "enum", get_args(annotation)
    if origin is list and get_args(annotation) == (str,):
        return "list", None
    try:
        return _KINDS[annotation], None
    except (KeyError, TypeError):
        shown = getattr(annotation, "__name__", str(annotation))
        kinds = "bool, int, float, str, Literal of texts, list[str], Seconds, Url, Secret or SafePath"
        raise TypeError(f"option {name} is of the type {shown}; expected {kinds}") from None


# The driver converts options itself, in `src/devices/read-options.ts`. What follows is for devices that run without
# it: `python -m svc_driver try` and `svc_driver.testing`. A test compares both.


def convert(declared: Declared, text: str, *, cwd: str = ".") -> Any:
    """The value of an option given as text. Raises `OptionValueError` with what is accepted."""
    if declared.kind in ("string", "secret", "path", "url") and text == "":
        raise OptionValueError("not an http or https address" if declared.kind == "url" else "the value is empty", shown=False)
    if declared.kind == "bool":
        return _to_bool(text)
    if declared.kind in ("int", "number", "seconds"):
        return _to_number(declared, text)
    if declared.kind == "enum":
        if text.strip() not in (declared.values or ()):
            raise OptionValueError(f"expected one of {', '.join(declared.values or ())}")
        return text.strip()
    if declared.kind == "url" and urlsplit(text).scheme not in ("http", "https"):
        raise OptionValueError("not an http or https address", shown=False)
    if declared.kind == "list":
        items = [item.strip() for item in text.split(",")]
        if "" in items:
            raise OptionValueError("an item is empty; separate items by single commas", shown=False)
        return items
    if declared.kind == "path":
        return safe_path(text, cwd=cwd)
    return text


def _to_bool(text: str) -> bool:
    lower = text.strip().lower()
    if lower in ("1", "true", "yes", "on"):
        return True
    if lower in ("0", "false", "no", "off"):
        return False
    raise OptionValueError("expected true or false")


def _to_number(declared: Declared, text: str) -> float | int:
    low = 0 if declared.kind == "seconds" and declared.min is None else declared.min
    high = declared.max
    noun = {"int": "a whole number", "number": "a number", "seconds": "a number of seconds"}[declared.kind]
    form = r"[+-]?\d+" if declared.kind == "int" else r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?"
    if re.fullmatch(form, text.strip(), re.IGNORECASE | re.ASCII):
        value: float | int = int(text) if declared.kind == "int" else float(text)
        is_valid = abs(value) <= 2**53 - 1 if declared.kind == "int" else math.isfinite(value)
        if is_valid and (low is None or value >= low) and (high is None or value <= high):
            return value
    raise OptionValueError(f"expected {noun}{_range_of(low, high)}")


def _range_of(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return "" if high is None else f" of at most {high:g}"


def safe_path(text: str, *, cwd: str = ".") -> str:
    """The absolute path of ``text``, if links lead to a folder that drivers may use."""
    absolute = os.path.abspath(os.path.join(cwd, os.path.expanduser(text) if text.startswith("~") else text))
    real = os.path.realpath(absolute)
    own = [os.path.realpath(folder) for folder in ("/var/svc-driver", "/etc/svc-driver")]
    home = os.path.expanduser("~")
    shared = [os.path.realpath(folder) for folder in ("/tmp", "/var/tmp", home) if folder != "/"]  # noqa: S108
    if any(real == folder or real.startswith(folder + os.sep) for folder in own):
        return absolute
    if any(real.startswith(folder + os.sep) for folder in shared):
        return absolute
    folders = "/etc/svc-driver, /var/svc-driver, /tmp, /var/tmp or the home folder"
    raise OptionValueError(f"{text} is not in a safe location: below {folders}", shown=False)
