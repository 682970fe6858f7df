"""Puts the executable of svc into wheels for one platform.

``SVC_EXECUTABLE`` names the executable and ``SVC_PLATFORM`` the platform tag of the wheel, such as
``manylinux_2_17_x86_64``. Without them the wheel contains Python alone and fits every platform.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExecutableHook(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        executable = os.environ.get("SVC_EXECUTABLE")
        if not executable:
            return
        platform = os.environ.get("SVC_PLATFORM")
        if not platform:
            raise ValueError("SVC_PLATFORM is missing; expected a platform tag such as manylinux_2_17_x86_64")
        path = Path(executable).resolve()
        if not os.access(path, os.X_OK):
            raise ValueError(f"SVC_EXECUTABLE is {executable}; expected the executable of svc")
        build_data["force_include"][str(path)] = "svc_driver/bin/svc"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
