"""``python -u -m svc_driver.worker``: the process in which the driver runs a device. Its stdin and stdout are frames."""

from __future__ import annotations

import os
import sys


def _end_with_parent() -> None:
    """On Linux this process is killed as soon as its parent is gone, whatever it is doing."""
    if sys.platform != "linux":
        return
    try:
        import ctypes

        set_pdeathsig = 1
        ctypes.CDLL(None).prctl(set_pdeathsig, 9)
    except (ImportError, OSError, AttributeError):
        pass


def _take_streams() -> tuple[int, int]:
    """Moves the frames away from the descriptors that ``print`` and C libraries use.

    Returns the descriptors to read and to write. What is printed goes to stderr, which the driver logs.
    """
    inbound, outbound = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)

    def forget() -> None:
        # A forked process must neither write frames nor hold the pipes open.
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, inbound, inheritable=False)
        os.dup2(nothing, outbound, inheritable=False)
        os.close(nothing)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=forget)
    return inbound, outbound


def main() -> int:
    if os.isatty(0) or os.isatty(1):
        sys.stderr.write("svc_driver.worker is started by the driver; use svc-driver start\n")
        return 2
    _end_with_parent()
    inbound, outbound = _take_streams()

    import signal
    import threading

    from ._frames import FrameError, FrameWriter, read_frame
    from ._logging import forward_logs
    from ._runtime import Runtime, hello

    # Ctrl-C and the SIGTERM of a service manager reach the driver, which decides when a device ends.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, frame: None)
    # `python -m` puts the working folder first; a program of that folder must not hide the modules of this one.
    reader = os.fdopen(inbound, "rb")
    writer = FrameWriter(os.fdopen(outbound, "wb"))

    def send(message: dict[str, object]) -> None:
        try:
            writer.send(message)
        except OSError:
            # The host is gone, and with it everybody who could be told.
            os._exit(1)

    forward_logs(send)
    runtime = Runtime(send)

    def read() -> None:
        try:
            while (message := read_frame(reader)) is not None:
                runtime.deliver(message)
        except FrameError as error:
            sys.stderr.write(f"the driver sent no message: {error}\n")
            sys.stderr.flush()
            os._exit(1)
        runtime.deliver({"m": "stop"})

    send(hello())
    threading.Thread(target=read, name="svc-driver", daemon=True).start()
    runtime.serve()
    # Threads of the device that are left must not keep the process.
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
