/** Probabilities that a readout says 1 for a qubit in |0>, and 0 for one in |1>. */
export type ReadoutError = readonly [one: number, zero: number]

/** A readout that says what is. */
export const EXACT_READOUT: ReadoutError = [0, 0]

/** Whether the readout of a qubit can be wrong. */
export function canMisread([one, zero]: ReadoutError): boolean {
  return one > 0 || zero > 0
}

/** How outcomes become results. */
export interface Readout {
  readoutErrorOf(qubit: number): ReadoutError
  memory: ShotMemory
}

/**
 * What is recorded of each shot: nothing, the bits as `0x…`, a point in the IQ plane per classical bit, or only the
 * mean of these points.
 */
export type ShotMemory = 'none' | 'bits' | 'points' | 'mean_point'
