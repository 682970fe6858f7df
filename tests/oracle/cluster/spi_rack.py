"""The vendor's client of an SPI rack, driven question by question."""

from answers import serve
from spirack import S4g_module, SPI_rack

rack = None
module = None


def open_module(question):
    """Connects as the vendor's driver does by default; it sets outputs to 0 only when it is asked to."""
    global rack, module
    rack = SPI_rack(question["path"], 1000000, 1)
    if question["unlocks"]:
        rack.unlock()
    module = S4g_module(rack, question["module"], reset_currents=question["resets"])


def read(question):
    """Current, A, and span of an output; another client may have selected another chip meanwhile."""
    rack.active_module = None
    current, span = module.get_settings(question["output"])
    return [float(current), int(span)]


def set_current(question):
    module.set_current(question["output"], question["amps"])


def set_span(question):
    module.change_span_update(question["output"], question["span"])


def close(_):
    rack.close()


serve({"open": open_module, "read": read, "set": set_current, "span": set_span, "close": close})
