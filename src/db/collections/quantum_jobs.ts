import { defineCollection } from '../schema/collection.ts'
import { bool, choice, date, integer, json, number, relation, text } from '../schema/fields/index.ts'

/**
 * The condition of a queued job. Statements that rely on the queue's partial indexes must use this exact
 * text.
 */
export const QUEUED = "status = 'pending' AND held = 0"

const PAYLOAD_BYTES = 10_485_760
const RESULT_BYTES = 33_554_432

/** Jobs; their order in the queue is `seq`. */
export const quantumJobs = defineCollection({
  name: 'quantum_jobs',
  fields: {
    user_id: relation('users'),
    qpu_target: relation('qpus'),
    payload: json({ maxBytes: PAYLOAD_BYTES }),
    status: choice(['pending', 'running', 'completed', 'failed', 'cancelled'], { default: 'pending' }),
    finished_at: date(),
    duration: number({ min: 0, help: 'Seconds that the job ran' }),
    results: json({ maxBytes: RESULT_BYTES }),
    driver: relation('drivers', { readOnly: true }),
    started_at: date({ readOnly: true }),
    attempt: integer({
      min: 0,
      readOnly: true,
      help: 'Number of times that the job was claimed for a driver',
    }),
    not_before: integer({ internal: true, help: 'Earliest next claim, ms since the epoch' }),
    held: bool({ readOnly: true, help: 'Held by an operator' }),
    hold_reason: text({ internal: true, max: 1_000 }),
    run_next: integer({
      internal: true,
      help: 'Runs before all jobs with a smaller number; 0 = in order of submission',
    }),
    error_code: text({ max: 100, readOnly: true }),
    qubits: integer({ internal: true, help: 'Number of qubits of its largest program; 0 = unknown' }),
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
  indexes: [
    ['status'],
    // For lists with the newest job first, of all users and of one, without sorting; `GET /api/jobs` orders
    // by seq.
    ['created'],
    ['user_id'],
    ['user_id', 'created'],
    // For the queue of a QPU and of a user: covering indexes, so that reading the queue never reads a
    // payload.
    { on: ['qpu_target', 'seq', 'user_id', 'not_before', 'qubits'], where: QUEUED },
    { on: ['user_id', 'seq', 'qpu_target', 'not_before', 'qubits'], where: QUEUED },
    {
      on: ['run_next', 'seq', 'user_id', 'qpu_target', 'not_before', 'qubits'],
      where: `run_next > 0 AND (${QUEUED})`,
    },
    // For removing the programs of cancelled jobs.
    { on: ['finished_at'], where: "status = 'cancelled' AND payload IS NOT NULL" },
    // For counting pending jobs, held or not, at each submission, independent of the length of the history.
    { on: ['held', 'user_id'], where: "status = 'pending'" },
    // I10: at most one running job per QPU.
    { on: ['qpu_target'], unique: true, where: "status = 'running' AND qpu_target <> ''" },
  ],
})
