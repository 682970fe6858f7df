"""A calibration routine: the coherence time with four refocusing pulses (Carr-Purcell-Meiboom-Gill, Rev. Sci. Instrum. 29,
688, 1958). Beside ``calibration.yml``, which names it:

    routines:
      cpmg:Cpmg: {after: t2_echo, shots: 2000, delay: {start: 0, stop: 80.0e-6, points: 41}}
"""

import numpy as np
from scipy.optimize import curve_fit

from svc_driver.tuning import Axis, Fit, Routine, RoutineError, Schedule, Value

PULSES = 4
GRID_S = 4e-9
"""Instruments place pulses on a grid."""


def decay(t, amplitude, rate, offset):
    return amplitude * np.exp(-rate * t) + offset


class Cpmg(Routine):
    # What has to be known: a qubit whose value is missing is reported, and the routine does not run on it.
    reads = ["clock_freqs.f01", "rxy.amp180"]
    priors = ["coherence.t2_echo"]
    # The device file has no such parameter: it is reported, and kept in the history of the server.
    optional_writes = {"coherence.t2_cpmg": "s"}
    axes = {"delay": Axis("s", min=0, max=1)}

    def sweep(self, context):
        # Four echo times, where that is known.
        stop = 4 * (context.self.optional("coherence.t2_echo") or 25e-6)
        step = 2 * PULSES * GRID_S
        return [step * round(each / step) for each in context.axis("delay", 0.0, stop, self.points)]

    def schedule(self, context, delay):
        # X90, the pulses about Y with a wait before and after each, X90: a coherent qubit ends in state 1.
        qubit, wait = context.target, delay / (2 * PULSES)
        schedule = Schedule().rotate(qubit, np.pi / 2)
        for _ in range(PULSES):
            schedule.delay(qubit, wait).rotate(qubit, np.pi, np.pi / 2).delay(qubit, wait)
        return schedule.rotate(qubit, np.pi / 2).measure(qubit)

    def fit(self, context, x, y):
        x, y = np.array(x), np.array(y)
        start = (y[0] - y[-1], 3 / x[-1], y[-1])
        found, covariance = curve_fit(decay, x, y, start)
        time, relative = 1 / found[1], np.sqrt(covariance[1, 1]) / abs(found[1])
        values = {"coherence.t2_cpmg": Value(time, time * relative)}
        return Fit(x, y, decay(x, *found), values, parameters=3, model="exponential", x_name="delay", x_unit="s")

    def accept(self, context, fit):
        # Beside the tests of every routine: pulses cannot refocus what relaxation has destroyed.
        quality = context.accept(fit)
        t1, time = context.self.optional("coherence.t1"), fit.values["coherence.t2_cpmg"]
        if time.value <= 0 or (t1 and time.value - 5 * time.error > 2 * t1):
            raise RoutineError("implausible", f"T2 is {time.value:.3g} s")
        return quality
