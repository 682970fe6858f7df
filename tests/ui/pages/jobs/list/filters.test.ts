import { expect, test } from 'bun:test'
import { isListed, requestFilters } from '../../../../../ui/pages/jobs/list/filters.ts'

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

test('days begin and end in the zone of the reader, periods end now', () => {
  const reader = { isSuperuser: false, nowMs: Date.parse('2026-11-27T23:30:59Z'), zone: 'Europe/Stockholm' }
  const of = (address: string) => {
    const query = new URLSearchParams(address)
    return requestFilters({ get: (name) => query.get(name) ?? '' }, reader)
  }
  const days = (from: string, to: string) =>
    new URLSearchParams({ created_from: from, created_to: to }).toString()
  expect(of('from=today')).toBe(days('2026-11-27T23:00:00.000Z', '2026-11-28T23:00:00.000Z'))
  expect(of('from=yesterday')).toBe(days('2026-11-26T23:00:00.000Z', '2026-11-27T23:00:00.000Z'))
  // The clocks were put back on 25 October.
  expect(of('from=2026-10-25&to=2026-10-26')).toBe(
    days('2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'),
  )
  expect(of('from=1h')).toBe(new URLSearchParams({ created_from: '2026-11-27T22:30:00.000Z' }).toString())
  expect(of('from=never')).toBe('')
})
