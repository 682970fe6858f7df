"""The vendor's dummy cluster behind TCP, as a cluster listens: a port for all and one for each module."""

import asyncio
import inspect
import os
import socket
import subprocess
import tempfile
import threading

from answers import serve
from qblox_instruments import ClusterType, DummyBinnedAcquisitionData
from qblox_instruments.ieee488_2 import ClusterDummyTransport
from qblox_instruments.ieee488_2.module_dummy_transport import ModuleDummyTransport

lock = threading.Lock()
dummy = None


def read_command(stream):
    """A line, or a line with a block; None at the end of the stream."""
    line = bytearray()
    while (byte := stream.read(1)) not in (b"", b"\n"):
        line += byte
        if byte == b"#":
            digits = stream.read(1)
            length = stream.read(int(digits))
            line += digits + length + stream.read(int(length))
    return bytes(line) if byte else None


def answer(transport, command):
    """The reply to a command, as bytes; none for one that is no query."""
    for each in [dummy, *filter(None, dummy._modules.values())]:
        each._data_out, each._bin_out = None, None
    header, _, _ = command.partition(b" ")
    sent = transport.write_binary(command) if b"#" in command else transport.write(command.decode())
    if inspect.iscoroutine(sent):
        asyncio.run(sent)
    if not header.endswith(b"?"):
        return b""
    if transport._data_out is not None:
        return f"{transport._data_out}\r\n".encode()
    return transport._bin_out or b""


def attend(connection, transport):
    stream = connection.makefile("rb")
    while (command := read_command(stream)) is not None:
        with lock:
            reply = answer(transport, command)
        connection.sendall(reply)


def listen(port, transport):
    server = socket.create_server(("127.0.0.1", port))

    def accept():
        while True:
            connection, _ = server.accept()
            threading.Thread(target=attend, args=(connection, transport), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def start(question):
    """Starts a cluster with these modules; the assembler is the one that runs everywhere."""
    global dummy
    folder = tempfile.mkdtemp()

    def assemble(module, cmd_params, cmd_args, bin_in):
        file = os.path.join(folder, "program.q1asm")
        with open(file, "wb") as out:
            out.write(module._decode_bin(bin_in))
        done = subprocess.run([question["assembler"], "-o", file + ".hex", file], capture_output=True)
        module._asm_status, module._asm_log = done.returncode == 0, done.stdout.decode()
        if done.returncode != 0:
            module._system_error.append("Assembly failed.")

    ModuleDummyTransport._set_sequencer_program = assemble
    modules = {int(slot): ClusterType[name] for slot, name in question["modules"].items()}
    dummy = ClusterDummyTransport(modules)
    ports = {slot: listen(question["moduleBase"] + slot, dummy._modules[str(slot)]) for slot in modules}
    return {"port": listen(0, dummy), "modules": list(ports)}


def seed(question):
    """What a sequencer records: I, Q and the threshold of each bin."""
    bins = [DummyBinnedAcquisitionData((i, q), threshold, 1) for i, q, threshold in question["bins"]]
    dummy.set_dummy_binned_acquisition_data(question["slot"], question["sequencer"], "0", bins)


serve({"start": start, "seed": seed})
