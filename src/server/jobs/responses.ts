import * as v from 'valibot'
import { quantumJobs } from '../../db/index.ts'
import { jobPayload, jobResults } from '../../protocol/index.ts'
import { recordResponse } from '../http/response/record-response.ts'

const time = v.pipe(v.string(), v.description('UTC, such as 2026-01-31 09:05:00.000Z'))
const count = v.pipe(v.number(), v.integer())

/** The fields of a job's response that its collection does not declare or declares as plain JSON. */
export const jobShape = {
  // Imported jobs keep the payload and the results that they had in the other system.
  payload: v.union([jobPayload, v.unknown()]),
  results: v.union([jobResults, v.looseObject({ error: v.string() }), v.unknown()]),
  error: v.pipe(
    v.nullable(v.object({ code: v.string(), message: v.string() })),
    v.description('Why a failed job has no results'),
  ),
}

/** A job in a list and after a change: see `presentJob`. */
export const jobResponse = recordResponse('Job', quantumJobs, jobShape)

const waiting = v.object({ code: v.string(), text: v.string(), until: v.optional(time) })
const step = v.object({ at: time, event: v.string(), attempt: count, detail: v.string() })

/** One job with its history and, while it is pending, its wait estimate: see `viewJob`. */
export const jobDetailResponse = recordResponse('JobDetail', quantumJobs, {
  ...jobShape,
  charged_seconds: v.nullable(v.number()),
  timeline: v.array(step),
  waiting: v.optional(v.pipe(waiting, v.description('Why it waits; only while it is pending'))),
  queue_position: v.optional(v.pipe(count, v.description('1 = next'))),
  estimated_start: v.optional(v.nullable(v.object({ from: time, to: time }))),
})

const problem = v.object({
  path: v.string(),
  code: v.string(),
  message: v.string(),
  params: v.optional(v.record(v.string(), v.unknown())),
})

/** The outcome that a submission would have: see `DryRun`. */
export const dryRunResponse = v.pipe(
  v.object({
    dry_run: v.literal(true),
    accepted: v.boolean(),
    executions: count,
    qubits: count,
    qpu_target: v.string(),
    payload: v.nullable(jobPayload),
    problems: v.array(problem),
    ignored: v.array(v.string()),
  }),
  v.title('DryRun'),
)
