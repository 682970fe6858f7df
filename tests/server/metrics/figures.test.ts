import { expect, test } from 'bun:test'
import { readFigures } from '../../../src/server/metrics/figures.ts'

const TEXT = `# HELP svc_disk_free_bytes Free space on the disk of the database
# TYPE svc_disk_free_bytes gauge
svc_disk_free_bytes 4e9
svc_database_bytes 2097152
svc_database_log_bytes 2e8
svc_backup_age_seconds +Inf
svc_jobs{status="pending"} 3
svc_unknown 3
`

test('readFigures() compares the metrics that the server has with their limits', () => {
  const figures = new Map(readFigures(TEXT).map((figure) => [figure.metric, figure]))
  expect(figures.get('svc_disk_free_bytes')).toMatchObject({ value: 4e9, below: 5e9, is_beyond: true })
  expect(figures.get('svc_database_bytes')).toMatchObject({ from: null, below: null, is_beyond: false })
  expect(figures.get('svc_database_log_bytes')).toMatchObject({ from: 2e8, is_beyond: true })
  expect(figures.get('svc_backup_age_seconds')).toMatchObject({ value: null, is_beyond: true })
  expect(figures.get('svc_jobs{status="pending"}')).toMatchObject({ value: 3, is_beyond: false })
  expect(figures.size).toBe(5)
})
