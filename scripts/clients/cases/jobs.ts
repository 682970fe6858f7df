import { CLOSED, failure, type Lab, type PlannedCase, RECALL_REASON } from './plan.ts'

const id = (name: string) => (lab: Lab) => ({ id: lab.ids[name] })
const ofResult = (name: string, more: object) => (lab: Lab) => ({ id: lab.ids[name], ...more })

const AT = '2026-01-31 08:00:00.000Z'
/** A job as another version of the server, or one that this lab cannot be brought to, sends it. */
const PLAYED = {
  id: 'a0b1c2d3e4f5g6h',
  name: '',
  tags: [],
  status: 'completed',
  qpu: '',
  qpu_target: '',
  shots: 4,
  attempt: 1,
  error: null,
  created: AT,
  started_at: AT,
  finished_at: AT,
  charged_seconds: 1,
  timeline: [],
}
const played = (more: object) => ({
  args: { id: PLAYED.id },
  failures: { responses: [{ status: 200, body: { ...PLAYED, ...more } }] },
})
const OMITTED_COUNTS = {
  header: { name: '', memory_slots: 3, creg_sizes: [['c', 3]], metadata: {} },
  shots: 4,
  memory: 'BQcABQ==',
  counts_omitted: true,
  metadata: {},
}

const readings: readonly PlannedCase[] = [
  { name: 'a pending job has its reason and position', call: 'job', args: id('pending') },
  { name: 'a completed job has its times and charge', call: 'job', args: id('completed') },
  { name: 'a failed job has its error', call: 'job', args: id('failed') },
  { name: 'a cancelled job', call: 'job', args: id('cancelled') },
  { name: 'a job whose results contradict it', call: 'job', args: id('invalid_results') },
  {
    name: 'the calibration with which a job ran',
    call: 'job.calibration',
    args: id('calibrated'),
  },
  {
    name: 'a server of an earlier release says nothing about the calibration of a job',
    call: 'job.calibration',
    ...played({}),
  },
  {
    name: 'a job that has failed keeps the results of its circuits',
    call: 'job.partial_results',
    args: id('failed_part'),
  },
  {
    name: 'a completed job has no partial results',
    call: 'job.partial_results',
    args: id('completed'),
  },
  { name: 'a job does not exist', call: 'job', args: { id: 'aaaaaaaaaaaaaaa' } },
  { name: 'an id is escaped', call: 'job', args: { id: '../tokens' } },
  {
    name: 'unknown fields and states of a newer server are kept',
    call: 'job',
    ...played({ status: 'paused', priority: { level: 3 } }),
  },
  {
    name: 'a reading is repeated after 429 and a lost connection',
    call: 'job',
    args: id('completed'),
    failures: {
      responses: [failure(429, 'limited', 'Too many requests', { 'retry-after': '1' }), CLOSED],
    },
  },
  {
    name: 'a response of another job is none of this one',
    call: 'job',
    ...played({ id: 'z0b1c2d3e4f5g6h' }),
    contains: ['received z0b1c2d3e4f5g6h'],
  },
  { name: 'a reading without credentials', call: 'job', args: id('completed'), as: 'nobody' },
  { name: 'a pending job is cancelled', call: 'cancel_job', args: id('to_cancel') },
  { name: 'a job that has ended is not cancelled', call: 'cancel_job', args: id('completed') },
]

const UNKNOWN = { code: 'validation_unknown_field', message: 'Unknown parameter' }
const REFUSED_OMIT = {
  status: 400,
  body: { status: 400, message: 'Invalid query parameter', code: 'invalid', data: { omit: UNKNOWN } },
}

const lists: readonly PlannedCase[] = [
  { name: 'jobs are listed, newest first', call: 'jobs', args: { options: { tag: 'listed' } } },
  {
    name: 'jobs of one status are listed',
    call: 'jobs',
    args: { options: { tag: 'listed', status: 'completed' } },
  },
  {
    name: 'jobs before another one are listed',
    call: 'jobs',
    args: ({ ids }) => ({ options: { tag: 'listed', before: ids['completed'], limit: 2 } }),
  },
  { name: 'jobs of one QPU are listed', call: 'jobs', args: { options: { tag: 'listed', qpu: 'faulty' } } },
  {
    name: 'jobs of a calibration are listed',
    call: 'jobs',
    args: { options: { calibration: 'a0b1c2d3e4f5g6h' } },
  },
  {
    name: 'jobs are listed by a server that knows no omit',
    call: 'jobs',
    args: { options: { tag: 'listed' } },
    failures: { responses: [REFUSED_OMIT] },
  },
  { name: 'a filter of jobs is not valid', call: 'jobs', args: { options: { status: 'done' } } },
]

/** Lets the job run that another QPU keeps. */
async function release({ service }: Lab, { id: job }: Readonly<Record<string, unknown>>): Promise<void> {
  await Bun.sleep(400)
  const token = await service.admin()
  await service.call('POST', `/api/op/jobs/${job}/release`, { token, body: {} })
}

