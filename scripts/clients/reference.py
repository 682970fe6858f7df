"""Writes the references of the Python packages from their docstrings.

``python3 scripts/clients/reference.py`` writes the pages below ``docs/reference``; with ``--check`` it writes nothing
and exits with 1 if one is stale. It reads the sources and imports nothing, so every Python from 3.10 on writes the same.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Page:
    """A page, its package, the names to begin with, and further modules that a program imports."""

    name: str
    title: str
    opening: str
    package: Path
    first: tuple[str, ...]
    modules: tuple[str, ...]


PAGES = [
    Page(
        name="python-client.md",
        title="The Python client, name by name",
        opening="All that `svc_client` exports; [Use the Python client](../how-to/use-the-python-client.md) is the guide.\n"
        "`SvcAsyncClient`, `AsyncJob`, `AsyncCollection`, `AsyncCalibrations`, `AsyncSessions`, `AsyncTokens` and `AsyncAdmin` have the\n"
        "methods of the classes without `Async`, to be awaited, and iterators for `async for`.",
        package=ROOT / "clients/python/src/svc_client",
        first=("SvcClient", "Circuit", "Circuits", "Job", "Result", "CircuitResult"),
        modules=("qiskit", "pennylane", "cirq"),
    ),
    Page(
        name="python-devices.md",
        title="Devices in Python, name by name",
        opening="All that `svc_driver` exports; [Run your lab's Python code](../how-to/run-python-code.md) is the guide.",
        package=ROOT / "drivers/python/src/svc_driver",
        first=("ProcessDevice", "MonitorDevice", "CalibrateDevice", "option", "Job", "Execution", "counts_result"),
        modules=("qiskit", "testing"),
    ),
]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

# Characters of a docstring from which a method has a heading.
MAX_SHORT_TEXT = 160

# Docstrings of what the client itself calls to read a response, which no program needs.
OF_A_RESPONSE = ("That of a response.", "Those of a response.")


class Package:
    """The definitions of a package, found by the names that its modules import."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._trees: dict[Path, ast.Module] = {}

    def module(self, name: str) -> Path:
        """The file of a module, a package of its own included."""
        file = self._folder / f"{name}.py"
        return file if file.exists() else self._folder / name / "__init__.py"

    def tree(self, file: Path) -> ast.Module:
        if file not in self._trees:
            self._trees[file] = ast.parse(file.read_text("utf-8"))
        return self._trees[file]

    def exports(self, file: Path) -> list[str]:
        """The names in ``__all__``, or else what the module defines for others."""
        for node in self.tree(file).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                return [str(name) for name in ast.literal_eval(node.value)]
        defined = [node.name for node in self.tree(file).body if isinstance(node, (ast.ClassDef, *FUNCTIONS))]
        return [name for name in defined if not name.startswith("_")]

    def find(self, name: str, file: Path) -> tuple[ast.AST, Path] | None:
        """The definition of a name that a module defines or imports from another of the package."""
        for node in self.tree(file).body:
            if isinstance(node, (ast.ClassDef, *FUNCTIONS)) and node.name == name:
                return node, file
            if isinstance(node, ast.ImportFrom) and node.level > 0:
                for alias in node.names:
                    source = self._imported(file, node)
                    if (alias.asname or alias.name) == name and source is not None:
                        return self.find(alias.name, source)
        return None

    def _imported(self, file: Path, node: ast.ImportFrom) -> Path | None:
        folder = file.parent
        for _ in range(node.level - 1):
            folder = folder.parent
        path = folder.joinpath(*(node.module or "").split("."))
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if node.module and candidate.exists():
                return candidate
        return None

    def members(self, node: ast.ClassDef, file: Path) -> list[tuple[ast.AST, ast.ClassDef]]:
        """Fields, properties and methods of a class and of its bases in the package, each once with its class."""
        seen: dict[str, tuple[ast.AST, ast.ClassDef]] = {}
        for base in node.bases:
            found = self.find(getattr(base, "id", ""), file)
            if found and isinstance(found[0], ast.ClassDef):
                for member, owner in self.members(found[0], found[1]):
                    seen[name_of(member)] = (member, owner)
        for member in node.body:
            if name_of(member) and not name_of(member).startswith("_"):
                seen[name_of(member)] = (member, node)
        return list(seen.values())


def name_of(node: ast.AST) -> str:
    """The name that a statement in a class defines; empty for others."""
    if isinstance(node, FUNCTIONS):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return ""


def prose(text: str) -> str:
    """A docstring as Markdown: literals, sections such as Args, and indented examples."""
    text = text.replace("``", "`")
    text = re.sub(r"(?m)^(Args|Attributes|Raises|Returns|Yields):$", r"\1:\n", text)
    out: list[str] = []
    is_section = False
    for block in re.split(r"\n{2,}", text):
        if block.strip() in ("Args:", "Attributes:", "Raises:", "Returns:", "Yields:"):
            is_section = True
            out.append(f"**{block.strip()[:-1]}**")
        elif is_section and block.startswith("    "):
            entries = re.split(r"\n(?=\S)", textwrap.dedent(block))
            out.append("\n".join(f"- {entry(' '.join(each.split()))}" for each in entries))
        elif block.startswith("    "):
            out.append(f"```python\n{textwrap.dedent(block)}\n```")
        else:
            out.append(block)
            is_section = False
    return "\n\n".join(out)


