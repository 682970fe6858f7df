import * as v from 'valibot'
import { ESTIMATE_BASES, quantumJobs } from '../../db/store/jobs/index.ts'
import { attemptProvenance, jobPayload, jobResults } from '../../protocol/index.ts'
import { recordResponse } from '../http/response/record-response.ts'
import { described, shape } from '../http/schema.ts'

const time = described(v.string(), 'UTC, such as 2026-01-31 09:05:00.000Z')
const count = v.pipe(v.number(), v.integer())

const payload = v.pipe(jobPayload, v.title('JobPayload'))
const results = v.pipe(jobResults, v.title('JobResults'))
const failedResults = v.pipe(v.looseObject({ error: v.string() }), v.title('FailedJobResults'))
const error = shape('JobError', { code: v.string(), message: v.string() })

/** The fields of a job's response that its collection does not declare or declares as plain JSON. */
export const jobShape = {
  // Imported jobs keep the payload and the results that they had in the other system.
  payload: v.union([payload, v.unknown()]),
  results: v.union([results, failedResults, v.unknown()]),
  tags: v.array(v.string()),
  error: described(v.nullable(error), 'Why a failed job has no results'),
}

const recallMark = shape('RecallMark', {
  recall: described(v.string(), 'Id of the oldest recall in force that covers it'),
  reason: v.string(),
  at: described(time, 'When it was declared'),
})

/** The mark of a report that is recalled. */
export const recalledShape = described(v.nullable(recallMark), 'Null = no recall is in force')
const recalled = described(
  v.nullable(recallMark),
  'Why its result is not to be relied on, although it is completed; null = no recall is in force',
)

const ownShape = {
  ...jobShape,
  shots: described(count, 'Most shots of one of its circuits; 0 = unknown'),
  max_seconds: described(
    v.nullable(v.number()),
    'Most QPU time that it may use, over all attempts; null = no limit of its own',
  ),
  program_sha256: described(
    v.nullable(v.string()),
    'SHA-256 of its program, or of the sums of several; null for a job of an earlier version',
  ),
}

const seconds = shape('SecondsRange', { from: v.number(), to: v.number() })
const times = shape('TimeRange', { from: time, to: time })

/** See `presentQuote`. */
const estimateShape = described(
  shape('JobEstimate', {
    qpu_seconds: described(seconds, 'QPU time'),
    start: described(v.nullable(times), 'UTC; null = nobody can say, see `waiting`'),
    charge: described(seconds, 'QPU seconds; 0 for an unlimited user'),
    basis: described(
      v.picklist(ESTIMATE_BASES),
      'Earlier runs of the same programs, the latest jobs of the QPU, or an assumption',
    ),
  }),
  'Ranges that contain the real value four times in five, as measured, unless assumed',
)

const submissionEstimate = described(v.nullable(estimateShape), 'At its submission; null = none')

/** A job in a list and after a change, which does not state recalls: see `presentJob`. */
export const jobResponse = recordResponse('Job', quantumJobs, { ...ownShape, recalled: v.optional(recalled) })

const problem = shape('Problem', {
  path: v.string(),
  code: v.string(),
  message: v.string(),
  params: v.optional(v.record(v.string(), v.unknown())),
})

/** A job that was submitted. */
export const submittedResponse = recordResponse('SubmittedJob', quantumJobs, {
  ...ownShape,
  estimate: submissionEstimate,
  warnings: described(v.array(problem), 'As of a dry run'),
})

const waiting = described(
  shape('JobWaiting', {
    code: v.string(),
    text: v.string(),
    since: v.optional(time),
    until: v.optional(time),
  }),
  'Why it waits; only while it is pending',
)
const { device_file: _, ...known } = attemptProvenance.entries
const fileState = v.pipe(attemptProvenance.entries.device_file.wrapped.entries.before, v.title('FileState'))
const calibrationState = shape('CalibrationState', {
  report: v.optional(described(v.string(), 'Id of the newest calibration report in force')),
  calibrated_at: v.optional(described(time, 'Its end')),
  device_file: v.optional(described(fileState, 'As the driver had read it')),
})
const calibration = described(
  shape('AttemptCalibration', {
    before: calibrationState,
    after: calibrationState,
    changed: described(v.boolean(), 'Whether the device file or the report is another one'),
  }),
  'The calibration when the attempt began and when it ended',
)
const provenance = described(
  shape('AttemptProvenance', { ...v.partial(v.object(known)).entries, calibration: v.optional(calibration) }),
  'What it ran with; what an earlier driver or the device does not report is absent',
)

const attempt = shape('JobAttempt', {
  attempt: count,
  qpu: v.string(),
  driver: v.string(),
  state: v.string(),
  claimed_at: time,
  started_at: time,
  ended_at: time,
  provenance: v.optional(provenance),
})
const step = shape('TimelineStep', { at: time, event: v.string(), attempt: count, detail: v.string() })

const detailShape = {
  ...ownShape,
  give_up_at: described(v.nullable(time), 'When it fails if it still waits; null = never'),
  charged_seconds: v.nullable(v.number()),
  estimate: submissionEstimate,
  timeline: v.array(step),
  calibration: described(
    v.nullable(calibration),
    'Calibration of the last attempt that reported its end; null = not known',
  ),
  disturbed_by: described(
    v.nullable(v.string()),
    'Report of a calibration that ran on the QPU while the job did; null = none',
  ),
  recalled,
  attempts: described(v.array(attempt), 'Each claim for a driver, with the QPU that ran it'),
  waiting: v.optional(waiting),
  queue_position: v.optional(described(count, '1 = next')),
  estimated_start: v.optional(v.nullable(estimateShape.entries.start.wrapped)),
}

/** One job with its history and, while it is pending, its wait estimate: see `viewJob`. */
export const jobDetailResponse = recordResponse('JobDetail', quantumJobs, detailShape)

/** What a caller that knows jobs does not know of them: see `viewJobChanges`. */
export const jobChangesResponse = v.object({
  jobs: v.array(recordResponse('JobChange', quantumJobs, { ...detailShape, payload: v.optional(payload) })),
  unknown: described(v.array(v.string()), 'Ids of jobs that do not exist, or belong to others'),
})

/** The outcome that a submission would have: see `DryRun`. */
export const dryRunResponse = shape('DryRun', {
  dry_run: v.literal(true),
  accepted: v.boolean(),
  executions: count,
  qubits: count,
  qpu_target: v.string(),
  payload: v.nullable(payload),
  problems: v.array(problem),
  warnings: v.array(problem),
  ignored: v.array(v.string()),
  estimate: described(v.nullable(estimateShape), 'Null unless it would be accepted'),
})