const waits: readonly PlannedCase[] = [
  { name: 'a wait ends when the job completes', call: 'wait', args: id('to_wait'), meanwhile: release },
  {
    name: 'a wait survives failures of the server and of the network',
    call: 'wait',
    args: id('to_survive'),
    meanwhile: release,
    failures: {
      after: 1,
      responses: [
        failure(500, 'internal', 'Internal error'),
        CLOSED,
        failure(503, 'unavailable', 'Starting'),
      ],
    },
  },
  { name: 'a wait returns a failed job', call: 'wait', args: id('failed') },
  {
    name: 'a wait ends with an error when the job is gone',
    call: 'wait',
    args: id('pending'),
    failures: {
      after: 1,
      responses: ({ ids }) => [
        { status: 200, body: { jobs: [], unknown: [ids['pending']] } },
        failure(404, 'not_found', 'The job does not exist'),
      ],
    },
  },
  {
    name: 'a wait at a server of an earlier release',
    call: 'wait',
    args: ofResult('pending', { timeout: 0.3 }),
    failures: { after: 1, responses: [failure(404, 'not_found', 'There is no such route')] },
  },
  {
    name: 'a wait that is limited ends, the job goes on',
    call: 'wait',
    args: ofResult('pending', { timeout: 0.3 }),
    failures: { after: 1, responses: [{ status: 200, body: { jobs: [], unknown: [] } }] },
  },
]

const results: readonly PlannedCase[] = [
  { name: 'counts of a result', call: 'result', args: id('completed') },
  {
    name: 'clients warn of a result that was recalled',
    call: 'result.warns',
    args: ofResult('recalled', { reason: RECALL_REASON }),
  },
  {
    name: 'clients do not warn of other results',
    call: 'result.warns',
    args: ofResult('completed', { reason: 'recalled: null' }),
  },
  { name: 'names and metadata of circuits return with their results', call: 'result', args: id('labelled') },
  { name: 'a result for each set of parameters', call: 'result', args: id('swept') },
  { name: 'the outcome of each shot, packed', call: 'result', args: id('packed') },
  { name: 'the outcome of each shot, as hexadecimal texts', call: 'result', args: id('hex') },
  { name: 'points of all shots', call: 'result', args: id('points') },
  { name: 'averaged points', call: 'result', args: id('averaged') },
  {
    name: 'counts of one register',
    call: 'result.register',
    args: ofResult('registers', { circuit: 0, name: 'b' }),
  },
  {
    name: 'a register that does not exist',
    call: 'result.register',
    args: ofResult('registers', { circuit: 0, name: 'z' }),
    contains: ['a, b'],
  },
  {
    name: 'counts of some bits',
    call: 'result.marginal',
    args: ofResult('registers', { circuit: 0, bits: [2, 0] }),
  },
  { name: 'probabilities', call: 'result.probabilities', args: ofResult('completed', { circuit: 0 }) },
  {
    name: 'a mean and its standard error',
    call: 'result.expectation',
    args: ofResult('rotated', { circuit: 0, pauli_z: 'Z' }),
  },
  {
    name: 'a mean of a product',
    call: 'result.expectation',
    args: ofResult('completed', { circuit: 0, pauli_z: 'ZZ' }),
  },
  ...(
    [
      ['probabilities of one register, of exact values', 'register', { name: 'b' }],
      ['probabilities of some bits, of exact values', 'marginal', { bits: [2, 0] }],
      ['an exact mean', 'expectation', { pauli_z: 'ZIZ' }],
    ] as const
  ).map(([name, call, args]) => ({
    name,
    call: `result.${call}`,
    args: ofResult('exact', { circuit: 0, ...args }),
  })),
  {
    name: 'means of observables have no outcomes',
    call: 'result.expectation',
    args: ofResult('observed', { circuit: 0, pauli_z: 'ZZ' }),
    contains: ['in place of outcomes'],
  },
  { name: 'a result with discarded shots', call: 'result', args: id('discarded') },
  {
    name: 'a mean of more bits than the result has',
    call: 'result.expectation',
    args: ofResult('completed', { circuit: 0, pauli_z: 'IZZ' }),
    contains: ['more characters than the 2 bits'],
  },
  {
    name: 'counts of a bit that the result does not have',
    call: 'result.marginal',
    args: ofResult('completed', { circuit: 0, bits: [0, 2] }),
    contains: ['2 bits; there is no bit 2'],
  },
  {
    name: 'a mean of no shots',
    call: 'result.expectation',
    args: ofResult('all_discarded', { circuit: 0, pauli_z: 'ZZ' }),
    contains: ['discarded all shots'],
  },
  {
    name: 'probabilities of the shots that are left',
    call: 'result.probabilities',
    args: ofResult('discarded', { circuit: 0 }),
  },
  {
    name: 'a mean of the shots that are left',
    call: 'result.expectation',
    args: ofResult('discarded', { circuit: 0, pauli_z: 'ZZ' }),
  },
  {
    name: 'counts that a result omits are counted in the memory',
    call: 'result',
    ...played({ results: { backend: 'kelvin', metadata: {}, circuit_results: [OMITTED_COUNTS] } }),
  },
  { name: 'a failed job has no result', call: 'result', args: id('failed') },
  { name: 'results that contradict their job are no result', call: 'result', args: id('invalid_results') },
  { name: 'a cancelled job has no result', call: 'result', args: id('cancelled') },
]

/** Jobs after their submission. */
export const JOBS: readonly PlannedCase[] = [...readings, ...lists, ...waits, ...results]
