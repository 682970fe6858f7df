import { linearGrid } from '../../../fitting/axes.ts'
import { fitResonator } from '../../../fitting/models/resonator.ts'
import { mapTrace } from '../../../fitting/trace.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { READOUT_PRIORS } from '../../measure/inputs.ts'
import { LINE_WAITS } from '../../measure/references.ts'
import { linewidthOf, magnitudesOf, transmissionOf } from '../../measure/resonator-lines.ts'
import { defineRoutine, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

const SHOTS = 1_000
const HALF_WIDTH = 5e6
const POINTS = 51
const AMPLITUDES = { start: 0.002, stop: 1, points: 11, scale: 'log' as const }
/** Half width of the sweep that resolves the line at the chosen amplitude, Hz, and its points. */
const FINE = { half: 2.5e6, points: 51 }
/**
 * Shift of the line, in line widths, up to which an amplitude counts as low, and how far below it is chosen.
 */
const MAX_SHIFT = 0.15
const MARGIN = 0.7
/** Fewest amplitudes whose lines agree. */
const MIN_ROWS = 3
/** The frequency that is off by this share of the line width is measured again. */
const CHECK_LIMIT = 0.25
/** The sweep of the check, in line widths to either side, and its points. */
const CHECK = { half: 3, points: 17 }
/** Part of a shift that shows against half of the amplitude: it grows with the power. */
const SHOWN = 3 / 4

/**
 * Chooses the power of the readout together with its frequency: the line of the resonator moves when the
 * power saturates the qubit, and 0.7 of the largest amplitude at which it does not is used.
 */
export const punchout = defineRoutine({
  name: 'punchout',
  dependsOn: ['time_of_flight'],
  reads: ['clock_freqs.readout', 'measure.integration_time'],
  priors: ['measure.pulse_amp', 'resonator.linewidth', ...READOUT_PRIORS],
  writes: ['measure.pulse_amp', 'clock_freqs.readout'],
  size: { points: 561, shots: SHOTS, wait: LINE_WAITS.ofReadout },
  *measure(context) {
    const center = context.self.number('clock_freqs.readout')
    const range = { start: center - HALF_WIDTH, stop: center + HALF_WIDTH, points: POINTS }
    const frequencies = context.axis('frequency', range).values
    const amplitudes = context.axis('amplitude', AMPLITUDES).values
    const rows: Row[] = []
    const magnitudes: number[] = []
    for (const amplitude of amplitudes) {
      const series = yield* transmissionOf(context, frequencies, { shots: SHOTS, amplitude })
      magnitudes.push(...magnitudesOf(series).map((value) => value / amplitude))
      const fit = yield* fitResonator(frequencies, series)
      if (!fit.ok) continue
      const { center: found, linewidth } = fit.values
      rows.push({ amplitude, center: found.value, linewidth: linewidth.value })
    }
    const trace = mapTrace({
      model: 'punchout',
      x: { name: 'frequency', unit: 'Hz', values: frequencies },
      y: { name: 'amplitude', unit: '', values: amplitudes },
      z: magnitudes,
    })
    const { largest, agreeing } = lowPower(rows)
    if (agreeing < MIN_ROWS) {
      const message = `The line is at one place at ${agreeing} amplitudes; needed are ${MIN_ROWS}`
      throw new RoutineError('no_signal', message, { trace })
    }
    const amplitude = MARGIN * largest.amplitude
    const fine = context.axis('fine_frequency', {
      start: largest.center - FINE.half,
      stop: largest.center + FINE.half,
      points: FINE.points,
    }).values
    const { values, quality } = accepted(
      yield* fitResonator(fine, yield* transmissionOf(context, fine, { shots: SHOTS, amplitude })),
    )
    const checkLimit = CHECK_LIMIT * values.linewidth.value
    return {
      parameters: {
        'measure.pulse_amp': { value: amplitude, error: amplitude / 4 },
        'clock_freqs.readout': { ...values.center, unit: 'Hz', checkLimit },
      },
      trace,
      quality: { ...quality, rows: agreeing },
    }
  },
  *check(context) {
    const amplitude = context.self.number('measure.pulse_amp')
    const [full, half] = [yield* lineAt(context, amplitude), yield* lineAt(context, amplitude / 2)]
    return checkOf(full - half, SHOWN * MAX_SHIFT * linewidthOf(context))
  },
})

/** The line at one amplitude. */
interface Row {
  amplitude: number
  center: number
  linewidth: number
}

/** The largest amplitude up to which the line stays where it is at low power. */
function lowPower(rows: readonly Row[]): { largest: Row; agreeing: number } {
  const lowest = rows.slice(0, MIN_ROWS).map(({ center }) => center)
  const reference = lowest.sort((a, b) => a - b)[lowest.length >> 1] ?? Number.NaN
  const moved = rows.findIndex(({ center, linewidth }, at) => {
    // One wild row among good ones does not end the range, two do.
    const next = rows[at + 1] ?? { center, linewidth }
    return [{ center, linewidth }, next].every(
      (row) => Math.abs(row.center - reference) > MAX_SHIFT * row.linewidth,
    )
  })
  const agreeing = rows
    .slice(0, moved === -1 ? rows.length : moved)
    .filter((row) => Math.abs(row.center - reference) <= MAX_SHIFT * row.linewidth)
  const last = agreeing.at(-1) ?? { amplitude: 0, center: Number.NaN, linewidth: Number.NaN }
  const next = moved === -1 ? undefined : rows[moved]
  return { largest: next ? between(last, next, reference) : last, agreeing: agreeing.length }
}

/** The row between two at which the shift, taken as linear in the power, reaches its limit. */
function between(last: Row, next: Row, reference: number): Row {
  const [low, high] = [last, next].map(({ center }) => Math.abs(center - reference))
  const limit = MAX_SHIFT * last.linewidth
  const share = Math.min(1, Math.max(0, (limit - (low ?? 0)) / ((high ?? limit) - (low ?? 0))))
  const power = last.amplitude ** 2 + share * (next.amplitude ** 2 - last.amplitude ** 2)
  return { ...last, amplitude: Math.sqrt(power) }
}

/** The line around its stored frequency at one amplitude, Hz. */
function* lineAt(context: RoutineContext, amplitude: number): Measurement<number> {
  const center = context.self.number('clock_freqs.readout')
  const half = CHECK.half * linewidthOf(context)
  const frequencies = linearGrid(center - half, center + half, CHECK.points)
  const series = yield* transmissionOf(context, frequencies, { shots: SHOTS, amplitude })
  return accepted(yield* fitResonator(frequencies, series)).values.center.value
}
