import * as v from 'valibot'
import { ESTIMATE_BASES, quantumJobs } from '../../db/store/jobs/index.ts'
import { attemptProvenance, jobPayload, jobResults } from '../../protocol/index.ts'
import { recordResponse } from '../http/response/record-response.ts'

const time = v.pipe(v.string(), v.description('UTC, such as 2026-01-31 09:05:00.000Z'))
const count = v.pipe(v.number(), v.integer())

const payload = v.pipe(jobPayload, v.title('JobPayload'))
const results = v.pipe(jobResults, v.title('JobResults'))
const failedResults = v.pipe(v.looseObject({ error: v.string() }), v.title('FailedJobResults'))
const error = v.pipe(v.object({ code: v.string(), message: v.string() }), v.title('JobError'))

/** The fields of a job's response that its collection does not declare or declares as plain JSON. */
export const jobShape = {
  // Imported jobs keep the payload and the results that they had in the other system.
  payload: v.union([payload, v.unknown()]),
  results: v.union([results, failedResults, v.unknown()]),
  tags: v.array(v.string()),
  error: v.pipe(v.nullable(error), v.description('Why a failed job has no results')),
}

const recallMark = v.pipe(
  v.object({
    recall: v.pipe(v.string(), v.description('Id of the oldest recall in force that covers it')),
    reason: v.string(),
    at: v.pipe(time, v.description('When it was declared')),
  }),
  v.title('RecallMark'),
)

/** The mark of a report that is recalled. */
export const recalledShape = v.pipe(v.nullable(recallMark), v.description('Null = no recall is in force'))
const recalled = v.pipe(
  v.nullable(recallMark),
  v.description(
    'Why its result is not to be relied on, although it is completed; null = no recall is in force',
  ),
)

const ownShape = {
  ...jobShape,
  shots: v.pipe(count, v.description('Most shots of one of its circuits; 0 = unknown')),
  max_seconds: v.pipe(
    v.nullable(v.number()),
    v.description('Most QPU time that it may use, over all attempts; null = no limit of its own'),
  ),
  program_sha256: v.pipe(
    v.nullable(v.string()),
    v.description('SHA-256 of its program, or of the sums of several; null for a job of an earlier version'),
  ),
}

const seconds = v.pipe(v.object({ from: v.number(), to: v.number() }), v.title('SecondsRange'))
const times = v.pipe(v.object({ from: time, to: time }), v.title('TimeRange'))

/** See `presentQuote`. */
const estimateShape = v.pipe(
  v.object({
    qpu_seconds: v.pipe(seconds, v.description('QPU time')),
    start: v.pipe(v.nullable(times), v.description('UTC; null = nobody can say, see `waiting`')),
    charge: v.pipe(seconds, v.description('QPU seconds; 0 for an unlimited user')),
    basis: v.pipe(
      v.picklist(ESTIMATE_BASES),
      v.description('Earlier runs of the same programs, the latest jobs of the QPU, or an assumption'),
    ),
  }),
  v.title('JobEstimate'),
  v.description('Ranges that contain the real value four times in five, as measured, unless assumed'),
)

const submissionEstimate = v.pipe(v.nullable(estimateShape), v.description('At its submission; null = none'))

/** A job in a list and after a change, which does not state recalls: see `presentJob`. */
export const jobResponse = recordResponse('Job', quantumJobs, { ...ownShape, recalled: v.optional(recalled) })

const problem = v.pipe(
  v.object({
    path: v.string(),
    code: v.string(),
    message: v.string(),
    params: v.optional(v.record(v.string(), v.unknown())),
  }),
  v.title('Problem'),
)

/** A job that was submitted. */
export const submittedResponse = recordResponse('SubmittedJob', quantumJobs, {
  ...ownShape,
  estimate: submissionEstimate,
  warnings: v.pipe(v.array(problem), v.description('As of a dry run')),
})

const waiting = v.pipe(
  v.object({ code: v.string(), text: v.string(), since: v.optional(time), until: v.optional(time) }),
  v.title('JobWaiting'),
  v.description('Why it waits; only while it is pending'),
)
const { device_file: _, ...known } = attemptProvenance.entries
const fileState = v.pipe(attemptProvenance.entries.device_file.wrapped.entries.before, v.title('FileState'))
const calibrationState = v.pipe(
  v.object({
    report: v.optional(v.pipe(v.string(), v.description('Id of the newest calibration report in force'))),
    calibrated_at: v.optional(v.pipe(time, v.description('Its end'))),
    device_file: v.optional(v.pipe(fileState, v.description('As the driver had read it'))),
  }),
  v.title('CalibrationState'),
)
const calibration = v.pipe(
  v.object({
    before: calibrationState,
    after: calibrationState,
    changed: v.pipe(v.boolean(), v.description('Whether the device file or the report is another one')),
  }),
  v.title('AttemptCalibration'),
  v.description('The calibration when the attempt began and when it ended'),
)
const provenance = v.pipe(
  v.object({ ...v.partial(v.object(known)).entries, calibration: v.optional(calibration) }),
  v.title('AttemptProvenance'),
  v.description('What it ran with; what an earlier driver or the device does not report is absent'),
)

const attempt = v.pipe(
  v.object({
    attempt: count,
    qpu: v.string(),
    driver: v.string(),
    state: v.string(),
    claimed_at: time,
    started_at: time,
    ended_at: time,
    provenance: v.optional(provenance),
  }),
  v.title('JobAttempt'),
)
const step = v.pipe(
  v.object({ at: time, event: v.string(), attempt: count, detail: v.string() }),
  v.title('TimelineStep'),
)

const detailShape = {
  ...ownShape,
  give_up_at: v.pipe(v.nullable(time), v.description('When it fails if it still waits; null = never')),
  charged_seconds: v.nullable(v.number()),
  estimate: submissionEstimate,
  timeline: v.array(step),
  calibration: v.pipe(
    v.nullable(calibration),
    v.description('Calibration of the last attempt that reported its end; null = not known'),
  ),
  disturbed_by: v.pipe(
    v.nullable(v.string()),
    v.description('Report of a calibration that ran on the QPU while the job did; null = none'),
  ),
  recalled,
  attempts: v.pipe(v.array(attempt), v.description('Each claim for a driver, with the QPU that ran it')),
  waiting: v.optional(waiting),
  queue_position: v.optional(v.pipe(count, v.description('1 = next'))),
  estimated_start: v.optional(v.nullable(estimateShape.entries.start.wrapped)),
}

/** One job with its history and, while it is pending, its wait estimate: see `viewJob`. */
export const jobDetailResponse = recordResponse('JobDetail', quantumJobs, detailShape)

/** What a caller that knows jobs does not know of them: see `viewJobChanges`. */
export const jobChangesResponse = v.object({
  jobs: v.array(recordResponse('JobChange', quantumJobs, { ...detailShape, payload: v.optional(payload) })),
  unknown: v.pipe(v.array(v.string()), v.description('Ids of jobs that do not exist, or belong to others')),
})

/** The outcome that a submission would have: see `DryRun`. */
export const dryRunResponse = v.pipe(
  v.object({
    dry_run: v.literal(true),
    accepted: v.boolean(),
    executions: count,
    qubits: count,
    qpu_target: v.string(),
    payload: v.nullable(payload),
    problems: v.array(problem),
    warnings: v.array(problem),
    ignored: v.array(v.string()),
    estimate: v.pipe(v.nullable(estimateShape), v.description('Null unless it would be accepted')),
  }),
  v.title('DryRun'),
)
