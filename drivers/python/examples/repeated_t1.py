"""A calibration routine that measures T1 several times, for its scatter. In ``calibration.yml``:

    routines:
      repeated_t1:RepeatedT1: {replaces: t1}
"""

import statistics

from fast_t1 import FastT1
from svc_driver.tuning import Finding, RoutineError, Value

REPEATS = 8


class RepeatedT1(FastT1):
    def measure(self, context):
        found = [super(RepeatedT1, self).measure(context) for _ in range(REPEATS)]
        times = [each.parameters["coherence.t1"].value for each in found]
        mean, spread = statistics.mean(times), statistics.stdev(times)
        if spread > mean / 2:
            raise RoutineError("unresolved", f"T1 scatters by {1e6 * spread:.1f} µs about {1e6 * mean:.1f} µs")
        low, high = (1e6 * each for each in (min(times), max(times)))
        return Finding(
            parameters={"coherence.t1": Value(mean, spread / REPEATS**0.5)},
            fit=found[-1].fit,
            quality={"scatter": spread / mean},
            notes=[f"T1 between {low:.1f} and {high:.1f} µs in {REPEATS} measurements"],
        )
