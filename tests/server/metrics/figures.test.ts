import { expect, test } from 'bun:test'
import { metric } from '../../../src/server/metrics/exposition.ts'
import { readFigures } from '../../../src/server/metrics/figures.ts'

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
  const figures = new Map(readFigures(METRICS).map((figure) => [figure.metric, figure]))
  expect(figures.get('svc_disk_free_bytes')).toMatchObject({ value: 4e9, below: 5e9, is_beyond: true })
  expect(figures.get('svc_database_bytes')).toMatchObject({ from: null, below: null, is_beyond: false })
  expect(figures.get('svc_database_log_bytes')).toMatchObject({ from: 2e8, is_beyond: true })
  expect(figures.get('svc_backup_age_seconds')).toMatchObject({ value: null, is_beyond: true })
  expect(figures.get('svc_jobs{status="pending"}')).toMatchObject({ value: 3, is_beyond: false })
  expect(figures.size).toBe(5)
})
