import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { changeQuery, createQuery } from '../../../ui/app/use-query.ts'

test('changeQuery() sets, repeats and removes parameters and keeps the others', () => {
  const before = new URLSearchParams('qpu=a&status=failed&page=3')
  expect(changeQuery(before, { page: undefined, status: '' })).toBe('qpu=a')
  expect(changeQuery(before, { status: ['failed', 'pending'], page: 1 })).toBe(
    'qpu=a&status=failed&status=pending&page=1',
  )
  expect(before.get('page')).toBe('3')
})

test('set() writes the address once, without an entry in the history', () => {
  const visits: unknown[] = []
  const query = createQuery({
    path: signal('/jobs'),
    search: signal(new URLSearchParams('status=failed')),
    go: (to, options) => void visits.push([to, options]),
  })
  expect(query.get('status')).toBe('failed')
  query.set({ status: 'failed' })
  query.set({ status: 'pending' })
  query.set({ status: '' }, { push: true })
  expect(visits).toEqual([
    ['/jobs?status=pending', { replace: true, keepScroll: true }],
    ['/jobs', { replace: false, keepScroll: true }],
  ])
})
