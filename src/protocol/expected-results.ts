import * as v from 'valibot'
import { JOB_LIMITS, type JobPayload } from './jobs.ts'

const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

/** Consecutive results that are expected alike: their number, and the shots and result bits of each. */
const alike = v.tuple([whole, whole, v.nullable(whole)])

/**
 * What the results of a job must contain. It follows from the submission, and is short also for a large one,
 * so that neither server nor driver reads the programs again.
 */
export const expectedResults = v.object({
  meas_level: v.picklist([0, 1, 2]),
  meas_return: v.picklist(['single', 'avg']),
  memory: v.picklist(['none', 'hex', 'packed']),
  /** In the order of the results. Bits are null if nobody has counted those of the program. */
  results: v.pipe(v.array(alike), v.maxLength(JOB_LIMITS.executions)),
  /** In a job with exact values their number in each result, 0 for its probabilities; its shots are 0. */
  exact: v.optional(v.pipe(v.array(whole), v.maxLength(JOB_LIMITS.executions))),
})
export type ExpectedResults = v.InferOutput<typeof expectedResults>

/**
 * The results that a job must have: one for each circuit with each of its parameter sets.
 * @param bits number of result bits of each circuit; without it, what a result states about itself holds
 */
export function expectedResultsOf(payload: JobPayload, bits?: readonly number[]): ExpectedResults {
  const { meas_level, meas_return, memory, memory_format = 'hex' } = payload
  const results: ExpectedResults['results'] = []
  const exact: number[] = []
  for (const [index, circuit] of payload.circuits.entries()) {
    const { parameter_values, expectation_values = [] } = circuit
    const shots = payload.exact ? 0 : (circuit.shots ?? payload.shots)
    const number = Math.max(1, parameter_values?.length ?? 0)
    const width = bits?.[index] ?? null
    if (payload.exact) exact.push(...new Array<number>(number).fill(expectation_values.length))
    const last = results.at(-1)
    if (last && last[1] === shots && last[2] === width) last[0] += number
    else results.push([number, shots, width])
  }
  const kept = memory ? memory_format : 'none'
  return { meas_level, meas_return, memory: kept, results, ...(payload.exact && { exact }) }
}
