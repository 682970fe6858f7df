"""Writes the locks of the packages that tests install, with ``uv``: ``python3 tests/support/python/lock.py [NAME]``.

Several environments share the lock of what fits together; `python.ts` takes from it what one of them needs. Versions
of a lock stay unless a requirement excludes them. Only files for Linux on x86-64 and arm64 with CPython have a hash.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from pip._vendor.packaging.markers import Marker
from pip._vendor.packaging.utils import parse_wheel_filename

FOLDER = Path(__file__).resolve().parent
# Locks with the environments that share them, the oldest Python, whether they hold for newer ones, and what they override.
LOCKS = {
    # amazon-braket-sdk names cloudpickle 2.2.1 and distributed 3; circuits are written without it.
    "requirements": (["tools", "client", "versions", "adapters", "exports", "peers"], 10, True, "cloudpickle>=3"),
    "requirements-cluster": (["cluster", "devices"], 11, True, ""),
    "requirements-predecessor": (["predecessor"], 12, False, ""),
    "requirements-schedules": (["schedules"], 11, False, ""),
}
NEWEST = 14


def compiled(inputs: list[str], minor: int, is_universal: bool, *options: str) -> None:
    """Runs ``uv pip compile``, which keeps the versions of its output file."""
    command = ["uv", "pip", "compile", "--quiet", "--python-version", f"3.{minor}", *options, *inputs]
    subprocess.run([*command, *(["--universal"] if is_universal else [])], cwd=FOLDER, check=True)


def is_used(marker: str, minors: range) -> bool:
    """Whether a package is installed on Linux, with any of the versions of Python."""
    machine = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"}
    versions = [{"python_version": f"3.{each}", "python_full_version": f"3.{each}.5"} for each in minors]
    return marker == "" or any(Marker(marker).evaluate({**machine, **version, "extra": ""}) for version in versions)


def is_installed(wheel: str, minors: range) -> bool:
    """Whether pip takes a wheel on Linux with glibc, on x86-64 or arm64, with any of the versions of Python."""
    return any(
        re.fullmatch(r"any|(many)?linux.*_(x86_64|aarch64)", tag.platform)
        and re.fullmatch(r"none|abi3|cp\d+m?", tag.abi)
        and (
            re.fullmatch(r"py(2|3|3\d+)", tag.interpreter)
            or tag.interpreter in {f"cp3{each}" for each in minors}
            or (tag.abi in ("abi3", "none") and tag.interpreter in {f"cp3{each}" for each in range(2, minors.stop)})
        )
        for tag in parse_wheel_filename(wheel)[3]
    )


def hashes_of(package: dict, minors: range) -> list[str]:
    """Hashes of the wheels that are installed; without one, of the source distribution."""
    wheels = [each for each in package.get("wheels", []) if is_installed(each["url"].rsplit("/", 1)[-1], minors)]
    return sorted(each["hashes"]["sha256"] for each in wheels or [package["sdist"]])


def write(name: str) -> None:
    """Writes one lock."""
    groups, oldest, is_universal, override = LOCKS[name]
    minors = range(oldest, NEWEST + 1 if is_universal else oldest + 1)
    lock = FOLDER / f"{name}.txt"
    with tempfile.TemporaryDirectory() as folder:
        overrides, pins, files = (Path(folder, each) for each in ("overrides.txt", "pins.txt", "pylock.toml"))
        overrides.write_text(override)
        pins.write_text(lock.read_text() if lock.exists() else "")
        inputs = [f"requirements-{group}.in" for group in groups]
        compiled(inputs, oldest, is_universal, "--override", str(overrides), "--output-file", str(pins))
        compiled([str(pins)], oldest, is_universal, "--no-deps", "--format", "pylock.toml", "--output-file", str(files))
        packages = {(each["name"], each["version"]): each for each in tomllib.loads(files.read_text())["packages"]}
        lines = [f"# Made by lock.py of the requirements of {', '.join(groups)}.\n"]
        for block in re.findall(r"(?m)^\S.*==.*\n(?: .*\n?)*", pins.read_text()):
            head, *rest = block.splitlines()
            package, version, marker = re.match(r"(\S+?)==(\S+)(?: ; (.*))?", head).group(1, 2, 3)
            via = re.sub(r"-r requirements-", "", " ".join(line for line in rest if "--" not in line))
            users = via.replace("#", "").split()[1:]
            if is_used(marker or "", minors):
                bare = re.sub(r"\[.*\]", "", package)
                hashes = [f"    --hash=sha256:{each}" for each in hashes_of(packages[bare, version], minors)]
                lines.append(" \\\n".join([head, *hashes]) + f"  # via {', '.join(users)}\n")
    lock.write_text("".join(lines))


for wanted in sys.argv[1:] or LOCKS:
    write(wanted)
