import { expect, test } from 'bun:test'
import { RecentResults } from '../../../src/driver/tasks/recent-results.ts'

test('RecentResults stores the last 256', () => {
  const recent = new RecentResults()
  for (let i = 0; i < 300; i++) recent.add(`job.${i}`, `body ${i}`)
  expect(recent.get('job.43')).toBeUndefined()
  expect(recent.get('job.44')).toBe('body 44')
  expect(recent.get('job.299')).toBe('body 299')
})

test('RecentResults evicts the oldest above 64 MiB', () => {
  const recent = new RecentResults()
  const body = 'x'.repeat(12 * 1024 * 1024)
  for (const id of ['a', 'b', 'c']) recent.add(id, body)
  expect(['a', 'b', 'c'].map((id) => recent.get(id)?.length)).toEqual([undefined, body.length, body.length])
})

test('RecentResults counts a repeated id once', () => {
  const recent = new RecentResults()
  const body = 'x'.repeat(12 * 1024 * 1024)
  for (let i = 0; i < 5; i++) recent.add('a', body)
  recent.add('b', body)
  expect(recent.get('a')).toBe(body)
})
