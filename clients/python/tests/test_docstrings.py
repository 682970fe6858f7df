"""Every public name of the package says what it is."""

from __future__ import annotations

import ast
from pathlib import Path

import svc_client

FOLDER = Path(svc_client.__file__).parent
GENERATED = ("_wire.py", "_error_classes.py")


def undocumented(body: list[ast.stmt], prefix: str) -> list[str]:
    found = []
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                found.append(f"{prefix}{node.name}")
            if isinstance(node, ast.ClassDef):
                found += undocumented(node.body, f"{prefix}{node.name}.")
    return found


def test_every_public_name_has_a_docstring() -> None:
    files = [each for each in FOLDER.rglob("*.py") if each.name not in GENERATED]
    assert len(files) > 30
    missing = [name for each in files for name in undocumented(ast.parse(each.read_text("utf-8")).body, f"{each.name}: ")]
    assert missing == []
