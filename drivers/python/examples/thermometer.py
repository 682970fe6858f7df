"""A monitor: the temperature of the machine it runs on, or of whatever writes it into a file.

svc-driver start --operation monitor --device thermometer:Thermometer -o period=10
"""

from pathlib import Path

from svc_driver import MonitorDevice, SafePath, Seconds, StartupError, option

ZERO_CELSIUS_K = 273.15


class Thermometer(MonitorDevice):
    period: Seconds = option(5, min=0.1, help="Time between readings")
    name: str = option("room", help="Name of the reading")
    file: SafePath | None = option(None, help="File with the temperature in 0.001 °C, if not that of the processor")

    def start(self, io):
        self.path = Path(self.file) if self.file else next(Path("/sys/class/thermal").glob("thermal_zone*/temp"), None)
        if self.path is None:
            raise StartupError("this machine has no thermometer; name a file with -o file=")
        io.every(self.period, lambda: io.emit("CryostatReading", {"readings": {self.options.name: self.read()}}))

    def read(self):
        kelvin = int(self.path.read_text()) / 1_000 + ZERO_CELSIUS_K
        return {"value": kelvin, "unit": "K", "status": "ok"}
