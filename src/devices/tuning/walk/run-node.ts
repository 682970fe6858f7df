import type { Clock, Log } from '../../../base/index.ts'
import { withTimeout } from '../../../base/index.ts'
import type { Instrument } from '../../bench/instrument.ts'
import type { Program } from '../../pulse/schedule.ts'
import type { Heralds } from '../herald.ts'
import {
  type Finding,
  type Measurement,
  type Routine,
  type RoutineContext,
  RoutineError,
  type SweepAxis,
} from '../routine.ts'
import { contextOf, type OnRead, type RoutineSettings } from './context.ts'
import { drive, type Ended } from './drive.ts'
import { endsToRepeat } from './edge-of-sweep.ts'
import { isPrecise } from './first-shots.ts'
import type { RunCurrents } from './run-currents.ts'
import type { RunValues } from './run-values.ts'
import { type SweepLimits, valueText } from './sweep-limits.ts'

/** What measurements of a run use. */
export interface NodeRunner {
  readonly instrument: Instrument
  readonly currents: RunCurrents
  readonly values: RunValues
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  readonly maxAttempts: number
  /** Time limit of a routine without one of its own, s. */
  readonly timeoutS: number
  settingsOf(routine: string, target: string): RoutineSettings
  readonly onRead?: OnRead | undefined
  /** What the hardware plays and holds; absent where nothing limits a sweep. */
  readonly limits?: SweepLimits | undefined
  /** Whether two qubits share a readout line and can be read at the same time; no, if absent. */
  readonly sharesLine?: ((one: string, other: string) => boolean) | undefined
  /** What the run knows of shots that begin with a reading; without it, none do. */
  readonly heralds?: Heralds | undefined
}

/** How a routine ended on a target. */
export interface NodeOutcome {
  readonly target: string
  readonly finding: Finding | undefined
  readonly error: RoutineError | undefined
  readonly attempts: number
  /** Epoch ms. */
  readonly startedAt: number
  readonly durationS: number
  /** True when the sweep of `calibration.yml` failed and the derived one found the value. */
  readonly hasLeftConfig: boolean
  /** What limited the sweeps of the last attempt. */
  readonly remarks: readonly string[]
}

/** Codes of failures that another attempt cannot change. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  'no_data',
  'not_set',
  'not_playable',
  'declined',
  'no_source',
  'beyond_limit',
  'timeout',
  'internal',
  'crashed',
  'invalid_result',
])

/**
 * Measures a routine on a group of targets together, then again on each target that failed, alone, until its
 * attempts are used up.
 */
export async function runNode(
  routine: Routine,
  targets: readonly string[],
  runner: NodeRunner,
): Promise<NodeOutcome[]> {
  const startedAt = runner.clock.now()
  const start = runner.clock.monotonic()
  const remarks = new Map<string, Set<string>>()
  const swept = new Map<string, SweepAxis[]>(targets.map((target) => [target, []]))
  const seen: Seen = { remarks, swept }
  const measured = await measureAll(routine, targets, { number: 1, failures: [] }, runner, seen)
  const outcomes: NodeOutcome[] = []
  for (const [at, target] of targets.entries()) {
    const first = measured[at] ?? { error: new TypeError('no outcome') }
    const { ended, error, failures } = await repeated(routine, target, first, runner, seen)
    const settings = runner.settingsOf(routine.name, target)
    const isConfigured = Object.keys(routine.axes).some((axis) => settings.axis(axis) !== undefined)
    outcomes.push({
      target,
      startedAt,
      error: error && whereSought(error, routine, target, swept.get(target) ?? [], failures.length + 1),
      attempts: failures.length + 1,
      finding: 'found' in ended ? ended.found : undefined,
      durationS: (runner.clock.monotonic() - start) / 1_000,
      hasLeftConfig: !error && failures.length > 0 && isConfigured,
      remarks: [...(remarks.get(target) ?? [])],
    })
  }
  return outcomes
}

