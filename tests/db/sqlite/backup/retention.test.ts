import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { backupName, planRemoval } from '../../../../src/db/sqlite/backup/index.ts'

const DAY_MS = 86_400_000
/** A Sunday, 3 in the morning UTC. */
const SUNDAY = Date.UTC(2026, 10, 22, 3)
const daily = (days: number) => Array.from({ length: days }, (_, at) => backupName(SUNDAY - at * DAY_MS))

test('backupName() sorts by time and has no character that a file system rejects', () => {
  expect(backupName(Date.UTC(2026, 0, 31, 9, 5, 7, 999))).toBe('svc-20260131T090507.999Z.db')
})

describe('planRemoval()', () => {
  test('keeps 7 days and the newest of 4 weeks', () => {
    const removed = planRemoval(daily(60), { last: 1, days: 7, weeks: 4 })
    const kept = daily(60).filter((name) => !removed.includes(name))
    expect(kept).toEqual([
      'svc-20261122T030000.000Z.db',
      'svc-20261121T030000.000Z.db',
      'svc-20261120T030000.000Z.db',
      'svc-20261119T030000.000Z.db',
      'svc-20261118T030000.000Z.db',
      'svc-20261117T030000.000Z.db',
      'svc-20261116T030000.000Z.db',
      'svc-20261115T030000.000Z.db',
      'svc-20261108T030000.000Z.db',
      'svc-20261101T030000.000Z.db',
    ])
  })

  test('keeps the newest of a day and counts only days that have backups', () => {
    const names = [
      'svc-20260101T000000.000Z.db',
      'svc-20260101T230000.000Z.db',
      'svc-20260301T000000.000Z.db',
    ]
    expect(planRemoval(names, { last: 1, days: 2, weeks: 0 })).toEqual(['svc-20260101T000000.000Z.db'])
  })

  test('never removes the newest one, nor files with other names', () => {
    const others = ['before-upgrade.db', 'svc-20260101T000000.000Z.db.1.partial', 'svc.db', 'svc-2026.db']
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4_000 * DAY_MS }), { minLength: 1, maxLength: 60 }),
        fc.nat(10),
        fc.nat(10),
        fc.nat(10),
        (times, last, days, weeks) => {
          const names = [...new Set(times.map(backupName))]
          const removed = planRemoval([...others, ...names], { last, days, weeks })
          expect(removed.every((name) => names.includes(name))).toBe(true)
          expect(removed).not.toContain(names.toSorted().at(-1))
          expect(names.length - removed.length).toBeLessThanOrEqual(Math.max(1, last + days + weeks))
          expect(names.length - removed.length).toBeGreaterThanOrEqual(Math.min(last, names.length))
          // The plan is stable: the backups to keep are the ones kept before.
          const kept = names.filter((name) => !removed.includes(name))
          expect(planRemoval(kept, { last, days, weeks })).toEqual([])
        },
      ),
    )
  })
})
