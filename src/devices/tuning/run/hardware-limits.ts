import type { Chip } from '../../chip/device-file.ts'
import { bandOf, canReadTogether } from '../../chip/hardware/bands.ts'
import { readoutOf } from '../../chip/hardware/cross-check.ts'
import type { RunValues } from '../walk/run-values.ts'
import type { SweepLimits } from '../walk/sweep-limits.ts'
import type { CalibrationSetup } from './setup.ts'

/** What the hardware of a run plays and holds, for its sweeps. */
export function sweepLimitsOf(
  chip: Chip,
  { hardware, couplers }: Pick<CalibrationSetup, 'hardware' | 'couplers'>,
): SweepLimits {
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

/** Whether two qubits share a readout line; all do where nobody names the lines. */
export function sharesLine(
  chip: Chip,
  { hardware }: Pick<CalibrationSetup, 'hardware'>,
): (one: string, other: string) => boolean {
  const lineOf = (name: string) => {
    const qubit = chip.element(name)
    return qubit?.kind === 'qubit' ? hardware?.channelOf(readoutOf(qubit).port)?.name : undefined
  }
  return (one, other) => !hardware || (lineOf(one) !== undefined && lineOf(one) === lineOf(other))
}

/** Whether two qubits can be read out at the same time, with the values that a run has now. */
export function readsTogether(
  chip: Chip,
  { hardware }: Pick<CalibrationSetup, 'hardware'>,
  values: RunValues,
): (one: string, other: string) => boolean {
  const readout = (name: string) => ({ name, hz: values.number(name, 'clock_freqs.readout') })
  return (one, other) => !hardware || canReadTogether(chip, hardware, readout(one), readout(other))
}
