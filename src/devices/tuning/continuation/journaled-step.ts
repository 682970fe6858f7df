import * as v from 'valibot'
import { RoutineError } from '../routine.ts'
import type { NodeOutcome } from '../walk/run-node.ts'

/** How a routine ended on a target. */
export interface JournaledStep {
  readonly routine: string
  /** Which time the routine ran on the target in this run, counted from 1. */
  readonly occurrence: number
  readonly outcome: NodeOutcome
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const text = v.string()

/** The run itself wrote it: what a finding holds is as the routine left it. */
const step = v.object({
  routine: text,
  occurrence: count,
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
export function writeStep({ routine, occurrence, outcome }: JournaledStep): string {
  const { error } = outcome
  const plain = error && {
    code: error.code,
    message: error.message,
    trace: error.trace,
    quality: error.quality,
  }
  return JSON.stringify({ routine, occurrence, outcome: { ...outcome, error: plain } }, (_, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) return { [NUMBER_KEY]: String(value) }
    return ArrayBuffer.isView(value) && !(value instanceof DataView)
      ? Array.from(value as Float64Array)
      : value
  })
}

/** Undefined for a line that is no step, such as one that a crash cut off. */
export function readStep(line: string): JournaledStep | undefined {
  let json: unknown
  try {
    json = JSON.parse(line, (_, value) => NON_FINITE[value?.[NUMBER_KEY]] ?? value)
  } catch {
    return undefined
  }
  const parsed = v.safeParse(step, json)
  if (!parsed.success) return undefined
  const { routine, occurrence, outcome } = parsed.output
  const { error, finding, ...rest } = outcome
  return {
    routine,
    occurrence,
    outcome: {
      ...rest,
      finding,
      error:
        error && new RoutineError(error.code, error.message, { trace: error.trace, quality: error.quality }),
    },
  }
}
