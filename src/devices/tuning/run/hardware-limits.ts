import type { Chip } from '../../chip/device-file.ts'
import { bandOf, canReadTogether } from '../../chip/hardware/bands.ts'
import type { RunValues } from '../walk/run-values.ts'
import type { SweepLimits } from '../walk/sweep-limits.ts'
import type { CalibrationSetup } from './setup.ts'

/** What the hardware of a run plays and holds, for its sweeps. */
export function sweepLimitsOf(chip: Chip, { hardware, couplers }: CalibrationSetup): SweepLimits {
  return {
    band(element, line) {
      const band = hardware && bandOf(chip, hardware, element, line)
      return band && { min: band.minHz, max: band.maxHz, by: `${band.port} plays` }
    },
    currents(edge) {
      if (!couplers?.edges.includes(edge)) return undefined
      const limit = couplers.limit(edge)
      return { min: -limit, max: limit, by: `the current source of ${edge} holds` }
    },
  }
}

/** Whether two qubits can be read out at the same time, with the values that a run has now. */
export function readsTogether(
  chip: Chip,
  { hardware }: CalibrationSetup,
  values: RunValues,
): (one: string, other: string) => boolean {
  const readout = (name: string) => ({ name, hz: values.number(name, 'clock_freqs.readout') })
  return (one, other) => !hardware || canReadTogether(chip, hardware, readout(one), readout(other))
}
