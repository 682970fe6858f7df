import { expect, test } from 'bun:test'
import { healthOf, readGauges } from '../../../../ui/admin/server/health.ts'

const TEXT = `# HELP svc_disk_free_bytes Free space on the disk of the database
# TYPE svc_disk_free_bytes gauge
svc_disk_free_bytes 4e9
svc_database_bytes 2097152
svc_storage_failing 0
svc_jobs{status="pending"} 3
svc_webhooks_failing 2
`

test('the state of the service has figures beyond their limits, and what the server does not have', () => {
  const rows = new Map(healthOf(readGauges(TEXT)).map((row) => [row.title, row]))
  expect(rows.get('Free disk space')).toMatchObject({
    isBeyond: true,
    limit: expect.stringMatching(/^above 4\.66/),
  })
  expect(rows.get('Database')).toMatchObject({ value: '2.00\u00a0MiB', isBeyond: false, limit: '' })
  expect(rows.get('Writes to the disk')).toMatchObject({ value: 'accepted', isBeyond: false, limit: '' })
  expect(rows.get('Webhooks that fail')).toMatchObject({ value: '2', isBeyond: true })
  expect(rows.get('Age of the newest backup')).toMatchObject({ value: 'no backup', isBeyond: true })
})
