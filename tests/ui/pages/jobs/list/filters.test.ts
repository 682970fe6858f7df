import { expect, test } from 'bun:test'
import { isListed } from '../../../../../ui/pages/jobs/list/filters.ts'

const QPUS = [{ id: 'k0000000000kelv', name: 'kelvin' }]
const JOB = {
  ...{ id: 'j00000000000bell', name: 'Bell pair', tags: ['Thesis'], status: 'pending' as const },
  ...{ qpu: '', qpu_target: 'k0000000000kelv' },
}

test.each([
  ['', true],
  ['status=pending', true],
  ['status=pending,running', true],
  ['status=running', false],
  ['qpu=kelvin', true],
  ['qpu=k0000000000kelv', true],
  ['qpu=boreas', false],
  ['tag=Thesis', true],
  ['tag=thesis', false],
  ['text=BELL', true],
  ['text=thes', true],
  ['text=00bell', true],
  ['text=ghz', false],
  ['text=bell&status=failed', false],
])('a list with %p has the job: %p', (filters, expected) => {
  expect(isListed(JOB, new URLSearchParams(filters), QPUS)).toBe(expected)
})

test('a job that has run belongs to its QPU, not to its target', () => {
  const job = { ...JOB, qpu: 'b0000000000bore' }
  expect(isListed(job, new URLSearchParams('qpu=kelvin'), QPUS)).toBe(false)
})
