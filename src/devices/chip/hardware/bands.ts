import type { Chip } from '../device-file.ts'
import { couplingOf, driveOf, readoutOf } from './cross-check.ts'
import type { Hardware } from './hardware-file.ts'
import { BASEBAND_CLOCK, rangeOf } from './tones.ts'

/** What a frequency drives: a qubit or its second transition, its resonator, or a coupler. */
export type PlayedLine = 'drive' | 'drive_12' | 'readout' | 'coupling'

/** The frequencies that a port plays, Hz. */
export interface Band {
  readonly port: string
  readonly minHz: number
  readonly maxHz: number
}

/**
 * The frequencies that the hardware plays on a line of an element; undefined where nothing limits them: on
 * a line without a carrier, and on one that it does not play at all, which `unavailableGates` reports.
 */
export function bandOf(chip: Chip, hardware: Hardware, element: string, line: PlayedLine): Band | undefined {
  const found = chip.element(element)
  if (!found) return undefined
  if (found.kind === 'edge') {
    return line === 'coupling' ? bandOfPort(hardware, couplingOf(found, chip)) : undefined
  }
  if (line === 'coupling') return undefined
  if (line === 'readout') return bandOfPort(hardware, readoutOf(found))
  const drive = driveOf(found)
  // Both transitions share an output and its oscillator, and often only the first one is in the file.
  const second = { ...drive, clock: `${element}.12` }
  return (line === 'drive_12' ? bandOfPort(hardware, second) : undefined) ?? bandOfPort(hardware, drive)
}

function bandOfPort(hardware: Hardware, { port, clock }: { port: string; clock: string }): Band | undefined {
  if (clock === BASEBAND_CLOCK) return undefined
  const range = rangeOf(hardware, port, clock)
  return 'problem' in range ? undefined : { port, ...range }
}

/** Width of what one channel reads out at the same time, Hz. */
const READOUT_BAND_HZ = 1e9

/**
 * Whether two qubits can be read out at the same time at these frequencies (Hz): those of one channel share
 * its oscillator, and both have to lie within its band.
 */
export function canReadTogether(
  chip: Chip,
  hardware: Hardware,
  one: { name: string; hz: number | undefined },
  other: { name: string; hz: number | undefined },
): boolean {
  const [channel, second] = [one.name, other.name].map((name) => {
    const qubit = chip.element(name)
    return qubit?.kind === 'qubit' ? hardware.channelOf(readoutOf(qubit).port)?.name : undefined
  })
  if (channel === undefined || channel !== second) return true
  if (one.hz === undefined || other.hz === undefined) return false
  return Math.abs(one.hz - other.hz) <= READOUT_BAND_HZ
}
