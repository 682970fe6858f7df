/** Probabilities of reading 1 for a qubit in |0>, and 0 for a qubit in |1>. */
export type ReadoutError = readonly [one: number, zero: number]

/** A readout without error. */
export const EXACT_READOUT: ReadoutError = [0, 0]

/** Whether a readout error is nonzero. */
export function canMisread([one, zero]: ReadoutError): boolean {
  return one > 0 || zero > 0
}

/** How outcomes become results. */
export interface Readout {
  readoutErrorOf(qubit: number): ReadoutError
  memory: ShotMemory
}

/**
 * What is recorded of each shot: nothing, the bits as `0x…`, the bits of all shots in one text, a point in
 * the IQ plane per classical bit, or only the mean of these points.
 */
export type ShotMemory = 'none' | 'bits' | 'packed_bits' | 'points' | 'mean_point'
