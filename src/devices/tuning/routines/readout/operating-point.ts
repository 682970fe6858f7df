import type { Estimate, FitTrace, Quality } from '../../../fitting/fit.ts'
import { separationScore } from '../../../fitting/models/clouds.ts'
import {
  bestScorePoint,
  fitScorePeak,
  leastGoodAmplitude,
  plateauPoint,
} from '../../../fitting/models/readout-optimum.ts'
import { accepted } from '../../measure/accept.ts'
import { statesAt } from '../../measure/discrimination.ts'
import { linewidthOf } from '../../measure/resonator-lines.ts'
import { type FoundValue, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

/** Factor by which the amplitudes grow after a best point near the largest of them. */
const GROWTH = 2
/** The range that takes the best point that it has seen: more power would hardly separate better. */
const LAST_RANGE = 3
/** Part of the range, from its end, in which a best amplitude may be on the way to a better one beyond. */
const END = 0.25

export interface OperatingPointScan {
  readonly states: 2 | 3
  /** Shots per state and point. */
  readonly shots: number
  /** Path of the frequency of the line in the highest state, in order of preference. */
  readonly farLines: readonly string[]
  /** Half width of the sweep in line widths, and its points. */
  readonly reach: number
  readonly frequencies: number
  /** In units of the amplitude of the punchout. */
  readonly amplitudes: { readonly start: number; readonly stop: number; readonly points: number }
}

/**
 * The amplitudes that are measured again at the best frequency: factors around the best one, and shots in
 * units of those of the map. A score varies by the number of decays among its shots, with 1,000 by 14 %, so
 * that the best of a map may be 10 % below the true one.
 */
const AGAIN = { reach: 1.6, shots: 8, fewest: 3 }

/** Points and shots of a scan up to the most power, where that of most readouts is found. */
export function sizeOfScan({ states, shots, frequencies, amplitudes }: OperatingPointScan) {
  const rows = 2 * amplitudes.points + 2
  return { points: states * (frequencies * rows + AGAIN.shots * amplitudes.points), shots, heralds: 1 }
}

/** Why a map has no maximum that a parabola describes. */
const FLAT: ReadonlySet<string> = new Set(['no_signal', 'unresolved', 'edge_of_sweep'])

interface OperatingPoint {
  readonly frequency: Estimate
  readonly amplitude: Estimate
  readonly trace?: FitTrace
  readonly quality: Quality
}

/**
 * The frequency and the amplitude of readout at which the closest two of some states are separated best. The
 * separation grows with the amplitude until the transitions that it causes count as much as the noise; there
 * it hardly depends on the amplitude, and the least power that is as good as any is taken. A map finds the
 * frequency: while its best point is close to the largest amplitude it goes on to larger ones. Amplitudes
 * around the best one are measured again there with more shots.
 */
export function* bestOperatingPoint(
  context: RoutineContext,
  { states, shots, farLines, reach, ...sweep }: OperatingPointScan,
): Measurement<OperatingPoint> {
  const { self, attempt } = context
  const ground = self.number('clock_freqs.readout')
  const far = farLines.map((path) => self.optional(path)).find((line) => line !== undefined) ?? ground
  const center = (ground + far) / 2
  const half = reach * linewidthOf(context)
  const range = { start: center - half, stop: center + half, points: sweep.frequencies }
  const frequencies = context.axis('frequency', range).values
  const { start, stop, points } = sweep.amplitudes
  const full = self.number('measure.pulse_amp')
  const [amplitudes, scores]: [number[], number[]] = [[], []]
  const mayHerald = true
  let best: OperatingPoint | undefined
  for (let range = attempt.number; !best; range++) {
    const wider = { start, stop: stop * GROWTH ** (range - 1), points: points + range - 1 }
    const measured = amplitudes.at(-1) ?? 0
    const rows = context
      .axis('amplitude', wider)
      .values.map((factor) => factor * full)
      .filter((amplitude) => amplitude > measured && amplitude <= 1)
    for (const amplitude of rows) {
      const choices = Array.from(frequencies, (frequency) => ({ frequency, amplitude }))
      scores.push(...(yield* statesAt(context, choices, { states, shots, mayHerald })).map(separationScore))
    }
    amplitudes.push(...rows)
    const isLast = range >= LAST_RANGE || wider.stop * full >= 1
    try {
      best = yield* bestOf({ frequencies, amplitudes, scores, isLast })
    } catch (error) {
      const mayGoOn = error instanceof RoutineError && FLAT.has(error.code) && !isLast && rows.length > 0
      if (!mayGoOn) throw error
    }
  }
  const { frequency, amplitude } = best
  const near = amplitudes.filter(
    (each) => each >= amplitude.value / AGAIN.reach && each <= amplitude.value * AGAIN.reach,
  )
  if (near.length < AGAIN.fewest) return best
  const choices = Array.from(near, (each) => ({ frequency: frequency.value, amplitude: each }))
  const again = yield* statesAt(context, choices, { states, shots: AGAIN.shots * shots, mayHerald })
  return { ...best, amplitude: leastGoodAmplitude(near, again.map(separationScore)) }
}

interface ScoreMap {
  readonly frequencies: ArrayLike<number>
  readonly amplitudes: readonly number[]
  readonly scores: readonly number[]
  /** Whether no larger amplitudes follow. */
  readonly isLast: boolean
}

/** The best point of a map. @throws RoutineError `edge_of_sweep` where larger amplitudes may be better. */
function* bestOf({ frequencies, amplitudes, scores, isLast }: ScoreMap): Measurement<OperatingPoint> {
  const peak = yield* fitScorePeak(frequencies, amplitudes, scores)
  const details = { ...(peak.fit && { trace: peak.fit }), quality: peak.quality ?? {} }
  const isFlat = !peak.ok && FLAT.has(peak.code)
  const plateau = isFlat ? plateauPoint(frequencies, amplitudes, scores) : undefined
  const best = isFlat && isLast ? bestScorePoint(frequencies, amplitudes, scores) : undefined
  const { frequency, amplitude } = plateau ?? best ?? accepted(peak).values
  const [least = 0, most = 0] = [amplitudes[0], amplitudes.at(-1)]
  if (!isLast && amplitude.value > most - END * (most - least)) {
    const message = `The best amplitude, ${amplitude.value.toPrecision(3)}, is close to the largest, ${most.toPrecision(3)}`
    throw new RoutineError('edge_of_sweep', message, details)
  }
  return { frequency, amplitude, ...details }
}

/** An operating point as parameters of a submodule of the device file. */
export function operatingPointValues(
  context: RoutineContext,
  module: 'measure_2state' | 'measure_3state',
  { frequency, amplitude }: OperatingPoint,
): Record<string, FoundValue> {
  return {
    [`${module}.frequency`]: { ...frequency, unit: 'Hz', checkLimit: linewidthOf(context) / 2 },
    [`${module}.pulse_amp`]: { ...amplitude, checkLimit: amplitude.value / 3 },
  }
}
