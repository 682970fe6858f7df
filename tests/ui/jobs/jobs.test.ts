import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { type JobStatus, job, jobs } from '../../../ui/api/model/jobs.ts'
import { countsOf, describeActivity, describeChanges } from '../../../ui/jobs/jobs.ts'

const list = (...statuses: JobStatus[]) =>
  v.parse(
    jobs,
    statuses.map((status, index) => ({ id: `j${index}`, status })),
  )

test('describeActivity() counts running and waiting jobs', () => {
  expect(describeActivity(list('running', 'pending', 'pending', 'failed'))).toBe(
    'One job is running, two jobs are waiting.',
  )
  expect(describeActivity(list('pending'))).toBe('One job is waiting.')
  expect(describeActivity(list('running', 'running'))).toBe('Two jobs are running.')
  expect(describeActivity(list('completed', 'cancelled'))).toBeUndefined()
  expect(describeActivity([])).toBeUndefined()
})

test('describeChanges() reports status changes, not new jobs', () => {
  expect(describeChanges(list('pending'), list('running'))).toBe('Job j0: running.')
  expect(describeChanges(list('pending', 'running'), list('running', 'completed'))).toBe(
    'Two jobs changed status.',
  )
  expect(describeChanges(list('pending'), list('pending'))).toBeUndefined()
  expect(describeChanges([], list('pending'))).toBeUndefined()
})

test('countsOf() preserves the position of circuits without counts', () => {
  const done = v.parse(job, {
    id: 'j',
    status: 'completed',
    results: { circuit_results: [{ counts: { '0': 1 } }, { memory: [[0.1, 0.2]] }, { counts: null }] },
  })
  expect(countsOf(done)).toEqual([{ '0': 1 }, {}, {}])
  expect(countsOf(v.parse(job, { id: 'j', status: 'pending', results: null }))).toEqual([])
})
