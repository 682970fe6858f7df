import type { CurrentSource, RampOptions } from '../instrument.ts'

/** Largest magnitude that a simulated output delivers, A. */
const CURRENT_RANGE = 3.1e-3
/** The currents of an output are multiples of 100 nA. */
const STEPS_PER_AMPERE = 1e7

/** The currents that a simulated source holds, as the simulated couplers see them. */
export interface HeldCurrents extends CurrentSource {
  /** The present current of an edge without a call to the source, A; 0 for an edge without an output. */
  heldIn(edge: string): number
}

/** Called before each change of a current; what it throws is the failure of the source. */
type CurrentFault = (edge: string, sample: number) => void

/**
 * A simulated source of coupler currents. Like the resets of a program, a ramp takes no time, but it visits
 * every step of the resolution that the rate allows in a millisecond, and can fail at each of them.
 * @param initial the current that each edge has at the start, A
 */
export function createHeldCurrents(
  initial: ReadonlyMap<string, number>,
  onChange: CurrentFault = () => undefined,
): HeldCurrents {
  const held = new Map(initial)
  const heldIn = (edge: string) => held.get(edge) ?? 0
  let sample = 0
  const assertOutput = (edge: string) => {
    if (!held.has(edge)) throw new RangeError(`no output of the simulated source is connected to ${edge}`)
  }
  return {
    edges: [...initial.keys()],
    limit: () => CURRENT_RANGE,
    heldIn,
    async read(edge) {
      assertOutput(edge)
      return heldIn(edge)
    },
    async ramp(edge, amps, { rate, signal }: RampOptions) {
      assertOutput(edge)
      assertReachable(edge, amps)
      if (!(rate > 0)) throw new RangeError(`rate: ${rate} A/s is not above 0`)
      const end = roundToResolution(amps)
      const step = Math.max(1 / STEPS_PER_AMPERE, rate / 1000)
      while (heldIn(edge) !== end) {
        signal?.throwIfAborted()
        onChange(edge, sample++)
        const left = end - heldIn(edge)
        const isLast = Math.abs(left) <= step
        held.set(edge, isLast ? end : roundToResolution(heldIn(edge) + Math.sign(left) * step))
      }
    },
  }
}

function assertReachable(edge: string, amps: number): void {
  if (Math.abs(amps) <= CURRENT_RANGE) return
  throw new RangeError(`${edge}: ${amps} A is not within ±${CURRENT_RANGE} A of the simulated source`)
}

function roundToResolution(amps: number): number {
  return Math.round(amps * STEPS_PER_AMPERE) / STEPS_PER_AMPERE
}
