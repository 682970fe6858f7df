import { expect, test } from 'bun:test'
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ReplicatorBacklog } from '../../../src/db/sqlite/replicator-backlog.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('spanMs() is the time between the oldest and the newest change that the replicator keeps', async () => {
  using folder = temporaryFolder()
  const backlog = new ReplicatorBacklog(folder.path)
  expect(await backlog.spanMs()).toBe(0)
  const changes = join(folder.path, '.svc.db-litestream/ltx/0')
  mkdirSync(changes, { recursive: true })
  expect(await backlog.spanMs()).toBe(0)
  const path = (number: number) =>
    join(changes, `${number.toString(16).padStart(16, '0')}-${number.toString(16).padStart(16, '0')}.ltx`)
  /** Adds the change of a time in s, as the folder shows it too. */
  const add = (number: number, at: number) => {
    writeFileSync(path(number), '')
    utimesSync(path(number), at, at)
    utimesSync(changes, at, at)
  }
  for (const number of [9, 10, 300, 4_000]) add(number, 1_000 + number)
  writeFileSync(join(changes, '0.tmp'), '')
  utimesSync(changes, 5_000, 5_000)
  expect(await backlog.spanMs()).toBe(3_991_000)
  add(5_000, 6_000)
  expect(await backlog.spanMs()).toBe(4_991_000)
  for (const number of [9, 10]) rmSync(path(number))
  utimesSync(changes, 6_000, 6_000)
  expect(await backlog.spanMs()).toBe(4_700_000)
  rmSync(changes, { recursive: true })
  expect(await backlog.spanMs()).toBe(0)
})
