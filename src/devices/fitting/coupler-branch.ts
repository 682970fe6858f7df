import { type extentOf, linearGrid, logGrid, pairs } from './axes.ts'
import { PAUSE, type Steps } from './steps.ts'

/**
 * Start values: largest coupler frequency (Hz), period and sweet spot (spans of the sweep), coupling (Hz).
 */
const START_MAXIMA = linearGrid(6.0e9, 7.6e9, 5)
const START_PERIODS = logGrid(0.6, 2.6, 17)
const START_SPOTS = linearGrid(-0.12, 0.12, 13)
const START_COUPLINGS = [40e6, 60e6, 85e6]
/** Residual from which on a point costs the same among the start values, Hz. */
export const MAX_RESIDUAL = 3e6
/** Start values (periods and sweet spots) between two pauses: some 4 ms of work. */
const STARTS_PER_TURN = 20
/** Number of start values that are refined. */
const STARTS = 6
/** Scales of fitted frequencies and couplings, Hz. */
export const GHZ = 1e9
export const SHIFT = 10e6
export const COUPLING = 100e6

/** Frequency of a qubit (Hz) at a coupler current (A). */
export interface Point {
  current: number
  frequency: number
  qubit: 0 | 1
}

/** Extent of a sweep. */
export type Extent = ReturnType<typeof extentOf>

function couplerFrequency(current: number, maximum: number, spot: number, period: number): number {
  return maximum * Math.sqrt(Math.abs(Math.cos((Math.PI * (current - spot)) / period)))
}

/** Shift of a qubit at `frequency` by a coupler at `coupler`, both uncoupled. */
function shiftOf(coupler: number, frequency: number, coupling: number): number {
  const half = (coupler - frequency) / 2
  const root = Math.sqrt(half * half + coupling * coupling)
  return half > 0 ? half - root : half + root
}

/**
 * The best points of the grid, from the best on. A point of the data costs at most as much as one 3 MHz off,
 * so that wild ones do not decide.
 */
export function* bestStarts(
  points: readonly Point[],
  bases: readonly number[],
  { middle, span }: Extent,
): Steps<number[][]> {
  const found: { cost: number; start: number[] }[] = []
  const positions = Float64Array.from(points, ({ current }) => (current - middle) / span)
  const frequencies = Float64Array.from(
    points,
    ({ frequency, qubit }) => frequency - (bases[qubit] as number),
  )
  const sides = Uint8Array.from(points, ({ qubit }) => qubit)
  const couplers = new Float64Array(points.length)
  for (const [at, [period, spot]] of [...pairs(START_PERIODS, START_SPOTS)].entries()) {
    if (at % STARTS_PER_TURN === 0) yield PAUSE
    const shape = positions.map((position) => couplerFrequency(position, 1, spot, period))
    for (const maximum of START_MAXIMA) {
      for (let at = 0; at < shape.length; at++) couplers[at] = maximum * (shape[at] as number)
      const costs = START_COUPLINGS.map((coupling) => ({
        coupling,
        ...costOf({ couplers, frequencies, sides, bases, coupling }),
      }))
      const { cost, coupling, offsets } = costs.reduce((best, entry) =>
        entry.cost < best.cost ? entry : best,
      )
      const scaled = [coupling / COUPLING, coupling / COUPLING]
      found.push({
        cost,
        start: [maximum / GHZ, period, spot, ...offsets.map((offset) => offset / SHIFT), ...scaled],
      })
    }
  }
  return found
    .sort((a, b) => a.cost - b.cost)
    .slice(0, STARTS)
    .map(({ start }) => start)
}

interface StartData {
  /** Frequencies of the coupler at the points. */
  couplers: Float64Array
  /** Frequencies of the qubits at the points, less `bases`. */
  frequencies: Float64Array
  sides: Uint8Array
  bases: readonly number[]
  coupling: number
}

function costOf({ couplers, frequencies, sides, bases, coupling }: StartData) {
  const shifts = new Float64Array(couplers.length)
  const sums = [0, 0]
  const counts = [0, 0]
  for (let at = 0; at < shifts.length; at++) {
    const side = sides[at] as number
    const shift = shiftOf(couplers[at] as number, bases[side] as number, coupling)
    shifts[at] = shift
    if (Math.abs(shift) > 2 * MAX_RESIDUAL) continue
    sums[side] = (sums[side] as number) + (frequencies[at] as number) - shift
    counts[side] = (counts[side] as number) + 1
  }
  const offsets = sums.map((sum, side) => sum / Math.max(1, counts[side] as number))
  let cost = 0
  for (let at = 0; at < shifts.length; at++) {
    const rest =
      (frequencies[at] as number) - (offsets[sides[at] as number] as number) - (shifts[at] as number)
    cost += Math.min(rest * rest, MAX_RESIDUAL ** 2)
  }
  return { cost, offsets }
}

/**
 * Writes the shifts of the points from `bases`, in units of `SHIFT`, for the parameters maximum (GHz), period
 * and sweet spot (spans of the sweep, from its middle), offsets of both qubits (`SHIFT`) and their couplings
 * (`COUPLING`).
 */
export function predictor(points: readonly Point[], bases: readonly number[], { middle, span }: Extent) {
  return (p: Float64Array, out: Float64Array) => {
    for (const [at, { current, qubit }] of points.entries()) {
      const coupler = couplerFrequency(
        (current - middle) / span,
        (p[0] as number) * GHZ,
        p[2] as number,
        p[1] as number,
      )
      const offset = (p[3 + qubit] as number) * SHIFT
      const frequency = (bases[qubit] as number) + offset
      out[at] = (offset + shiftOf(coupler, frequency, (p[5 + qubit] as number) * COUPLING)) / SHIFT
    }
  }
}
