import { expect, test } from 'bun:test'
import { serviceLimits } from '../../../src/server/config/service-limits.ts'
import { metric } from '../../../src/server/metrics/exposition.ts'
import { describeFigure, readFigures } from '../../../src/server/metrics/figures.ts'

const METRICS = [
  metric('svc_disk_free_bytes', 'Free space', 4e9),
  metric('svc_database_bytes', 'Size of the database file', 2_097_152),
  metric('svc_database_log_bytes', 'Size of its log', 2e8),
  metric('svc_backup_age_seconds', 'Since the newest backup', Number.POSITIVE_INFINITY),
  metric('svc_jobs', 'Jobs that have not ended', [
    { labels: { status: 'pending' }, value: 3 },
    { labels: { status: 'unknown' }, value: 3 },
  ]),
  metric('svc_unknown', 'Of nobody', 3),
]

test('readFigures() compares the metrics that the server has with their limits', () => {
  const figures = new Map(readFigures(METRICS, []).map((figure) => [figure.metric, figure]))
  expect(figures.get('svc_disk_free_bytes')).toMatchObject({ value: 4e9, below: 5e9, is_beyond: true })
  expect(figures.get('svc_database_bytes')).toMatchObject({ from: null, below: null, is_beyond: false })
  expect(figures.get('svc_database_log_bytes')).toMatchObject({ from: 2e8, is_beyond: true })
  expect(figures.get('svc_backup_age_seconds')).toMatchObject({ value: null, is_beyond: true })
  expect(figures.get('svc_jobs{status="pending"}')).toMatchObject({ value: 3, is_beyond: false })
  expect(figures.size).toBe(5)
})

test('readFigures() counts a backup that was never made once the database is older than the limit', () => {
  const isBeyond = (age: number) =>
    readFigures([...METRICS, metric('svc_database_age_seconds', 'Age', age)], []).find(
      ({ metric }) => metric === 'svc_backup_age_seconds',
    )?.is_beyond
  expect([0, 86_399, 86_400].map(isBeyond)).toEqual([false, false, true])
})

test('readFigures() finds what cannot be read neither beyond its limit nor within it', () => {
  const problem = 'PostgreSQL refuses'
  const metrics = [
    metric('svc_webhooks_failing', 'Webhooks', { problem }),
    // Without a backup its age is that of the database.
    metric('svc_backup_age_seconds', 'Since the newest backup', Number.POSITIVE_INFINITY),
    metric('svc_database_age_seconds', 'Age', { problem }),
  ]
  const read = { value: null, is_beyond: false, is_read: false }
  expect(readFigures(metrics, [])).toMatchObject([
    { metric: 'svc_backup_age_seconds', ...read },
    { metric: 'svc_webhooks_failing', ...read },
  ])
  expect(readFigures(METRICS, []).every((figure) => figure.is_read)).toBe(true)
})

test('readFigures() takes given limits in place of the defaults, and none for what is switched off', () => {
  const given =
    'svc_disk_free_bytes=1GiB, svc_backup_age_seconds=none,svc_jobs{status="pending"}=3,svc_database_bytes=2MiB'
  const figures = readFigures(METRICS, serviceLimits().parse(given))
  expect(figures.map(({ metric, from, below, is_beyond }) => [metric, from, below, is_beyond])).toEqual([
    ['svc_disk_free_bytes', null, 2 ** 30, false],
    ['svc_database_bytes', 2 ** 21, null, true],
    ['svc_database_log_bytes', 2e8, null, true],
    ['svc_backup_age_seconds', null, null, false],
    ['svc_jobs{status="pending"}', 3, null, true],
  ])
  const sentences = figures.map(describeFigure)
  expect(sentences[0]).toBe(
    'Free disk space is 3.7 GiB, within the limit of 1 GiB again (svc_disk_free_bytes)',
  )
  expect(sentences[4]).toBe('Jobs waiting is 3, at or above the limit of 3 (svc_jobs{status="pending"})')
  expect(sentences[3]).toBe(
    'Age of the newest backup is unknown or infinite, no longer limited (svc_backup_age_seconds)',
  )
})

test('a limit of standbys is one that they may fall below', () => {
  const standbys = (count: number) => [metric('svc_standbys', 'Servers on standby', count)]
  const limits = serviceLimits().parse('svc_standbys=1')
  expect(readFigures(standbys(0), [])[0]).toMatchObject({ from: null, below: null, is_beyond: false })
  expect(readFigures(standbys(0), limits)[0]).toMatchObject({ from: null, below: 1, is_beyond: true })
  expect(readFigures(standbys(1), limits)[0]).toMatchObject({ is_beyond: false })
})

test.each([
  ['disk=1GiB', 'one of the figures svc_disk_free_bytes, '],
  ['svc_disk_free_byte=1GiB', 'the most similar name is svc_disk_free_bytes'],
  ['svc_disk_free_bytes', 'one of the figures svc_disk_free_bytes, '],
  ['svc_leader_epoch=3', 'svc_leader_epoch takes none'],
  ['svc_disk_free_bytes=much', 'a size such as 10GiB'],
  ['svc_backup_age_seconds=3', 'a duration such as 720h'],
  ['svc_error_share=-1', 'a number of at least 0'],
  ['svc_drivers_lost=1,svc_drivers_lost=none', 'each figure once, not svc_drivers_lost twice'],
])('the setting serviceLimits refuses %s', (text, reason) => {
  expect(() => serviceLimits().parse(text)).toThrow(reason)
})

test('the setting serviceLimits is shown as it can be given', () => {
  const text =
    'svc_disk_free_bytes=20GiB,svc_backup_age_seconds=36h,svc_error_share=0.02,svc_memory_bytes=none'
  const { parse, format } = serviceLimits()
  expect(format(parse(text))).toBe(text)
  expect(format(parse(''))).toBe('')
})
