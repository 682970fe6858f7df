import { projectOnPrincipalAxis } from '../../../fitting/complex-series.ts'
import { fitLorentzian, type LorentzianFit } from '../../../fitting/models/lorentzian.ts'
import { accepted, checkOf } from '../../measure/accept.ts'
import { averages, LINE_WAITS, populations, seriesOf } from '../../measure/references.ts'
import { type Transition, TransitionSchedule } from '../../measure/transition.ts'
import { type CheckOutcome, type Measurement, type RoutineContext, RoutineError } from '../../routine.ts'

/** Shots per point of a line. */
export const LINE_SHOTS = 1_000
/** Standard error that is small enough: Ramsey fringes tell 1 MHz, and pulses are 20 MHz wide, Hz. */
export const LINE_ERROR_HZ = 50e3
const DEFAULT_DURATION_S = 4e-6
/** A row is used when its line is not broader than the narrowest resolved one by more than this. */
const MAX_BROADENING = 2
/** The check looks this far beside the line, Hz, and wants a drop of this many standard errors. */
const CHECK_OFFSET = 6e6
const CHECK_REPEATS = 6
const CHECK_SIGMAS = 3

/** A line at one amplitude of the drive. */
export interface Line {
  readonly amplitude: number
  readonly fit: Extract<LorentzianFit, { ok: true }>
}

interface LineSweep {
  readonly transition: Transition
  /** Hz */
  readonly frequencies: ArrayLike<number>
  readonly amplitudes: ArrayLike<number>
  /** Length of the pulse, s; that of the device file when absent. */
  readonly duration?: number
}

/**
 * The clearest line of a transition: a long weak pulse excites it where both agree. No reference is measured,
 * so the signal is what varies of the readout. Of the amplitudes, the one whose line stands out most is used,
 * unless it is broadened by power or no other shows the same line.
 * @throws RoutineError when no amplitude shows one
 */
export function* clearestLine(
  context: RoutineContext,
  { transition, frequencies, amplitudes, duration = durationOf(context) }: LineSweep,
): Measurement<Line> {
  const lines: Line[] = []
  let rejected: LorentzianFit | undefined
  for (const amplitude of Array.from(amplitudes)) {
    const schedules = Array.from(frequencies, (frequency) =>
      new TransitionSchedule(context, transition).tone({ frequency, amplitude, duration }).read(),
    )
    const values = yield* averages(context, schedules, LINE_SHOTS, { part: LINE_WAITS.ofDrive })
    const { values: signal } = projectOnPrincipalAxis(seriesOf(values))
    const fit = yield* fitLorentzian(frequencies, signal, { name: 'S21', unit: 'V' })
    if (fit.ok) lines.push({ amplitude, fit })
    else rejected = fit
  }
  return clearest(lines) ?? rejectAll(rejected)
}

/** Checks that a transition is excited at its frequency more than beside it. */
export function* checkLine(
  context: RoutineContext,
  transition: Transition,
  amplitude: number,
): Measurement<CheckOutcome> {
  const center = context.self.number(transition.frequency)
  const offsets = [0, -CHECK_OFFSET, CHECK_OFFSET]
  const duration = durationOf(context)
  const points = Array.from({ length: CHECK_REPEATS }, () => offsets)
    .flat()
    .map((offset) => {
      const pulse = { frequency: center + offset, amplitude, duration }
      return new TransitionSchedule(context, transition).tone(pulse).read()
    })
  // The place by the references of 0 and 1 on either transition: state 2 has a place on their line too,
  // beyond 1.
  const found = yield* populations(context, points, LINE_SHOTS)
  const means = offsets.map((_, at) => found.filter((_, point) => point % offsets.length === at))
  const [middle = NOTHING, below = NOTHING, above = NOTHING] = means.map(statisticsOf)
  const drop = middle.mean - Math.max(below.mean, above.mean)
  const error = Math.hypot(middle.error, below.error, above.error)
  // A drop of the wanted size is a margin of 1, none at all one far beyond.
  const most = CHECK_SIGMAS * 10
  return checkOf(drop <= 0 ? most : Math.min(most, (CHECK_SIGMAS * error) / drop), 1)
}

const NOTHING = { mean: Number.NaN, error: Number.NaN }

function statisticsOf(values: Float64Array) {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) }
}

function durationOf({ self }: RoutineContext): number {
  return self.optional('spec.duration') ?? DEFAULT_DURATION_S
}

function rejectAll(fit: LorentzianFit | undefined): never {
  if (fit && !fit.ok) accepted(fit)
  throw new RoutineError('no_signal', 'No line at any amplitude of the drive')
}

/** The line that stands out most from its noise, among those that another amplitude confirms. */
function clearest(lines: readonly Line[]): Line | undefined {
  const widthOf = ({ fit }: Line) => fit.values.width.value
  const narrowest = Math.min(...lines.map(widthOf))
  const isConfirmed = (line: Line) =>
    lines.some((other) => {
      const distance = Math.abs(other.fit.values.center.value - line.fit.values.center.value)
      return other !== line && distance <= Math.max(widthOf(line), widthOf(other)) / 2
    })
  const usable = lines.filter((line) => widthOf(line) <= MAX_BROADENING * narrowest && isConfirmed(line))
  const clarity = ({ fit }: Line) => fit.quality['dbic'] ?? 0
  return usable.reduce<Line | undefined>(
    (best, line) => (best && clarity(best) >= clarity(line) ? best : line),
    undefined,
  )
}
