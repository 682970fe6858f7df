"""Loads device files with the predecessor's driver, and says what it read.

Run by device-file.test.ts under an environment with `qpi-driver[quantify]`.
"""

import warnings

warnings.filterwarnings("ignore")

from pathlib import Path  # noqa: E402

from answers import serve  # noqa: E402
from qpi_driver.executors.quantify.config import load_quantum_device  # noqa: E402


def load(question):
    """Values by element and path, of the qubits and edges of the file at `path`."""
    device = load_quantum_device(question["name"], Path(question["path"]))
    try:
        named = [(name, device.get_element(name)) for name in device.elements()]
        named += [(name, device.get_edge(name)) for name in device.edges()]
        return {name: parameters(element) for name, element in named}
    finally:
        for name in device.elements():
            device.get_element(name).close()
        for name in device.edges():
            device.get_edge(name).close()
        device.close()


def parameters(element):
    return {
        f"{name}.{key}": parameter()
        for name, submodule in element.submodules.items()
        for key, parameter in submodule.parameters.items()
        if isinstance(parameter.cache.get(get_if_invalid=False), (int, float)) and parameter() == parameter()
    }


serve({"load": load})
