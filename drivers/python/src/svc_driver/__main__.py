"""``python -m svc_driver``: devices without a server, and what is installed."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from ._version import VERSION


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m svc_driver", description="Devices in Python for drivers of svc")
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True)
    attempt = commands.add_parser("try", help="start a device, run one job on it, and print the results")
    attempt.add_argument("device", help="module:Class, or the name of an installed device")
    attempt.add_argument("-o", "--option", action="append", default=[], metavar="key=value", help="may be repeated")
    attempt.add_argument("--program", action="append", default=[], metavar="FILE", help="OpenQASM; a Bell pair if unset")
    attempt.add_argument("--shots", type=int, default=1024)
    attempt.add_argument(
        "--param", action="append", default=[], metavar="V,V,…", help="one parameter set of the first program; may be repeated"
    )
    attempt.add_argument("--memory", action="store_true", help="ask for the outcome of every shot")
    attempt.add_argument("--events", type=int, default=1, help="number of events to wait for, of a monitor")
    attempt.add_argument("--data-dir", help="folder for the device's files; a temporary one if unset")
    devices = commands.add_parser("devices", help="list the devices that installed packages advertise")
    devices.add_argument("--json", action="store_true", help="with their options")
    return parser


def main() -> int:
    # As for the driver: modules of the working folder can be imported.
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    given = _parser().parse_args()
    if given.command == "devices":
        from ._listing import print_devices

        return print_devices(given.json)
    from ._try import try_device

    return try_device(
        given.device,
        given.option,
        programs=given.program,
        shots=given.shots,
        parameter_values=given.param,
        memory=given.memory,
        events=given.events,
        data_dir=given.data_dir,
    )


def start_driver() -> int:
    """The console script ``svc-driver``: the executable of svc, with this interpreter for devices in Python."""
    own = Path(__file__).parent / "bin" / "svc"
    program = str(own) if own.exists() else shutil.which("svc")
    if program is None:
        print(
            "svc-driver: this package was installed without the executable of svc, and there is none on the PATH; "
            "install a wheel for your platform, or put svc on the PATH",
            file=sys.stderr,
        )
        return 1
    os.environ.setdefault("SVC_PYTHON", sys.executable)
    os.execv(program, [program, "driver", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
