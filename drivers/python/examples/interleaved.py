"""A benchmark: the error of one gate of a qubit, interleaved with random Clifford gates (Phys. Rev. Lett. 109, 080505, 2012).
Derive a class for another gate. In ``calibration.yml``:

    routines:
      interleaved:HalfTurn: {after: randomized_benchmarking, shots: 500}
"""

import cmath
import itertools
import math
import random

from svc_driver.tuning import Axis, Benchmark, Finding, Routine, RoutineError, Schedule

HALF, QUARTER = math.pi, math.pi / 2
SEEDS = 8


def matrix(theta, phi):
    """The rotation by theta about the axis at phi in the plane."""
    cos, sin = math.cos(theta / 2), -1j * math.sin(theta / 2)
    return ((cos, sin * cmath.exp(-1j * phi)), (sin * cmath.exp(1j * phi), cos))


def product(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(2)) for j in range(2)) for i in range(2))


def total(pulses):
    found = ((1, 0), (0, 1))
    for theta, phi in pulses:
        found = product(matrix(theta, phi), found)
    return found


def is_identity(found):
    return abs(abs(found[0][0] + found[1][1]) - 2) < 1e-6


def cliffords():
    """The 24 Clifford gates as pulses about X and Y, the fewest first."""
    pulses = [(theta, phi) for theta in (QUARTER, -QUARTER, HALF) for phi in (0.0, QUARTER)]
    gates = []
    for length in range(4):
        for each in itertools.product(pulses, repeat=length):
            inverse = [(-theta, phi) for theta, phi in reversed(each)]
            if not any(is_identity(total([*gate, *inverse])) for gate in gates):
                gates.append(list(each))
    return gates


CLIFFORDS = cliffords()


class HalfTurn(Routine):
    reads = ["clock_freqs.f01", "rxy.amp180"]
    axes = {"depths": Axis("", min=1, max=2_000)}
    shots = 500
    gate = [(HALF, 0.0)]
    """Pulses of the gate: angle and axis, a Clifford gate together."""

    def measure(self, context):
        depths = [round(each) for each in context.axis("depths", values=[1, 20, 60, 120, 240, 400])]
        plain, interleaved = (self.survival(context, depths, gate) for gate in ([], self.gate))
        reference, spread = decay(depths, plain)
        both, other = decay(depths, interleaved)
        error, uncertainty = (1 - both / reference) / 2, math.hypot(spread, other) / 2
        if error < -3 * uncertainty:
            raise RoutineError("implausible", f"the gate has an error of {error:.2g}")
        benchmark = Benchmark("average_gate", fidelity=1 - error, error=error, fidelity_error=uncertainty)
        return Finding(benchmark=benchmark, quality={"reference": reference, "interleaved": both})

    def survival(self, context, depths, gate):
        """The mean population of 0 after sequences of each depth, each with the gate that undoes it."""
        rows = [self.sequences(context.target, depths, gate, random.Random(seed)) for seed in range(SEEDS)]
        found = [context.populations(row, self.shots) for row in rows]
        return [1 - sum(each) / SEEDS for each in zip(*found)]

    def sequences(self, qubit, depths, gate, rng):
        schedules = []
        for depth in depths:
            pulses = [pulse for _ in range(depth) for pulse in [*rng.choice(CLIFFORDS), *gate]]
            undone = next(each for each in CLIFFORDS if is_identity(product(total(each), total(pulses))))
            schedule = Schedule()
            for theta, phi in [*pulses, *undone]:
                schedule.rotate(qubit, theta, phi)
            schedules.append(schedule.measure(qubit))
        return schedules


def decay(depths, survival):
    """The factor per gate of a decay to 1/2, from a line through logarithms, with its standard error."""
    points = [(m, math.log(2 * p - 1), (2 * p - 1) ** 2) for m, p in zip(depths, survival) if p > 0.55]
    if len(points) < 3:
        raise RoutineError("no_signal", "the sequences end in a mixed state")
    weight = sum(w for _, _, w in points)
    mean_m, mean_y = (sum(each[2] * each[at] for each in points) / weight for at in (0, 1))
    spread = sum(w * (m - mean_m) ** 2 for m, _, w in points)
    slope = sum(w * (m - mean_m) * (y - mean_y) for m, y, w in points) / spread
    noise = math.sqrt(sum(w * (y - mean_y - slope * (m - mean_m)) ** 2 for m, y, w in points) / (len(points) - 2))
    return math.exp(slope), noise / math.sqrt(spread)
