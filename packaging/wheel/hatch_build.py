"""Puts the executable of svc into the wheel of one platform.

``SVC_EXECUTABLE`` names the executable and ``SVC_PLATFORM`` the platform tag of the wheel, such as
``manylinux_2_17_x86_64``.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExecutableHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        executable = Path(os.environ["SVC_EXECUTABLE"]).resolve()
        if not os.access(executable, os.X_OK):
            raise ValueError(f"SVC_EXECUTABLE is {executable}; expected the executable of svc")
        build_data["shared_scripts"][str(executable)] = "svc"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['SVC_PLATFORM']}"
