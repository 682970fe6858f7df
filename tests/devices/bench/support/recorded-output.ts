import type { Clock } from '../../../../src/base/index.ts'
import type { CurrentOutput } from '../../../../src/devices/bench/current/output.ts'

interface Step {
  at: number
  from: number
  to: number
}

/** An output that records its steps; `lag` keeps it from following by so many units. */
export function outputAt(held: number, resolution: number, clock: Clock, lag = 0) {
  const steps: Step[] = []
  let amps = held
  const output: CurrentOutput = {
    resolution,
    range: [-1, 1],
    read: async () => amps,
    async write(to) {
      const next = Math.round(to / resolution) * resolution
      steps.push({ at: clock.monotonic(), from: amps, to: next })
      amps = next - lag * resolution
      return amps
    },
  }
  const set = (to: number) => {
    amps = to
  }
  return { output, steps, held: () => amps, set }
}
