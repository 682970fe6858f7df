import * as v from 'valibot'
import { count, text } from './fields.ts'
import { description } from './qpus/chip.ts'

/** A QPU as listed, with what occupies it. Times are UTC text. */
export const qpu = v.object({
  id: v.string(),
  name: v.string(),
  status: v.string(),
  enabled: v.boolean(),
  maintenance: v.optional(v.boolean(), false),
  maintenance_reason: text,
  maintenance_until: text,
  draining: v.optional(v.boolean(), false),
  drain_reason: text,
  closed_since: text,
  silent_since: text,
  /** Why it runs no jobs now. */
  reason: v.optional(v.nullable(v.object({ code: v.string(), text: v.string() })), null),
  described_at: text,
  num_qubits: count,
  executor_type: text,
  device_config: v.optional(v.unknown()),
  /** 1,000 means 1,000 or more. */
  queue_length: v.optional(v.number(), 0),
  running_job: v.optional(
    v.nullable(
      v.object({
        id: v.nullable(v.string()),
        mine: v.boolean(),
        since: v.string(),
        expected_end: text,
        name: text,
        email: text,
      }),
    ),
  ),
  /** Who has booked the current time; superusers see who it is. */
  holder: v.optional(v.nullable(v.object({ mine: v.boolean(), until: v.string(), email: text }))),
  /** The session whose jobs go first; superusers see whose it is. */
  session: v.optional(
    v.nullable(
      v.object({
        mine: v.boolean(),
        mode: v.string(),
        state: v.string(),
        until: v.string(),
        /** Since when its user has had no job; empty while one waits or runs. */
        idle_since: text,
        email: text,
      }),
    ),
  ),
  next_free: text,
  /** Start of a job submitted now; null if it cannot be estimated. */
  estimated_start: v.optional(v.nullable(v.object({ from: v.string(), to: v.string() })), null),
  /** Why such a job would not start immediately. */
  waiting: v.optional(v.nullable(v.object({ code: v.string(), text: v.string() })), null),
  calibration: v.optional(
    v.nullable(
      v.object({
        report: v.string(),
        at: v.string(),
        medians: v.record(v.string(), v.object({ value: v.number(), unit: v.string(), count: v.number() })),
      }),
    ),
  ),
  recalled_calibration: v.optional(
    v.nullable(v.object({ report: v.string(), reason: v.string(), at: v.string() })),
  ),
})
export type Qpu = v.InferOutput<typeof qpu>
export const qpus = v.array(qpu)

/** A QPU with the description of its device. */
const estimateScore = v.object({
  jobs: v.number(),
  right: v.nullable(v.number()),
  mean_width: v.nullable(v.number()),
})

export const qpuDetail = v.object({
  ...qpu.entries,
  description: v.nullable(description),
  /** How good the estimates have been this month; widths and times in s. */
  estimates: v.optional(
    v.object({
      qpu_seconds: estimateScore,
      mean_qpu_seconds: v.nullable(v.number()),
      start: estimateScore,
    }),
  ),
})
export type QpuDetail = v.InferOutput<typeof qpuDetail>

/** The first jobs of a queue; jobs of others have no name, and maybe no id. */
export const queuedJobs = v.array(
  v.object({
    id: v.nullable(v.string()),
    mine: v.boolean(),
    name: text,
    shots: v.number(),
    created: v.string(),
    /** Null if it cannot be estimated. */
    estimated_start: v.optional(v.nullable(v.object({ from: v.string(), to: v.string() })), null),
    email: text,
  }),
)
export type QueuedJob = v.InferOutput<typeof queuedJobs>[number]

/** The answer to the registration of a QPU; its token is shown once. */
export const registeredQpu = v.object({
  id: v.string(),
  name: v.string(),
  access_token: v.string(),
  svc_addr: v.string(),
  ca_fingerprint: v.string(),
})
export type RegisteredQpu = v.InferOutput<typeof registeredQpu>

/** A page of records of which only the ids are read. */
export const recordIds = v.object({ items: v.array(v.object({ id: v.string() })) })
