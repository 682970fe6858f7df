import { defineCollection } from '../schema/collection.ts'
import { bool, choice, date, integer, json, relation, text } from '../schema/fields/index.ts'

const SIGNED_IN = '@request.auth.id != ""'

/** The queue of calibrations. */
export const calibrationRequests = defineCollection({
  name: 'calibration_requests',
  fields: {
    driver: relation('drivers', { required: true, cascade: true }),
    mode: choice(['fidelity_check', 'partial', 'full']),
    status: choice(['pending', 'running', 'done', 'failed'], { default: 'pending' }),
    progress: json(),
    target_qubits: json(),
    requested_by: text(),
    error: text({ max: 100_000 }),
    started_at: date(),
    finished_at: date(),
    result: relation('calibration_results'),
    resumes: relation('calibration_requests', {
      help: 'The request whose finished steps it does not repeat',
    }),
    run_id: text({ internal: true, unique: true, help: 'Id of the run in the command to the tuner' }),
    epoch: integer({ internal: true, help: 'Epoch of the lease under which the command was sent' }),
    waits: bool({ internal: true, help: 'It waits for the job that its QPU runs; no other job starts' }),
    confirmed: bool({ internal: true, help: 'The tuner has begun the run' }),
  },
  rules: { list: SIGNED_IN, view: SIGNED_IN, create: null, update: null, remove: null },
  indexes: [
    ['status', 'finished_at'],
    ['driver', 'status'],
    // I10: at most one running calibration per tuner.
    { on: ['driver'], unique: true, where: "status = 'running'" },
  ],
})
