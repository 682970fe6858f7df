import type { Chip } from '../chip/device-file.ts'
import type { Provenance } from '../chip/provenance/provenance.ts'
import {
  staleValuesOf,
  type UncalibratedUse,
  type UncalibratedValue,
  uncalibratedOf,
} from '../chip/uncalibrated.ts'
import { partsOfPort, type Schedule } from '../pulse/schedule.ts'

/** What the lines of an element need. */
const USES: Readonly<Record<ReturnType<typeof partsOfPort>['kind'], readonly UncalibratedUse[]>> = {
  mw: ['gates'],
  res: ['readout', 'bits'],
  fl: ['gates'],
}

/**
 * Why the results of a schedule are doubtful: a line for each element that it plays without calibration, and
 * for each of which a check has found values stale.
 * @param played `hasBits`: whether signals become bits by the values of the device file
 */
export function doubtsOf(
  { pulses }: Schedule,
  { chip, provenance, hasBits }: { chip: Chip; provenance: Provenance; hasBits: boolean },
): string[] {
  const uses = new Map<string, Set<UncalibratedUse>>()
  for (const { port } of pulses) {
    const { element, kind } = partsOfPort(port)
    const own = uses.get(element) ?? new Set()
    for (const use of USES[kind]) if (hasBits || use !== 'bits') own.add(use)
    uses.set(element, own)
  }
  return [...uses].flatMap(([name, used]) => {
    const element = chip.element(name)
    if (!element) return []
    const reasonsOf = (values: readonly UncalibratedValue[]) =>
      values.flatMap(({ use, reason }) => (used.has(use) ? [reason] : [])).join(', ')
    const missing = reasonsOf(uncalibratedOf(element))
    const stale = reasonsOf(staleValuesOf(element, provenance))
    return [
      ...(missing === '' ? [] : [`${name} is not calibrated: ${missing}`]),
      ...(stale === '' ? [] : [`${name} has stale values: ${stale}`]),
    ]
  })
}