def entry(text: str) -> str:
    """A line of a section: ``name: meaning``."""
    name, colon, meaning = text.partition(": ")
    return f"`{name}`: {meaning}" if colon and " " not in name else text


def note_after(field: ast.AST, owner: ast.ClassDef) -> str:
    """The text that stands after a field in its class."""
    at = next((at for at, each in enumerate(owner.body) if each is field), len(owner.body)) + 1
    after = owner.body[at] if at < len(owner.body) else None
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return prose(" ".join(after.value.value.split()))
    return ""


def documentation(node: ast.AST) -> str:
    text = ast.get_docstring(node) if isinstance(node, (ast.ClassDef, ast.Module, *FUNCTIONS)) else None
    return prose(text) if text else ""


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, *, is_method: bool) -> str:
    arguments = ast.unparse(node.args)
    if is_method:
        arguments = re.sub(r"^(self|cls)(: [^,]+)?(, )?", "", arguments)
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({arguments}){result}"


def is_property(node: ast.AST) -> bool:
    return isinstance(node, FUNCTIONS) and any(getattr(each, "id", "") == "property" for each in node.decorator_list)


def describe(name: str, package: Package, file: Path, shown: dict[ast.AST, str]) -> list[str]:
    """The part of a page about one exported name; members of a base that ``shown`` has are named only."""
    found = package.find(name, file)
    if found is None:
        return []
    node, file = found
    if not isinstance(node, ast.ClassDef):
        return [f"### {name}", f"```python\n{signature(node, is_method=False)}\n```", documentation(node)]
    made = next((each for each in node.body if isinstance(each, FUNCTIONS) and each.name == "__init__"), None)
    head = signature(made, is_method=True).replace("__init__", name).removesuffix(" -> None") if made else ""
    parts = [f"### {name}", f"```python\n{head}\n```" if head else "", documentation(node), documentation(made) if made else ""]
    members = package.members(node, file)
    inherited = [(each, shown[each]) for each, _ in members if each in shown]
    members = [(each, owner) for each, owner in members if each not in shown]
    shown.update({each: name for each, owner in members if owner is not node})
    rows = []
    for each, owner in members:
        is_field = isinstance(each, ast.AnnAssign)
        kind = each.annotation if is_field else getattr(each, "returns", None) if is_property(each) else None
        if kind is not None:
            meaning = note_after(each, owner) if is_field else " ".join(documentation(each).split())
            # A line of the docstring about a field is the line of the field.
            attribute = re.search(rf"(?m)^- `{name_of(each)}`: (.*)$", parts[2]) if is_field else None
            if attribute and not meaning:
                parts[2] = parts[2].replace(attribute[0] + "\n", "").replace("\n" + attribute[0], "")
                meaning = attribute[1][:1].upper() + attribute[1][1:]
            rows.append(f"- `{name_of(each)}: {ast.unparse(kind)}`{'. ' + meaning if meaning else ''}")
    parts[2] = re.sub(r"\n\n\*\*Attributes\*\*(?!\n\n- )\n?", "", parts[2])
    methods = [each for each, _ in members if isinstance(each, FUNCTIONS) and not is_property(each)]
    methods = [each for each in methods if documentation(each) not in OF_A_RESPONSE]
    rows += [f"- `{signature(each, is_method=True)}`. {' '.join(documentation(each).split())}" for each in methods if is_short(each)]
    for other in dict.fromkeys(other for _, other in inherited):
        names = ", ".join(f"`{name_of(each)}`" for each, by in inherited if by == other)
        rows.append(f"- As of `{other}`: {names}.")
    parts.append("\n".join(rows))
    for each in methods:
        if not is_short(each):
            parts += [f"#### {name}.{each.name}", f"```python\n{signature(each, is_method=True)}\n```", documentation(each)]
    return parts


def is_short(method: ast.AST) -> bool:
    """Whether a method fits in a line of its class, as a field does, and needs no heading."""
    text = documentation(method)
    return "\n\n" not in text and len(text) < MAX_SHORT_TEXT


def page(given: Page) -> str:
    """The whole page."""
    package = Package(given.package)
    shown: dict[ast.AST, str] = {}
    parts = [
        f"# {given.title}",
        given.opening + "\nGenerated from the docstrings by `python3 scripts/clients/reference.py`.",
    ]
    for module in ("", *given.modules):
        file = package.module(module) if module else given.package / "__init__.py"
        full = f"{given.package.name}.{module}" if module else given.package.name
        parts += [f"## {full}", documentation(package.tree(file)) if module else ""]
        names = package.exports(file)
        for name in [*(each for each in given.first if each in names), *(each for each in names if each not in given.first)]:
            if not name.startswith(("Async", "SvcAsync", "_")):
                parts += describe(name, package, file, shown)
    return "\n\n".join(part for part in parts if part) + "\n"


def main() -> int:
    is_check = "--check" in sys.argv[1:]
    status = 0
    for given in PAGES:
        file = ROOT / "docs/reference" / given.name
        text = page(given)
        if file.exists() and file.read_text("utf-8") == text:
            continue
        if is_check:
            print(f"docs/reference/{given.name} is stale; run python3 scripts/clients/reference.py", file=sys.stderr)
            status = 1
        else:
            file.write_text(text, "utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
