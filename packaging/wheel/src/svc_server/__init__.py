"""Where the executable of svc is; ``python -m svc_server`` runs it."""

import sys
import sysconfig
from pathlib import Path


def find_svc() -> Path:
    """The executable that this package installed.

    Raises:
        FileNotFoundError: it was moved or removed.
    """
    user = sysconfig.get_preferred_scheme("user")
    # Beside the interpreter, in the home of the user, or where `pip install --target` has put it.
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", user), f"{sys.prefix}/bin"]
    for folder in [*folders, str(Path(__file__).parents[1] / "bin")]:
        if (Path(folder) / "svc").is_file():
            return Path(folder) / "svc"
    raise FileNotFoundError(f"svc is in none of {', '.join(folders)}; install svc-server again")
