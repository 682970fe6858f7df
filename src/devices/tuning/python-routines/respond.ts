import { forQubit } from '../measure/pair/ends.ts'
import { averages, populations } from '../measure/references.ts'
import { allShotsOf } from '../measure/shots.ts'
import { TRANSITION_01 } from '../measure/transition.ts'
import { currentOf, type Measurement, type RoutineContext, RoutineError, rampTo } from '../routine.ts'
import { buildSchedule } from './build-schedule.ts'
import { acceptedFit } from './finding.ts'
import type { RoutineRequest, ScheduleOperation } from './routine-messages.ts'

/** Samples of single shots that one reply may have; they are sent as text. */
const MAX_SAMPLES = 1_000_000

/**
 * The reply to a request of a measurement in Python, as JSON; values that are absent or not finite are null.
 * @throws RoutineError as what it asks for
 */
export function* respondTo(context: RoutineContext, request: RoutineRequest): Measurement<unknown> {
  switch (request.ask) {
    case 'number':
      return context[request.element].number(request.path)
    case 'optional':
      return context[request.element].optional(request.path)
    case 'table':
      return context[request.element].table(request.path)
    case 'has':
      return context[request.element].has(request.path)
    case 'axis':
      return [...context.axis(request.name, request.derived, request.of ?? undefined).values]
    case 'shots':
      return context.shots(request.derived)
    case 'seconds_left':
      return context.secondsLeft()
    case 'populations': {
      const reading = readingContext(context, request.schedules)
      const points = pointsOf(context, request.schedules)
      // What the schedules of others do to what they leave is unknown.
      const wait = { mayHerald: false }
      return [...(yield* populations(reading, points, request.shots, TRANSITION_01, wait))]
    }
    case 'averages': {
      const means = yield* averages(context, pointsOf(context, request.schedules), request.shots)
      return means.map(({ re, im }) => [re, im])
    }
    case 'points':
      return yield* singleShots(context, request.schedules, context.shots(request.shots))
    case 'current': {
      const { amps, limit } = yield* currentOf(request.edge)
      return [amps, limit]
    }
    case 'ramp':
      yield* rampTo(request.edge, request.amps)
      return null
    case 'accept':
      return acceptedFit(request.fit)
  }
}

/**
 * The context of the qubit that all schedules read: with them its states 0 and 1 are measured, which an edge
 * does not have.
 * @throws RoutineError when it is not one qubit of the target.
 */
function readingContext(
  context: RoutineContext,
  schedules: readonly (readonly ScheduleOperation[])[],
): RoutineContext {
  const read = new Set(
    schedules.flatMap((all) => all.flatMap((each) => (each.op === 'measure' ? [each.qubit] : []))),
  )
  const end = [context.parent, context.child].find(({ name }) => read.has(name))
  if (end && read.size === 1) return forQubit(context, end)
  const found = [...read].join(', ') || 'none'
  throw new RoutineError(
    'invalid_result',
    `populations: expected schedules that all read the same qubit of ${context.target}, got ${found}`,
  )
}

function pointsOf(context: RoutineContext, schedules: readonly (readonly ScheduleOperation[])[]) {
  return schedules.map((operations) => buildSchedule(operations, context.schedule()))
}

function* singleShots(
  context: RoutineContext,
  schedules: readonly (readonly ScheduleOperation[])[],
  shots: number,
): Measurement<unknown> {
  const points = pointsOf(context, schedules)
  const samples = points.reduce((sum, { acquisitions }) => sum + shots * acquisitions.length, 0)
  if (samples > MAX_SAMPLES) {
    throw new RoutineError(
      'too_large',
      `${samples} samples of single shots, at most ${MAX_SAMPLES} at a time; ask for fewer schedules or shots`,
    )
  }
  const { found } = yield* allShotsOf(context, points, shots)
  return found.map((point) => point.map(({ re, im }) => Array.from(re, (value, at) => [value, im[at]])))
}
