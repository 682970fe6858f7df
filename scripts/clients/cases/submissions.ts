import { BELL, CLOSED, FLIP, failure, type PlannedCase, ROTATION } from './plan.ts'

const bell = { circuits: [BELL], shots: 100, qpu: 'silent' }
const KEY = '5f0c9a56-7b1e-4c8e-9d0b-2f4f0d9c7a11'

const accepted: readonly PlannedCase[] = [
  { name: 'a program is submitted', call: 'submit_job', args: { circuits: [BELL] } },
  { name: 'shots and a QPU are chosen', call: 'submit_job', args: bell },
  {
    name: 'a job has a name and tags',
    call: 'submit_job',
    args: { ...bell, name: 'sweep 1', tags: ['demo', 'T1'] },
  },
  {
    name: 'a circuit has a name, metadata and shots of its own',
    call: 'submit_job',
    args: { ...bell, circuits: [{ circuit: BELL, name: 'bell', metadata: { delay: 1e-6 }, shots: 10 }] },
  },
  {
    name: 'a program has one set of parameters',
    call: 'submit_job',
    args: { ...bell, circuits: [{ circuit: ROTATION, parameter_values: [[0.5]] }] },
  },
  {
    name: 'a program has several sets of parameters',
    call: 'submit_job',
    args: { ...bell, circuits: [{ circuit: ROTATION, parameter_values: [[0], [1.5], [3]] }] },
  },
  { name: 'a job has several programs', call: 'submit_job', args: { ...bell, circuits: [BELL, FLIP] } },
  {
    name: 'points of all shots are requested',
    call: 'submit_job',
    args: { ...bell, circuits: [FLIP], meas_level: 1 },
  },
  {
    name: 'averaged points are requested',
    call: 'submit_job',
    args: { ...bell, circuits: [FLIP], meas_level: 1, meas_return: 'avg' },
  },
  {
    name: 'the outcome of each shot is requested packed',
    call: 'submit_job',
    args: { ...bell, memory: true },
  },
  { name: 'a seed is given', call: 'submit_job', args: { ...bell, seed: 7 } },
  { name: 'the QPU time is limited', call: 'submit_job', args: { ...bell, max_seconds: 2.5 } },
  {
    name: 'a quality is required of the qubits',
    call: 'submit_job',
    args: {
      ...bell,
      require: { readout_fidelity: '>0.97', two_qubit_error: '<0.01', calibrated_within: '2h' },
    },
  },
  {
    name: 'a condition on quality has no comparison',
    call: 'submit_job',
    args: { ...bell, require: { readout_fidelity: '0.97' } },
  },
  { name: 'a job is given up in time', call: 'submit_job', args: { ...bell, give_up_after: '2h' } },
  { name: 'single precision is requested', call: 'submit_job', args: { ...bell, precision: 'single' } },
  { name: 'an idempotency key is given', call: 'submit_job', args: { ...bell, idempotency_key: KEY } },
  { name: 'the same key gives the same job', call: 'submit_job', args: { ...bell, idempotency_key: KEY } },
  { name: 'a job is found by the key of its submission', call: 'resume', args: { idempotency_key: KEY } },
  { name: 'no job has a key', call: 'resume', args: { idempotency_key: 'lab/run-7' } },
]

const again: readonly PlannedCase[] = [
  {
    name: 'a submission is repeated after 429, when the server asks for it',
    call: 'submit_job',
    args: bell,
    failures: { responses: [failure(429, 'limited', 'Too many requests', { 'retry-after': '1' })] },
  },
  {
    name: 'a submission is repeated after 500',
    call: 'submit_job',
    args: bell,
    failures: { responses: [failure(500, 'internal', 'Internal error')] },
  },
  {
    name: 'a submission is repeated after the page of a proxy',
    call: 'submit_job',
    args: bell,
    failures: { responses: [{ status: 502, body: '<html>Bad Gateway</html>' }] },
  },
  {
    name: 'a submission is repeated after a lost connection, with the same key',
    call: 'submit_job',
    args: bell,
    failures: { responses: [CLOSED, CLOSED] },
  },
  {
    name: 'a submission is repeated while too many large ones are processed',
    call: 'submit_job',
    args: bell,
    failures: {
      responses: [
        failure(503, 'too_many_large_requests', 'Too many large requests at once', { 'retry-after': '1' }),
      ],
    },
  },
  {
    name: 'a full disk is not tried again',
    call: 'submit_job',
    args: bell,
    failures: { responses: [failure(507, 'storage_full', 'The disk of the server is full')] },
  },
]

const refused: readonly PlannedCase[] = [
  {
    name: 'a syntax error names its line',
    call: 'submit_job',
    args: { circuits: ['OPENQASM 3.0;\nqubit q;\nh q'] },
    contains: ['h q', '^'],
  },
  {
    name: 'an error in the second program names it',
    call: 'submit_job',
    args: { circuits: [BELL, 'OPENQASM 3.0;\nqubit q;\nfoo q;\n'] },
    contains: ['foo q;', '^'],
  },
  { name: 'a QPU is unknown', call: 'submit_job', args: { ...bell, qpu: 'nowhere' } },
  { name: 'there are too many shots', call: 'submit_job', args: { ...bell, shots: 1_000_001 } },
  { name: 'a tag is too long', call: 'submit_job', args: { ...bell, tags: ['x'.repeat(65)] } },
  { name: 'there is no circuit', call: 'submit_job', args: { ...bell, circuits: [] } },
  {
    name: 'a key was used for another submission',
    call: 'submit_job',
    args: { ...bell, shots: 101, idempotency_key: KEY },
  },
  { name: 'a QPU is disabled', call: 'submit_job', args: { ...bell, qpu: 'disabled' } },
  { name: 'a QPU is in maintenance', call: 'submit_job', args: { ...bell, qpu: 'serviced' } },
  { name: 'a token is not valid', call: 'submit_job', args: bell, as: 'nobody' },
  {
    name: 'the balance is used up',
    call: 'submit_job',
    args: bell,
    failures: {
      responses: [failure(403, 'insufficient_qpu_seconds', 'The balance of QPU seconds is used up')],
    },
  },
  {
    name: 'the account has too many pending jobs',
    call: 'submit_job',
    args: bell,
    failures: { responses: [failure(409, 'too_many_pending_jobs', 'At most 1000 pending jobs are allowed')] },
  },
  {
    name: 'a body is too large for the server',
    call: 'submit_job',
    args: bell,
    failures: { responses: [failure(413, 'too_large', 'The body is larger than 16 MiB')] },
  },
  {
    name: 'more than 300 executions are refused before anything is sent',
    call: 'submit_job',
    args: {
      ...bell,
      circuits: [{ circuit: ROTATION, parameter_values: Array.from({ length: 301 }, () => [0]) }],
    },
  },
]

const checks: readonly PlannedCase[] = [
  { name: 'a job is checked', call: 'check_job', args: { ...bell, name: 'checked' } },
  {
    name: 'a check lists all problems',
    call: 'check_job',
    args: { ...bell, circuits: [BELL, 'OPENQASM 3.0;\nqubit q;\nh r;\n'] },
  },
]

/** Submissions: accepted, repeated, refused and checked. */
export const SUBMISSIONS: readonly PlannedCase[] = [...accepted, ...again, ...refused, ...checks]