/** The last attempt on a target: the first one, or further ones of this target alone while they fail. */
async function repeated(
  routine: Routine,
  target: string,
  first: Ended<Finding>,
  runner: NodeRunner,
  seen: Seen,
): Promise<{ ended: Ended<Finding>; error: RoutineError | undefined; failures: readonly string[] }> {
  const failures: string[] = []
  let repeats = 0
  let ended = first
  let error = errorOf(ended, routine, target, runner)
  while (error && !FINAL_CODES.has(error.code) && failures.length + 1 < runner.maxAttempts) {
    failures.push(error.code)
    const around = endsToRepeat(error, routine, seen.swept.get(target) ?? [], repeats)
    if (around) repeats += 1
    const attempt = { number: failures.length + 1, failures, ...(around && { around }) }
    const [again] = await measureAll(routine, [target], attempt, runner, seen)
    if (again) ended = again
    error = errorOf(ended, routine, target, runner)
  }
  return { ended, error, failures }
}

/** What the attempts of a routine have told, by target. */
interface Seen {
  readonly remarks: Map<string, Set<string>>
  readonly swept: ReadonlyMap<string, SweepAxis[]>
}

/** Takes what measurements tell of a target. */
interface Listeners {
  onRemark(target: string, remark: string): void
  onSweep(target: string, axis: SweepAxis): void
}

/**
 * One attempt on all targets; never rejects for a failure of a single target. Where the routine begins with a
 * part of the shots, the targets that need more are measured with all of them.
 */
async function measureAll(
  routine: Routine,
  targets: readonly string[],
  attempt: RoutineContext['attempt'],
  runner: NodeRunner,
  { remarks, swept }: Seen,
): Promise<Ended<Finding>[]> {
  const measure = (some: readonly string[], look: RoutineContext['attempt']) => {
    for (const target of some) remarks.set(target, new Set())
    return measureTogether(routine, some, runner, look, (context) => routine.measure(context), {
      onRemark: (target, remark) => remarks.get(target)?.add(remark),
      onSweep: (target, axis) => swept.get(target)?.push(axis),
    })
  }
  const shotPart = routine.size.firstPart
  const hasShots = targets.some((target) => runner.settingsOf(routine.name, target).shots !== undefined)
  if (shotPart === undefined || hasShots) return await measure(targets, attempt)
  const first = await measure(targets, { ...attempt, shotPart })
  const isLast = attempt.number >= runner.maxAttempts
  const isEnough = first.map((ended) =>
    'found' in ended ? isPrecise(ended.found) : isFinal(ended.error, isLast),
  )
  const rest = targets.filter((_, at) => !isEnough[at])
  if (rest.length === 0) return first
  const again = await measure(rest, attempt)
  return targets.map((target, at) => {
    const ended = isEnough[at] ? first[at] : again[rest.indexOf(target)]
    return ended ?? { error: new TypeError('no outcome') }
  })
}

/**
 * Whether more shots cannot change a failure, or another attempt comes first that may: at the end of a sweep
 * it looks beyond, and a frequency that jumps may rest in it.
 */
function isFinal(error: unknown, isLast: boolean): boolean {
  if (!(error instanceof RoutineError) || FINAL_CODES.has(error.code)) return true
  return (error.code === 'edge_of_sweep' || error.isCertain) && !isLast
}

/** Failures after which it matters where a routine has looked. */
const UNSEEN: ReadonlySet<string> = new Set(['no_signal', 'edge_of_sweep', 'implausible'])

/** An error with the range of the first axis in all attempts, and what may be dead if nothing is there. */
function whereSought(
  error: RoutineError,
  { axes, isBenchmark, suspect }: Routine,
  target: string,
  swept: readonly SweepAxis[],
  attempts: number,
): RoutineError {
  const { code, message, trace, quality } = error
  const [name, axis] = Object.entries(axes).find(([each]) => swept.some((one) => one.name === each)) ?? []
  if (!UNSEEN.has(code) || isBenchmark || name === undefined || !axis) return error
  const values = swept.flatMap((each) => (each.name === name ? [...each.values] : []))
  const [low, high] = [Math.min(...values), Math.max(...values)].map((value) => valueText(value, axis.unit))
  const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const cause = suspect !== '' && code === 'no_signal' ? `: the ${suspect} of ${target} may be dead` : ''
  return new RoutineError(code, `${message}; ${name} from ${low} to ${high} in ${tried}${cause}`, {
    ...(trace && { trace }),
    ...(quality && { quality }),
  })
}

