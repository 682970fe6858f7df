import type { ComplexSeries } from '../../fitting/complex-series.ts'
import type { Measurement, RoutineContext } from '../routine.ts'
import { averages, LINE_WAITS, seriesOf } from './references.ts'
import { prepared } from './shots.ts'

/** Line width of a resonator that was never measured, Hz. */
const DEFAULT_LINEWIDTH = 0.5e6

/**
 * Time in which a resonator fills before a window of spectroscopy, s; while it does, its line looks broader.
 */
const SETTLE_S = 4e-6

/** Full width at half depth of the line of a resonator, Hz. */
export function linewidthOf({ self }: RoutineContext): number {
  return self.optional('resonator.linewidth') ?? DEFAULT_LINEWIDTH
}

interface SpectroscopyOptions {
  shots: number
  /** State of the qubit; 0 by default. */
  state?: number
  amplitude?: number
  /** Time from the arrival of the pulse to the window, s. */
  settle?: number
}

/** Transmission past a filled resonator at each frequency, with its qubit in a state. */
export function* transmissionOf(
  context: RoutineContext,
  frequencies: ArrayLike<number>,
  { shots, state = 0, amplitude, settle = SETTLE_S }: SpectroscopyOptions,
): Measurement<ComplexSeries> {
  const { name } = context.self
  const window = context.self.number('measure.integration_time')
  const delay = (context.self.optional('measure.acq_delay') ?? 0) + settle
  const readout = { delay, window, duration: delay + window }
  const points = Array.from(frequencies, (frequency) =>
    prepared(context, state)
      .measure(name, { ...readout, frequency, ...(amplitude !== undefined && { amplitude }) })
      .build(),
  )
  return seriesOf(yield* averages(context, points, shots, waitFor(state)))
}

function waitFor(state: number) {
  return state === 0 ? { part: LINE_WAITS.ofReadout } : { mayHerald: true }
}

/** Magnitudes of complex values. */
export function magnitudesOf({ re, im }: ComplexSeries): Float64Array {
  return Float64Array.from(re, (real, at) => Math.hypot(real, im[at] ?? Number.NaN))
}
