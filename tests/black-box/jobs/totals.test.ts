import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

test('the executable counts a large table by a thread and ends in order while that goes on', async () => {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path)
  await service.start()
  await service.stop()
  using file = new Database(join(folder.path, 'svc_data/svc.db'))
  // Of now, so that no retention removes them.
  const at = new Date().toISOString()
  file.run(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO events (id, source, type, ts, created, updated)
    SELECT printf('ev%013d', i), 'bench', 'Other', '${at}', '', '' FROM n`)
  await service.start()
  const token = await service.admin()
  const list = (filter: string) => {
    const query = new URLSearchParams({ filter, perPage: '1' })
    return service.call('GET', `/api/collections/events/records?${query}`, { token })
  }
  expect(await list('')).toMatchObject({ status: 200, body: { totalItems: 200_000, totalPages: 200_000 } })
  expect(await list('id > "ev0000000150000"')).toMatchObject({ body: { totalItems: 50_000 } })
  const cut = Array.from({ length: 30 }, (_, at) =>
    list(`source ~ "b" && type != "x${at}"`).catch(() => undefined),
  )
  await list('source = "nobody"')
  expect(await service.stop()).toBe(0)
  await Promise.all(cut)
})
