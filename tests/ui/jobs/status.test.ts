import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { job } from '../../../ui/api/model/jobs.ts'
import { qpu } from '../../../ui/api/model/qpus.ts'
import {
  describeCharge,
  isFinished,
  jobCondition,
  jobFailure,
  percentOf,
  qpuCondition,
} from '../../../ui/jobs/status.ts'

const online = v.parse(qpu, {
  id: 'q1',
  name: 'kelvin_25',
  status: 'online',
  enabled: true,
  maintenance_reason: '',
  num_qubits: 25,
  executor_type: 'aer_sim',
})

const because = (code: string, text = code) => ({ reason: { code, text } })

test.each([
  ['online', {}, 'Online', 'Takes jobs', true],
  ['disabled', { enabled: false, status: 'offline' }, 'Disabled', 'New jobs are refused', false],
  [
    'in maintenance',
    { maintenance: true, maintenance_reason: 'warming up' },
    'Maintenance',
    'Warming up',
    false,
  ],
  ['in maintenance without a reason', { maintenance: true }, 'Maintenance', 'No reason given', false],
  [
    'draining',
    { draining: true, drain_reason: 'cable swap' },
    'Draining',
    'Cable swap. The running job finishes, others wait',
    false,
  ],
  ['calibrating', because('calibrating'), 'Calibrating', 'Jobs wait until the calibration ends', false],
  ['offline', { status: 'offline' }, 'Offline', 'Jobs wait until its driver connects', false],
  ['online with another reason', because('other', 'cooling down'), 'Online', 'Cooling down', false],
] as const)('qpuCondition() of a QPU that is %s', (_, change, word, reason, takesJobs) => {
  expect(qpuCondition({ ...online, ...change })).toMatchObject({ word, reason, takesJobs })
})

test('jobCondition() names the queue position of a pending job only', () => {
  expect(jobCondition({ status: 'pending', queue_position: 2 }).word).toBe('Pending, 2nd')
  expect(jobCondition({ status: 'pending', queue_position: undefined }).word).toBe('Pending')
  expect(jobCondition({ status: 'running', queue_position: 2 }).word).toBe('Running')
})

test('jobFailure() finds the reason in each place where a response can have it', () => {
  const failed = (more: object) => jobFailure(v.parse(job, { id: 'j', status: 'failed', ...more }))
  expect(failed({ error: 'No trigger' })).toBe('No trigger')
  expect(failed({ error: { code: 'device', message: 'No trigger' } })).toBe('No trigger')
  expect(failed({ results: { error: 'No trigger' } })).toBe('No trigger')
  expect(failed({})).toBe('The driver gave no reason')
  expect(jobFailure(v.parse(job, { id: 'j', status: 'completed', error: 'old' }))).toBeUndefined()
})

test('isFinished() is true for the three final states', () => {
  expect((['pending', 'running', 'completed', 'failed', 'cancelled'] as const).filter(isFinished)).toEqual([
    'completed',
    'failed',
    'cancelled',
  ])
})

test.each([
  [{ charged_seconds: 0.5, duration: 0.5 }, 'Charged 0.5 s: the QPU ran it for this long until it failed.'],
  [{ duration: 0.5 }, 'Not charged: the QPU time of its owner is not limited.'],
  [
    { results: { error_code: 'invalid_results' } },
    'Not charged: its results could not be used, which was not its fault.',
  ],
  [
    { charged_seconds: 0 },
    'Not charged: no QPU spent time on it that counts; lost attempts and errors of a device are free.',
  ],
])('a failed job with %o says what was charged and why', (facts, text) => {
  const parsed = (status: string) => v.parse(job, { id: 'j', status, ...facts })
  expect([describeCharge(parsed('failed')), describeCharge(parsed('completed'))]).toEqual([text, undefined])
})

test('percentOf() rounds, and says 100 % of the whole only', () => {
  expect([0, 0.004, 0.29, 0.57, 0.996, 1].map(percentOf)).toEqual([
    '0 %',
    '0 %',
    '29 %',
    '57 %',
    '99 %',
    '100 %',
  ])
})
