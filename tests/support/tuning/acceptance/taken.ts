import type { Conditions } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import type { EdgeTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { ElementReader, Finding } from '../../../../src/devices/tuning/routine.ts'

/** A coupler as it truly is: its own current and the flux that the other couplers share with it, A. */
export interface CouplerTruth {
  edge: EdgeTruth
  held: number
  shared: number
}

/** What a routine found on a target, beside the chip as it was and the values that the routine used. */
export interface Taken {
  routine: string
  target: string
  finding: Finding
  chip: Conditions
  self: ElementReader
  /** Of an edge. */
  coupler?: CouplerTruth | undefined
  /** The qubits of an edge. */
  ends?: readonly ElementReader[]
}

/** A found value beside the truth. */
export interface Judged {
  routine: string
  target: string
  path: string
  value: number
  truth: number
  /** Distance of both in units of the tolerance. */
  distance: number
}

/** Values that a true chip and a routine may agree about. */
export interface Claim {
  path: string
  value: number
  truth: number
  tolerance: number
  /** A mean over the time of the measurement: of a qubit that switches, a mean of both truths. */
  isMean?: true
}

/** The number that a routine found at a path; undefined when it found none. */
export function foundAt({ finding }: Taken, path: string): number | undefined {
  const value = finding.parameters?.[path]?.value
  return typeof value === 'number' ? value : undefined
}

/** A claim about a found number; none when the routine found no value there. */
export function claim(taken: Taken, path: string, truth: number, tolerance: number): Claim[] {
  const value = foundAt(taken, path)
  return value === undefined ? [] : [{ path, value, truth, tolerance }]
}

/** The same with a tolerance relative to the truth. */
export function relativeClaim(taken: Taken, path: string, truth: number, share: number): Claim[] {
  return claim(taken, path, truth, Math.abs(share * truth))
}
