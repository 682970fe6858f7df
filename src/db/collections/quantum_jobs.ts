import { defineCollection } from '../schema/collection.ts'
import {
  bool,
  choice,
  date,
  integer,
  json,
  largeJson,
  number,
  relation,
  text,
} from '../schema/fields/index.ts'

/** The condition of a queued job. Statements that rely on a partial index must use this exact text. */
export const QUEUED = "status = 'pending' AND held = 0"

const PAYLOAD_BYTES = 10_485_760
const RESULT_BYTES = 33_554_432
/** 10 tags of 64 characters with 4 bytes each, quoted. */
const TAGS_BYTES = 4_096
/** What the order of pending jobs depends on, besides their users. */
export const ORDER_COLUMNS = [
  ...['held', 'seq', 'id', 'qpu_target', 'not_before', 'run_next'],
  ...['qubits', 'shots', 'executions', 'features'],
] as const

/** The condition of a job that its last attempt has completed; it is not true of imported ones. */
export const COMPLETED_HERE = "status = 'completed' AND claimed_at <> ''"

const RARE = "status = 'failed' OR status = 'cancelled'"

abstract class LargeValues {
  abstract accessor payload: unknown
  abstract accessor results: unknown
}

/** Jobs; their order in the queue is `seq`. */
export const quantumJobs = defineCollection({
  name: 'quantum_jobs',
  fields: {
    user_id: relation('users'),
    // Ended jobs keep the ids of removed QPUs and drivers: finding these jobs would need indexes.
    qpu_target: relation('qpus', { keep: true }),
    payload: largeJson(LargeValues, { maxBytes: PAYLOAD_BYTES }),
    status: choice(['pending', 'running', 'completed', 'failed', 'cancelled'], { default: 'pending' }),
    finished_at: date(),
    duration: number({ min: 0, help: 'Seconds that the job ran' }),
    results: largeJson(LargeValues, { maxBytes: RESULT_BYTES }),
    driver: relation('drivers', { keep: true, readOnly: true }),
    started_at: date({ readOnly: true }),
    attempt: integer({
      min: 0,
      readOnly: true,
      help: 'Number of times that the job was claimed for a driver',
    }),
    progress: number({
      min: 0,
      max: 1,
      readOnly: true,
      help: 'Part of the job that its last attempt has done; 0 = not reported',
    }),
    not_before: integer({ internal: true, help: 'Earliest next claim, ms since the epoch' }),
    held: bool({ readOnly: true, help: 'Held by an operator' }),
    hold_reason: text({ internal: true, max: 1_000 }),
    run_next: integer({
      internal: true,
      help: 'Runs before all jobs with a smaller number; 0 = in order of submission',
    }),
    error_code: text({ max: 100, readOnly: true }),
    name: text({ max: 200, readOnly: true, help: 'Name given at submission' }),
    tags: json({ maxBytes: TAGS_BYTES, readOnly: true, help: 'Up to 10 tags given at submission' }),
    qpu: relation('qpus', { keep: true, readOnly: true, help: 'The QPU that runs or ran it' }),
    holder: text({ internal: true, max: 15, help: 'The holder of a session whose secret submitted it' }),
    session: relation('sessions', { keep: true, readOnly: true, help: 'The session in which it started' }),
    // What the job needs of a QPU; see store/jobs/fits-qpu.ts.
    qubits: integer({ internal: true, help: 'Number of qubits of its largest program; 0 = unknown' }),
    shots: integer({ internal: true, help: 'Most shots of one of its circuits; 0 = unknown' }),
    executions: integer({ internal: true, help: 'Circuits multiplied by parameter sets; 0 = unknown' }),
    features: integer({ internal: true, help: 'Features of a QPU that it needs, one bit each' }),
    // What was expected of it at its submission; see store/jobs/forecast/quote.ts.
    quote_basis: text({ internal: true, max: 20, help: 'Of the estimate at its submission; empty = none' }),
    quote_run_from: integer({ internal: true, help: 'Estimated QPU time, ms' }),
    quote_run_to: integer({ internal: true }),
    quote_start_from: date({ internal: true, help: 'Estimated start; empty = none' }),
    quote_start_to: date({ internal: true }),
    quote_wait_ms: integer({ internal: true, help: 'The wait that the queue let expect' }),
    max_ms: integer({
      internal: true,
      help: 'Most ms that it may run and be charged, over all attempts; 0 = no limit of its own',
    }),
    expected_results: text({
      internal: true,
      max: 10_000,
      help: 'What its results must contain, as JSON; empty for a job of an earlier version',
    }),
    program_hash: text({
      internal: true,
      max: 43,
      help: 'SHA-256 of its programs, one after another, in base64url; empty for a job of an earlier version',
    }),
    chip_needs: text({
      internal: true,
      max: 10_000,
      help: 'What its programs need of a chip, as JSON; empty = unknown',
    }),
  },
  rules: {
    list: '',
    view: '',
    create:
      '@request.auth.id != "" && (user_id = "" || user_id = @request.auth.id) && (status = "" || status = "pending")',
    update: null,
    remove: null,
  },
  owner: 'user_id',
  searchedList: 'tags',
  columns: {
    // The attempt that runs or has completed the job; others are in job_attempts. '' = there is none.
    claimed_at: "TEXT NOT NULL DEFAULT ''",
    // The epoch of its driver's lease.
    epoch: 'INTEGER NOT NULL DEFAULT 0',
    // Number in job_provenance, of the attempt that ended the job; 0 = nothing is known.
    provenance: 'INTEGER NOT NULL DEFAULT 0',
    // Its events; see journal/timeline.ts.
    history: "TEXT NOT NULL DEFAULT ''",
  },
  checks: {
    finished_at: "(status IN ('completed', 'failed', 'cancelled')) = (finished_at <> '')",
    started_at: "started_at = '' OR status <> 'pending'",
    driver: "driver = '' OR status <> 'pending'",
    attempt: "attempt > 0 OR status <> 'running'",
    claim: "claimed_at = '' OR status IN ('running', 'completed')",
  },
  // None of a column that changes with each step of a job but for the partial ones: what they cost is on
  // record in tests/golden/costs.ts.
  indexes: [
    // For lists with the newest job first, without sorting: of all users and of one. Written once.
    ['created'],
    ['user_id', 'created'],
    // `GET /api/jobs` orders by seq. Written once.
    ['user_id', 'seq'],
    // For lists of jobs with a rare status, of all users and of one. Completed jobs are not in them: a list
    // of those finds enough of them anywhere.
    { on: ['status', 'seq'], where: RARE },
    { on: ['user_id', 'status', 'seq'], where: RARE },
    // For the greatest `run_next`; jobs that nobody has moved are not in it.
    { on: ['run_next'], where: `run_next > 0 AND (${QUEUED})` },
    // For removing the programs of cancelled jobs.
    { on: ['finished_at'], where: "status = 'cancelled' AND payload IS NOT NULL" },
    // For counting pending jobs, held or not, at each submission, independent of the length of the history,
    // and for reading the order of all at the start without reading a payload.
    { on: ['status', 'user_id', ...ORDER_COLUMNS], where: "status = 'pending'" },
    // For the times in which a QPU ran jobs, and how long they took. Written once, at the end.
    { on: ['qpu', 'finished_at'], where: COMPLETED_HERE },
    // For the jobs of a calibration, and for whether a job has this provenance. Written once, at the end.
    { on: ['provenance'], where: 'provenance > 0' },
    // For cancelling what the secrets of sessions submitted once these have ended. Other jobs are not in it.
    { on: ['status', 'holder'], where: "status = 'pending' AND holder > ''" },
    // I10: at most one running job per QPU.
    { on: ['status', 'qpu'], unique: true, where: "status = 'running'" },
  ],
})
