"""A station of QCoDeS as a tuner: pip install ./drivers/python qcodes

svc-driver start --operation calibrate --device station:Station

It sweeps a voltage, measures another one and fits an exponential, with the dummy instruments of QCoDeS. Replace them by
those of your station.
"""

import numpy as np
from qcodes.instrument_drivers.mock_instruments import DummyInstrument, DummyInstrumentWithMeasurement

from svc_driver import CalibrateDevice, CalibrationError, option


class Station(CalibrateDevice):
    points: int = option(41, min=5, max=10_001, help="Voltages of the sweep")
    maximum: float = option(10.0, min=0.1, max=100, help="Highest voltage of the sweep, V")

    def start(self, io):
        self.source = DummyInstrument(f"{self.name}_source", gates=["ch1"])
        self.meter = DummyInstrumentWithMeasurement(f"{self.name}_meter", setter_instr=self.source)

    def stop(self, io):
        # The sample must not be left under voltage.
        self.source.ch1(0)
        self.source.close()
        self.meter.close()

    def calibrate(self, request, io):
        voltages = np.linspace(0, self.maximum, self.points)
        measured = []
        for index, voltage in enumerate(voltages):
            io.check()
            self.source.ch1(float(voltage))
            measured.append(float(self.meter.v1()))
            if index % 10 == 0:
                io.progress({"phase": "routine", "step": index, "total": self.points, "routine": "decay", "target": "gate"})
        # The noise is small beside the signal where the logarithm is taken.
        used = [index for index, value in enumerate(measured) if value > 0.5]
        if len(used) < 3:
            raise CalibrationError("the signal vanishes within three points; lower maximum")
        slope, offset = np.polyfit(voltages[used], np.log([measured[index] for index in used]), 1)
        parameters = {
            "rate": {"value": float(-slope), "unit": "1/V"},
            "amplitude": {"value": float(np.exp(offset)), "unit": "V"},
        }
        trace = {"kind": "line", "x": voltages.tolist(), "y": measured}
        return {
            "status": "success",
            "backend": "station",
            "routines": [
                {"routine": "decay", "target": "gate", "status": "success", "parameters": parameters, "fit": trace}
            ],
        }
