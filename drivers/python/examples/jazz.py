"""A calibration routine of an edge: the interaction ZZ of two qubits at rest, by an echo that turns both of them (JAZZ,
Phys. Rev. A 87, 022309, 2013). In ``calibration.yml``:

    routines:
      jazz:Jazz: {after: cz_local_phases, shots: 2000}
"""

import math

from svc_driver.tuning import Axis, Fit, Routine, Schedule, Value

GRID_S = 8e-9
"""Instruments place both halves of a wait on a grid."""
FRINGES = 4
"""Turns of the last pulse over the sweep, so that no interaction has a fringe, too."""


def cosine(x, y):
    """Frequency of a fringe with its standard error, and the curve: offset and both quadratures by least squares."""
    span, best = x[-1] - x[0], None
    for step in range(50, 200 * FRINGES):
        frequency = step / (100 * span)
        angles = [2 * math.pi * frequency * each for each in x]
        rows = [(1.0, math.cos(each), math.sin(each)) for each in angles]
        normal = [[sum(row[i] * row[j] for row in rows) for j in range(3)] for i in range(3)]
        a, b, c = solve(normal, [sum(row[i] * each for row, each in zip(rows, y)) for i in range(3)])
        curve = [a + b * row[1] + c * row[2] for row in rows]
        residual = sum((one - other) ** 2 for one, other in zip(y, curve))
        if best is None or residual < best[0]:
            best = (residual, frequency, math.hypot(b, c), curve)
    residual, frequency, amplitude, curve = best
    noise = math.sqrt(residual / (len(x) - 4))
    # Half a step of the search, and what noise does to the frequency of a fringe.
    error = math.hypot(0.5 / (100 * span) / math.sqrt(3), math.sqrt(6 / len(x)) * noise / (math.pi * span * amplitude))
    return frequency, error, curve


def solve(matrix, right):
    """Three linear equations by elimination."""
    rows = [[*row, each] for row, each in zip(matrix, right)]
    for at in range(3):
        pivot = max(range(at, 3), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for other in range(3):
            if other != at:
                factor = rows[other][at] / rows[at][at]
                rows[other] = [one - factor * each for one, each in zip(rows[other], rows[at])]
    return [rows[at][3] / rows[at][at] for at in range(3)]


class Jazz(Routine):
    kind = "edge"
    reads = ["end:clock_freqs.f01", "end:rxy.amp180"]
    priors = ["end:coherence.t2_echo"]
    # The device file has no such parameter: it is reported, and kept in the history of the server.
    optional_writes = {"coupling.zz": "Hz"}
    axes = {"delay": Axis("s", min=0, max=1)}
    points = 61

    def sweep(self, context):
        stop = 0.5 * (context.parent.optional("coherence.t2_echo") or 20e-6)
        delays = context.axis("delay", 0.0, stop, self.points)
        self.artificial = FRINGES / delays[-1]
        return [GRID_S * round(each / GRID_S) for each in delays]

    def schedule(self, context, delay):
        # X90, the pulses about X of both qubits in the middle of the wait, a quarter turn whose phase turns with the wait.
        one, other = context.parent.name, context.child.name
        schedule = Schedule().rotate(one, math.pi / 2).delay(one, delay / 2).barrier(one, other)
        schedule.rotate(one, math.pi).rotate(other, math.pi).barrier(one, other).delay(one, delay / 2)
        return schedule.rotate(one, math.pi / 2, 2 * math.pi * self.artificial * delay).measure(one)

    def fit(self, context, x, y):
        frequency, error, curve = cosine(x, y)
        # The partner is in 1 in one half of the wait. The sign depends on the handedness of the drive lines.
        zz = 2 * abs(frequency - self.artificial)
        values = {"coupling.zz": Value(zz, 2 * error, scale=max(zz, self.artificial))}
        return Fit(x, y, curve, values, parameters=4, model="cosine", x_name="delay", x_unit="s")
