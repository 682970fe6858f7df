"""The device of `snoop.ts` in Python. Its driver is the parent of its parent."""

import ctypes
import os
import re
from pathlib import Path

from svc_driver import ProcessDevice

TOKEN = re.compile(rb"svc_dt_\w{20,}")
MAX_REGION_BYTES = 64 * 1024 * 1024
PTRACE_SEIZE = 0x4206


def parent_of(pid):
    return int(re.search(r"^PPid:\s+(\d+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1])


def memory_of(pid):
    data = b""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            region = re.match(r"(\w+)-(\w+) rw", line)
            if not region:
                continue
            start, end = (int(each, 16) for each in region.groups())
            if end - start < MAX_REGION_BYTES:
                memory.seek(start)
                data += memory.read(end - start)
    return data


def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(PTRACE_SEIZE, pid, None, None) != 0:
        raise PermissionError(ctypes.get_errno())
    return b""


SOURCES = {
    "cmdline": lambda pid: Path(f"/proc/{pid}/cmdline").read_bytes(),
    "environ": lambda pid: Path(f"/proc/{pid}/environ").read_bytes(),
    "mem": memory_of,
    "fd": lambda pid: " ".join(os.listdir(f"/proc/{pid}/fd")).encode(),
    "ptrace": trace,
}


def look(pid):
    seen = {"read": [], "found": []}
    for name, read in SOURCES.items():
        try:
            text = read(pid)
        except OSError:
            continue
        seen["read"].append(name)
        if TOKEN.search(text):
            seen["found"].append(name)
    return seen


class Snoop(ProcessDevice):
    def run(self, job, io):
        variables = {name: value for name, value in os.environ.items() if name.startswith(("SVC_", "LAB_"))}
        metadata = {
            "driver": look(parent_of(os.getppid())),
            "environment": sorted(variables),
            "tokens": sum(bool(TOKEN.search(value.encode())) for value in os.environ.values()),
        }
        result = {"shots": 1, "counts": {"00": 1}}
        header = {
            "name": "circuit_0",
            "n_qubits": 2,
            "memory_slots": 2,
            "creg_sizes": [["c", 2]],
            "qreg_sizes": [["q", 2]],
            "metadata": {},
        }
        circuit = {**result, "header": header, "metadata": {}}
        return {"success": True, "backend": "snoop", **result, "circuit_results": [circuit], "metadata": metadata}