/** Runs one coroutine per target within the time limit of the routine, and restores the currents. */
export async function measureTogether<Found>(
  routine: Routine,
  targets: readonly string[],
  runner: NodeRunner,
  attempt: RoutineContext['attempt'],
  begin: (context: RoutineContext) => Measurement<Found>,
  { onRemark, onSweep }: Partial<Listeners> = {},
): Promise<Ended<Found>[]> {
  const { clock, values, currents, onRead, limits, sharesLine, heralds } = runner
  const timeouts = targets.map(
    (target) => runner.settingsOf(routine.name, target).timeoutS ?? runner.timeoutS,
  )
  const budget = { ms: Math.max(...timeouts) * 1_000 }
  const start = clock.monotonic()
  const secondsLeft = () => (budget.ms - (clock.monotonic() - start)) / 1_000
  const sweeps: Record<string, Record<string, number[]>> = {}
  const labels = { routine: routine.name, targets, attempt: attempt.number, sweeps }
  const measurements = targets.map((target) => {
    const settings = runner.settingsOf(routine.name, target)
    const options = {
      attempt,
      onRead,
      limits,
      sharesLine,
      heralds,
      secondsLeft,
      onRemark: (text: string) => onRemark?.(target, text),
      onSweep(axis: SweepAxis) {
        sweeps[target] = { ...sweeps[target], [axis.name]: [...axis.values] }
        onSweep?.(target, axis)
      },
    }
    return begin(contextOf({ routine, target, together: targets, values, settings, ...options }))
  })
  try {
    const steps = {
      run: (program: Program) => runWithin({ ...program, labels }, start, budget, runner),
      current: (edge: string) => currents.read(edge),
      ramp: (edge: string, amps: number) => currents.ramp(edge, amps),
      wait: (work: (signal: AbortSignal) => Promise<unknown>) =>
        withTimeout(work, {
          clock,
          signal: runner.signal,
          ms: Math.max(0, budget.ms - (clock.monotonic() - start)),
          onTimeout: () => {
            throw tooLate(budget)
          },
        }),
    }
    return await drive(measurements, steps, runner.signal)
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error
    return targets.map(() => ({ error: tooLate(budget) }))
  } finally {
    await currents.restore()
  }
}

class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

function tooLate({ ms }: { ms: number }): RoutineError {
  return new RoutineError('timeout', `no result within ${Math.round(ms / 1_000)} s`)
}

/** Margin of the time limit over what the program itself takes. */
const PROGRAM_MARGIN = 1.5

/** Runs a program in what is left of the budget, which grows when the program itself is longer. */
function runWithin(
  program: Program,
  start: number,
  budget: { ms: number },
  { instrument, clock, signal }: NodeRunner,
) {
  const spent = clock.monotonic() - start
  budget.ms = Math.max(budget.ms, spent + PROGRAM_MARGIN * durationMs(program))
  return withTimeout((until) => instrument.run(program, until), {
    clock,
    signal,
    ms: Math.max(0, budget.ms - spent),
    onTimeout: () => {
      throw new TimeoutError()
    },
  })
}

/** Time that an instrument needs to play a program. */
function durationMs({ points, shots, reset_ns }: Program): number {
  const ns = points.reduce((sum, { duration }) => sum + shots * (duration + reset_ns), 0)
  return ns / 1e6
}

/** The error of an ended measurement, one without detail for a bug in the routine, which is logged. */
function errorOf<Found>(
  ended: Ended<Found>,
  routine: Routine,
  target: string,
  { log }: NodeRunner,
): RoutineError | undefined {
  if ('found' in ended) return undefined
  if (ended.error instanceof RoutineError) return ended.error
  log.error('routine failed by a defect', { routine: routine.name, target, error: ended.error })
  const name = ended.error instanceof Error ? ended.error.name : 'Error'
  return new RoutineError('internal', `${name}: see the driver log`)
}
