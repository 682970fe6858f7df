import type { Channel } from './connections.ts'
import type { Hardware } from './hardware-file.ts'
import { LO_RANGE_HZ, MAX_NCO_HZ } from './modules.ts'

/** How a frequency is played: by an oscillator, and the numerical one beside it. */
export interface Tone {
  channel: Channel
  /** Undefined on a baseband output. */
  loHz: number | undefined
  /** 0 switches it off. */
  ncoHz: number
}

/** The clock of a pulse without a carrier. */
export const BASEBAND_CLOCK = 'cl0.baseband'

/** Largest relative difference of an oscillator and what the frequency beside it demands. */
const LO_TOLERANCE = 1e-9

/**
 * How a port plays a clock at a frequency (Hz), or why it cannot: RF outputs play LO + NCO, baseband outputs
 * the NCO alone.
 */
export function toneOf(
  hardware: Hardware,
  port: string,
  clock: string,
  hz: number,
): Tone | { problem: string } {
  const channel = hardware.channelOf(port)
  if (!channel) return { problem: unconnected(hardware, port) }
  const { loHz, intermediateHz } = hardware.optionsOf(port, clock)
  if (clock === BASEBAND_CLOCK) return { channel, loHz: undefined, ncoHz: 0 }
  const range = rangeOf(hardware, port, clock)
  if ('problem' in range) return range
  if (!(hz > 0)) return { problem: `${clock} has no frequency` }
  if (hz < range.minHz || hz > range.maxHz) {
    return {
      problem: `${port} plays ${megahertz(range.minHz)} to ${megahertz(range.maxHz)} MHz, not ${megahertz(hz)}`,
    }
  }
  if (!channel.kind.isRf) return { channel, loHz, ncoHz: intermediateHz ?? hz - (loHz ?? 0) }
  const oscillator = loHz ?? hz - (intermediateHz ?? 0)
  const ncoHz = hz - oscillator
  const isConsistent = intermediateHz === undefined || Math.abs(ncoHz - intermediateHz) <= LO_TOLERANCE * hz
  if (isConsistent) return { channel, loHz: oscillator, ncoHz }
  return { problem: `${port} with ${clock}: lo_freq and interm_freq do not add up to ${megahertz(hz)} MHz` }
}

/** The frequencies that a port can play with a clock, Hz, or why there are none. */
export function rangeOf(
  hardware: Hardware,
  port: string,
  clock: string,
): { minHz: number; maxHz: number } | { problem: string } {
  const channel = hardware.channelOf(port)
  if (!channel) return { problem: unconnected(hardware, port) }
  const { loHz, intermediateHz } = hardware.optionsOf(port, clock)
  if (!channel.kind.isRf) {
    const center = loHz ?? 0
    return { minHz: Math.max(0, center - MAX_NCO_HZ), maxHz: center + MAX_NCO_HZ }
  }
  if (loHz !== undefined) return { minHz: loHz - MAX_NCO_HZ, maxHz: loHz + MAX_NCO_HZ }
  if (intermediateHz !== undefined) {
    return { minHz: LO_RANGE_HZ.min + intermediateHz, maxHz: LO_RANGE_HZ.max + intermediateHz }
  }
  return { problem: `${port} with ${clock} has neither lo_freq nor interm_freq` }
}

function unconnected({ obstacleOf }: Hardware, port: string): string {
  const obstacle = obstacleOf(port)
  return obstacle === undefined ? `${port} not connected` : `${port} cannot be played: ${obstacle}`
}

function megahertz(hz: number): string {
  return String(Number((hz / 1e6).toPrecision(9)))
}
