import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { type JobStatus, job, jobs } from '../../../ui/api/model/jobs.ts'
import {
  countsOf,
  describeActivity,
  describeChanges,
  executionsOf,
  partOf,
  seedOf,
  shotsOf,
} from '../../../ui/jobs/jobs.ts'
import { formatCount } from '../../../ui/lib/format.ts'

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

test('seedOf() and shotsOf() state what the device read of the options of a job', () => {
  const of = (status: JobStatus, payload: object, metadata?: object) =>
    v.parse(job, { id: 'j', status, payload, results: metadata && { circuit_results: [{ metadata }] } })
  expect(seedOf(of('pending', { seed: 7 }))).toBe(7)
  expect(seedOf(of('completed', { seed: 7 }, { seed: 7 }))).toBe(7)
  expect(seedOf(of('completed', {}, { seed: 12 }))).toBe(12)
  // A chip draws no pseudo-random numbers.
  expect(seedOf(of('completed', { seed: 7 }, { memory_unit: 'V' }))).toBeUndefined()
  expect(shotsOf(of('completed', { shots: 1_024 }))).toBe(formatCount(1_024))
  expect(shotsOf(of('completed', { shots: 1_024, exact: true }))).toBe('none, exact values')
})

test('partOf() keeps the circuits that have ended, with their parameters, in the order of the job', () => {
  const whole = v.parse(job, {
    ...{ id: 'j', status: 'running', progress: 0.5 },
    payload: { circuits: [{ circuit: 'a', parameter_values: [[1], [2], [3]] }, { circuit: 'b' }] },
  })
  const ended = [3, 1].map((index) => ({ index, result: { counts: { '0': index }, counts_omitted: false } }))
  const part = partOf(whole, ended)
  expect(executionsOf(part)).toEqual([
    { text: 'a', values: [2] },
    { text: 'b', values: [] },
  ])
  expect(part.results?.circuit_results?.map(({ counts }) => counts)).toEqual([{ '0': 1 }, { '0': 3 }])
})
