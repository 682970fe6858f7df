import { expect, test } from 'bun:test'
import { addBuckets, fieldsOf, linksOf, storedLine } from '../../../../ui/admin/logs/model.ts'

const line = {
  position: '1-0',
  time: '2026-11-22T13:03:36.866Z',
  level: 'error' as const,
  subject: 'driver',
  message: 'connection lost',
  job: 'mws0cb5d1qjbfw1',
  idle_s: 20,
  user: '../../evil',
}

test('a line is shown with what was logged, and without its place in the file', () => {
  expect(fieldsOf(line)).toEqual([
    ['job', 'mws0cb5d1qjbfw1'],
    ['idle_s', '20'],
    ['user', '../../evil'],
  ])
  expect(storedLine(line)).not.toContain('position')
})

test('only ids become links', () => {
  expect(linksOf(line, {})).toEqual([['Open job', '/jobs/mws0cb5d1qjbfw1']])
})

test('the parts of a histogram add up', () => {
  const bucket = (warn: number) => ({ at: 'x', debug: 1, info: 2, warn, error: 0 })
  expect(addBuckets([], [bucket(1)])).toEqual([bucket(1)])
  expect(addBuckets([bucket(1)], [bucket(2)])).toEqual([{ at: 'x', debug: 2, info: 4, warn: 3, error: 0 }])
})
