import { expect, test } from 'bun:test'
import * as v from 'valibot'
import { qpu } from '../../../ui/api/model/qpus.ts'
import {
  agoText,
  holderText,
  newJobStart,
  occupancyText,
  ownSlot,
  queueLength,
  shortTime,
} from '../../../ui/jobs/occupancy.ts'

const ZONE = 'Europe/Stockholm'
const NOW = Date.UTC(2026, 10, 20, 13, 22)
const read = (more: object) =>
  v.parse(qpu, { id: 'q1', name: 'kelvin', status: 'online', enabled: true, ...more })
const holder = (mine: boolean, email?: string) => ({
  holder: { mine, until: '2026-11-20 15:00:00.000Z', ...(email && { email }) },
})

test('the line of a QPU has its reason, its queue and its holder', () => {
  const text = (more: object, reason = 'Takes jobs') => occupancyText(read(more), reason, NOW, ZONE)
  expect(text({ queue_length: 7, ...holder(true) })).toBe('Takes jobs, 7 queued, held by you until 16:00')
  expect(text(holder(false))).toBe('Takes jobs, 0 queued, held by another user until 16:00')
  expect(text(holder(false, 'ada@lab.example'))).toContain('held by ada@lab.example until 16:00')
  const maintained = { maintenance: true, maintenance_until: '2026-11-23 08:00:00.000Z' }
  expect(text(maintained, 'Warm-up')).toBe('Warm-up, 0 queued, until 23 Nov, 09:00')
})

test('a session holds a QPU before its booking, and says how long it is idle', () => {
  const session = (more: object) => ({
    session: { mine: true, mode: 'exclusive', state: 'active', until: '2026-11-20 13:40:00.000Z', ...more },
  })
  const text = (more: object) => holderText(read({ ...holder(false), ...more }), NOW, ZONE)
  expect(text(session({ idle_since: '2026-11-20 13:21:48.000Z' }))).toBe('you until 14:40, idle 12 s')
  expect(text(session({ mine: false }))).toBe('another user until 14:40')
  expect(text(session({ state: 'paused' }))).toBe('another user until 16:00')
})

test('a queue that was not counted to its end says so', () => {
  expect(queueLength(read({ queue_length: 999 }))).toBe('999')
  expect(queueLength(read({ queue_length: 1_000 }))).toMatch(/^1.000 or more$/)
})

test('a time of today has no date, one of another year has its year', () => {
  expect(shortTime('2026-11-20 22:59:00.000Z', NOW, ZONE)).toBe('23:59')
  expect(shortTime('2027-01-02 08:00:00.000Z', NOW, ZONE)).toBe('2 Jan 2027, 09:00')
  expect(shortTime('', NOW, ZONE)).toBe('')
})

test('the own slot is the one that has not ended', () => {
  expect(ownSlot([read(holder(false)), read(holder(true))], NOW)).toEqual({
    name: 'kelvin',
    left: '1 h 38 min',
  })
  expect(ownSlot([read(holder(true))], NOW + 86_400_000)).toBeUndefined()
  expect(holderText(read({}), NOW, ZONE)).toBeUndefined()
})

test.each([
  [0, 'just now'],
  [180, '3 min ago'],
  [10_800, '3 h ago'],
  [90_000, '25 h ago'],
  [1_000_000, '11 days ago'],
])('%d s ago is %s', (seconds, text) => {
  expect(agoText(new Date(NOW - seconds * 1_000).toISOString(), NOW)).toBe(text)
})

test('newJobStart() repeats the estimate of the server, and never says now without one', () => {
  const [now, zone] = [Date.UTC(2026, 5, 10, 12), 'UTC']
  const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
  const open = { takesJobs: true, word: 'Online', reason: 'Takes jobs' }
  const start = (from: number, to: number) => ({ from: at(from), to: at(to) })
  const ahead = { code: 'ahead_in_queue', text: '166 jobs are ahead' }
  const text = (estimate: Parameters<typeof newJobStart>[0], condition = open) =>
    newJobStart(estimate, condition, now, zone)
  expect(text({ estimated_start: start(0, 0), waiting: null })).toBe('now')
  expect(text({ estimated_start: start(3, 55), waiting: ahead })).toBe('12:03–12:55')
  expect(text({ estimated_start: start(0, 0), waiting: ahead })).toBe('≈ 12:00')
  expect(text({ estimated_start: null, waiting: ahead })).toBe('unknown: 166 jobs are ahead')
  // A server of the release before sends neither.
  expect(text({ estimated_start: null, waiting: null })).toBe('unknown: no estimate')
  for (const word of ['Calibrating', 'Maintenance', 'Draining', 'Offline', 'Disabled']) {
    const closed = { takesJobs: false, word, reason: 'Jobs wait' }
    expect(text({ estimated_start: start(0, 0), waiting: null }, closed)).toBe(
      `unknown: ${word.toLowerCase()}`,
    )
  }
})
