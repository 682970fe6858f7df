import * as v from 'valibot'
import { UnsetValueError } from '../../pulse/builder.ts'
import type { Message } from '../../python-worker/frames.ts'
import { checkOf } from '../measure/accept.ts'
import {
  defineRoutine,
  type Finding,
  type Measurement,
  type Routine,
  type RoutineContext,
  RoutineError,
} from '../routine.ts'
import { findingOf } from './finding.ts'
import { respondTo } from './respond.ts'
import { type DescribedRoutine, request, sentFinding } from './routine-messages.ts'
import type { FromMeasurement, RoutineProcess } from './routine-process.ts'

/**
 * The routine that a class in Python declares. Its measurement runs in the process of Python and asks for
 * all that it reads and plays, so the rules of built-in routines hold.
 * @throws TypeError as `defineRoutine`
 */
export function pythonRoutine(described: DescribedRoutine, process: RoutineProcess): Routine {
  const { path, name, kind, refiner, reads, priors, needs, axes, points, shots } = described
  return defineRoutine({
    name,
    kind,
    refiner,
    reads,
    priors,
    needs,
    size: { points, shots },
    dependsOn: described.depends_on,
    writes: Object.keys(described.writes),
    optionalWrites: Object.keys(described.optional_writes),
    axes: Object.fromEntries(
      Object.entries(axes).map(([key, { relative_to: relativeTo, line, ...axis }]) => [
        key,
        { ...axis, ...(relativeTo !== undefined && { relativeTo }), ...(line !== undefined && { line }) },
      ]),
    ),
    *measure(context): Measurement<Finding> {
      const end = yield* converse(process, { routine: path, what: 'measure' }, context)
      if (end.m !== 'found') throw strange(`${end.m} in place of what was found`)
      return findingOf(readAs(sentFinding, end.finding, 'what was found'), described)
    },
    ...(described.has_check && {
      *check(context: RoutineContext) {
        const end = yield* converse(process, { routine: path, what: 'check' }, context)
        if (end.m !== 'checked') throw strange(`${end.m} in place of the result of a check`)
        return checkOf(end.margin, 1)
      },
    }),
  })
}

/** Begins a measurement in Python and serves its requests until it ends. */
function* converse(
  process: RoutineProcess,
  begin: { routine: string; what: 'measure' | 'check' },
  context: RoutineContext,
): Measurement<Exclude<FromMeasurement, { m: 'request' | 'unmeasured' }>> {
  const call = process.newCall()
  const { target, parent, child } = context
  const { number: attempt, failures } = context.attempt
  const ends = { parent: parent.name, child: child.name }
  let message: Message = { m: 'measure', call, ...begin, target, ...ends, attempt, failures }
  /** Reasons that Python received, with the trace that it does not have. */
  const refused: RoutineError[] = []
  try {
    for (;;) {
      const received = yield* exchange(process, call, message)
      if (received.m === 'unmeasured') {
        const { code, message: text } = received
        throw (
          refused.find((each) => each.code === code && each.message === text) ?? new RoutineError(code, text)
        )
      }
      if (received.m !== 'request') return received
      message = { m: 'reply', call, ...(yield* replyTo(context, received.request, refused)) }
    }
  } finally {
    process.abandon(call)
  }
}

function* exchange(process: RoutineProcess, call: number, message: Message): Measurement<FromMeasurement> {
  const reply = yield { kind: 'wait', work: (signal) => process.exchange(call, message, signal) }
  return reply.result as FromMeasurement
}

function* replyTo(context: RoutineContext, sent: unknown, refused: RoutineError[]) {
  try {
    return { value: yield* respondTo(context, readAs(request, sent, 'a request')) }
  } catch (error) {
    const reason = error instanceof UnsetValueError ? new RoutineError('not_set', error.message) : error
    if (!(reason instanceof RoutineError)) throw error
    refused.push(reason)
    return { error: { code: reason.code, message: reason.message } }
  }
}

/** @throws RoutineError that names the first part that is wrong. */
function readAs<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  what: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new RoutineError('invalid_result', `${what}: ${v.getDotPath(issue) ?? ''}: ${issue.message}`)
}

function strange(what: string): RoutineError {
  return new RoutineError('invalid_result', `the process of routines in Python sent ${what}`)
}
