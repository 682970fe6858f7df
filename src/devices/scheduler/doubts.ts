import type { Chip } from '../chip/device-file.ts'
import { type UncalibratedUse, uncalibratedOf } from '../chip/uncalibrated.ts'
import { partsOfPort, type Schedule } from '../pulse/schedule.ts'

/** What the lines of an element need. */
const USES: Readonly<Record<ReturnType<typeof partsOfPort>['kind'], readonly UncalibratedUse[]>> = {
  mw: ['gates'],
  res: ['readout', 'bits'],
  fl: ['gates'],
}

/**
 * Why the results of a schedule are doubtful: a line for each element that it plays without calibration.
 * @param hasBits whether signals become bits by the values of the device file
 */
export function doubtsOf({ pulses }: Schedule, chip: Chip, hasBits: boolean): string[] {
  const uses = new Map<string, Set<UncalibratedUse>>()
  for (const { port } of pulses) {
    const { element, kind } = partsOfPort(port)
    const own = uses.get(element) ?? new Set()
    for (const use of USES[kind]) if (hasBits || use !== 'bits') own.add(use)
    uses.set(element, own)
  }
  return [...uses].flatMap(([name, used]) => {
    const element = chip.element(name)
    const missing = element ? uncalibratedOf(element).filter(({ use }) => used.has(use)) : []
    const reasons = missing.map(({ reason }) => reason).join(', ')
    return missing.length === 0 ? [] : [`${name} is not calibrated: ${reasons}`]
  })
}
