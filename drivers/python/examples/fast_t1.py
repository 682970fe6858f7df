"""A routine in the place of a built-in one: T1 from nine waits and a straight line. In ``calibration.yml``:

    routines:
      fast_t1:FastT1: {replaces: t1, shots: 4000}
"""

import math

from svc_driver.tuning import Axis, Fit, Routine, Schedule, Value


class FastT1(Routine):
    reads = ["clock_freqs.f01", "rxy.amp180"]
    # What the built-in routine writes, with the unit.
    optional_writes = {"coherence.t1": "s"}
    axes = {"delay": Axis("s", min=0, max=1)}
    points = 9
    shots = 2_000

    def sweep(self, context):
        t1 = context.self.optional("coherence.t1") or 50e-6
        return context.axis("delay", 0.0, 1.5 * t1, self.points)

    def schedule(self, context, delay):
        qubit = context.target
        return Schedule().rotate(qubit, math.pi).delay(qubit, delay).measure(qubit)

    def fit(self, context, x, y):
        # The populations end at 0, so the logarithm of each is a line; weights are those of its shots.
        points = [(each, math.log(p), p**2) for each, p in zip(x, y) if p > 0.05]
        total = sum(w for _, _, w in points)
        mean_x, mean_y = (sum(w * each[at] for each in points for w in [each[2]]) / total for at in (0, 1))
        spread = sum(w * (a - mean_x) ** 2 for a, _, w in points)
        rate = -sum(w * (a - mean_x) * (b - mean_y) for a, b, w in points) / spread
        start = math.exp(mean_y + rate * mean_x)
        curve = [start * math.exp(-rate * each) for each in x]
        noise = math.sqrt(sum((a - b) ** 2 for a, b in zip(y, curve)) / (len(x) - 2))
        error = noise / math.sqrt(spread) / rate**2
        values = {"coherence.t1": Value(1 / rate, abs(error))}
        return Fit(x, y, curve, values, parameters=2, model="exponential", x_name="delay", x_unit="s")
