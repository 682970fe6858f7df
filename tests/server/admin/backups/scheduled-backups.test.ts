import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { openTestServer } from '../../../support/server/server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { until } from '../../../support/until.ts'

const settings = { backupEvery: '1h', backupKeep: '2:0:0' }
const backupsIn = (folder: string) => {
  const path = join(folder, 'svc_data/backups')
  return (existsSync(path) ? readdirSync(path) : []).filter((name) => /^svc-.*Z\.db$/.test(name)).toSorted()
}

test.skipIf(onlySqlite('its file'))(
  'the server makes a backup when one is due, keeps the last ones, and makes one on request',
  async () => {
    using folder = temporaryFolder()
    const backups = join(folder.path, 'svc_data/backups')
    mkdirSync(backups, { recursive: true })
    const old = ['svc-20200101T000000.000Z.db', 'svc-20200102T000000.000Z.db']
    for (const name of old) writeFileSync(join(backups, name), '')
    writeFileSync(join(backups, 'svc-20200103T000000.000Z.db.7.partial'), '')
    utimesSync(join(backups, 'svc-20200103T000000.000Z.db.7.partial'), 1, 1)
    const first = await openTestServer({ folder: folder.path, settings })
    await until(
      'the backup',
      () => backupsIn(folder.path).length === 2 && !existsSync(join(backups, old[0] ?? '')),
    )
    expect(readdirSync(backups).filter((name) => name.endsWith('.partial'))).toEqual([])
    const task = async () => {
      const { tasks } = (await first.admin.get('/api/op/tasks')).body as { tasks: Record<string, string>[] }
      return tasks.find(({ id }) => id === 'backups')
    }
    await until('the next time', async () => (await task())?.['next_run'] !== '')
    expect(Date.parse((await task())?.['next_run'] ?? '')).toBeGreaterThan(Date.now() + 3_000_000)
    const [, newest = ''] = backupsIn(folder.path)
    expect((await first.admin.post('/api/op/tasks/backups/run')).status).toBe(202)
    await until('another backup', () => backupsIn(folder.path)[0] === newest)
    await first.close()

    const before = backupsIn(folder.path)
    await using second = await openTestServer({ folder: folder.path, settings })
    const ran = async () => {
      const { tasks } = (await second.admin.get('/api/op/tasks')).body as { tasks: Record<string, string>[] }
      return tasks.find(({ id }) => id === 'backups')?.['next_run'] !== ''
    }
    await until('the first run', ran)
    expect(backupsIn(folder.path)).toEqual(before)
  },
)
