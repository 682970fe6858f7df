"""The files of which imported modules consist, so that a change of any of them is noticed."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import platform
import site
import sys
import sysconfig
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from pathlib import Path

_PATHS = sysconfig.get_paths()
_STANDARD = tuple(os.path.realpath(_PATHS[key]) for key in ("stdlib", "platstdlib"))
_INSTALLED = tuple(
    {os.path.realpath(each) for each in (_PATHS["purelib"], _PATHS["platlib"], *site.getsitepackages(), site.getusersitepackages())}
)


def loaded_modules() -> frozenset[str]:
    """The modules that are imported now."""
    return frozenset(sys.modules)


def imported_files(modules: Iterable[str], before: frozenset[str]) -> dict[str, str]:
    """What identifies each file that modules import, directly or through others, by its path.

    Followed are the modules that were loaded since ``before``, and statements of import anywhere in their files, also in
    functions that have not run. Files outside of installed packages have a hash of their content, those of packages their
    size and time of change; the standard library is one entry, the version of Python.
    """
    found = {"python": platform.python_version()}
    waiting = [*modules, *(name for name in list(sys.modules) if name not in before)]
    seen = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        spec = _spec(name)
        path = None if spec is None or spec.origin is None or not spec.has_location else os.path.realpath(spec.origin)
        if spec is None or path is None:
            continue
        if path.startswith(_INSTALLED):
            found[path] = _stamp(path)
        elif not path.startswith(_STANDARD):
            content = _content(path)
            found[path] = hashlib.sha256(content).hexdigest()
            waiting.extend(_imports(content, name, spec))
    return found


def _spec(name: str) -> ModuleSpec | None:
    loaded = getattr(sys.modules.get(name), "__spec__", None)
    if isinstance(loaded, ModuleSpec):
        return loaded
    try:
        return importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None


def _imports(content: bytes, name: str, spec: ModuleSpec) -> list[str]:
    """Names that a file may import; of ``from a import b`` both ``a`` and ``a.b``, which may be a module."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return []
    package = name if spec.submodule_search_locations is not None else name.rpartition(".")[0]
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level > 0:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *([base] if base else [])])
            names += [base, *(f"{base}.{each.name}" for each in node.names)]
    # Importing a.b.c runs a and a.b too.
    return [".".join(parts[: at + 1]) for each in names if each for parts in [each.split(".")] for at in range(len(parts))]


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return "absent"
    return f"{found.st_size} {found.st_mtime_ns}"
