import * as v from 'valibot'

const number = v.pipe(v.number(), v.finite())
const numbers = v.array(v.nullable(number))
const axis = v.object({ name: v.string(), unit: v.string(), values: v.array(number) })
const text = v.optional(v.string(), '')

const line = v.object({
  kind: v.literal('line'),
  model: text,
  x: axis,
  y: numbers,
  y_name: text,
  y_unit: text,
  curve: v.optional(numbers),
})

const map = v.object({ kind: v.literal('map'), model: text, x: axis, y: axis, z: numbers })

const states = v.object({
  kind: v.literal('iq'),
  model: text,
  unit: text,
  states: v.array(v.object({ label: v.string(), i: numbers, q: numbers })),
  centroids: v.optional(v.array(v.tuple([number, number])), []),
})

const anyTrace = v.variant('kind', [line, map, states])

/** Points with a fitted curve. */
export type Line = v.InferOutput<typeof line>
/** Values over two axes, `z` one row of `x` after the other. */
export type HeatMap = v.InferOutput<typeof map>
/** Shots of prepared states in the IQ plane. */
export type States = v.InferOutput<typeof states>
/** A trace of a report that can be drawn. */
export type Trace = v.InferOutput<typeof anyTrace>

/** The trace of a result (`fit` of a report); undefined for one of another shape, which a device may send. */
export function readTrace(fit: unknown): Trace | undefined {
  const parsed = v.safeParse(anyTrace, fit)
  return parsed.success ? parsed.output : undefined
}
