"""The vendor's client of a control cluster, driven question by question."""

import functools

import qblox_instruments
from answers import serve
from qblox_instruments import Cluster

cluster = None


def open_cluster(question):
    """Connects; only the newer client can be told where modules listen."""
    global cluster
    host, port = question["host"], question["port"]
    if qblox_instruments.__version__.startswith("1.1."):
        cluster = Cluster("cluster", identifier=host, port=port)
    else:
        from qblox_instruments.pnp import PortsInfo

        ports = PortsInfo(scpi=port, module_scpi_base=question["moduleBase"])
        cluster = Cluster("cluster", identifier=host, ports=ports)
    return qblox_instruments.__version__


def call(question):
    """Calls a method or parameter, such as `module6.out0_att`, with its arguments."""
    target = functools.reduce(getattr, question["path"].split("."), cluster)
    return plain(target(*question.get("args", []), **question.get("named", {})))


def sequence(question):
    """Uploads a sequence; samples are floats, which JSON does not tell from integers."""
    content = question["sequence"]
    for each in content["waveforms"].values():
        each["data"] = [float(sample) for sample in each["data"]]
    return call({"path": question["path"], "args": [content]})


def plain(value):
    """A value as JSON can say it."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


serve({"open": open_cluster, "call": call, "sequence": sequence})
