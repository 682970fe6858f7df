import * as v from 'valibot'
import { keyOf } from '../plan/instances.ts'
import { RoutineError } from '../routine.ts'
import type { NodeOutcome } from '../walk/run-node.ts'

/** How a routine ended on a target. */
export interface JournaledStep {
  readonly routine: string
  /** Which time the routine ran on the target in this run, counted from 1. */
  readonly occurrence: number
  readonly outcome: NodeOutcome
  /** Keys of steps that followed another outcome of this one, or none. */
  readonly invalidates?: readonly string[] | undefined
}

/** Names a step within its run. */
export function stepKey(routine: string, target: string, occurrence: number): string {
  return `${keyOf(routine, target)} ${occurrence}`
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.string()

/** The run itself wrote it: what a finding holds is as the routine left it. */
const stepSchema = v.object({
  routine: text,
  occurrence: count,
  invalidates: v.optional(v.array(text)),
  outcome: v.object({
    target: text,
    finding: v.optional(v.looseObject({})),
    error: v.optional(
      v.object({ code: text, message: text, trace: v.optional(v.any()), quality: v.optional(v.any()) }),
    ),
    attempts: count,
    startedAt: v.number(),
    durationS: v.number(),
    hasLeftConfig: v.boolean(),
    remarks: v.array(text),
  }),
})

/** Numbers that JSON does not have, by name. */
const NON_FINITE: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
}
const NUMBER_KEY = '$number'

/** A step as JSON: numbers that are not finite and arrays of floats stay what they are. */
export function writeStep({ outcome, ...rest }: JournaledStep): string {
  const { error } = outcome
  const plain = error && {
    code: error.code,
    message: error.message,
    trace: error.trace,
    quality: error.quality,
  }
  return JSON.stringify({ ...rest, outcome: { ...outcome, error: plain } }, (_, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) return { [NUMBER_KEY]: String(value) }
    return ArrayBuffer.isView(value) && !(value instanceof DataView)
      ? Array.from(value as Float64Array)
      : value
  })
}

/** Undefined for a text that is no step. */
export function readStep(line: string): JournaledStep | undefined {
  let json: unknown
  try {
    json = JSON.parse(line, (_, value) => NON_FINITE[value?.[NUMBER_KEY]] ?? value)
  } catch {
    return undefined
  }
  const parsed = v.safeParse(stepSchema, json)
  if (!parsed.success) return undefined
  const { outcome, ...step } = parsed.output
  const { error, finding, ...rest } = outcome
  return {
    ...step,
    outcome: {
      ...rest,
      finding,
      error:
        error && new RoutineError(error.code, error.message, { trace: error.trace, quality: error.quality }),
    },
  }
}
