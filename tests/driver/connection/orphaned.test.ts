import { expect, test } from 'bun:test'
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ORPHANED_LIMITS, Orphaned } from '../../../src/driver/connection/orphaned.ts'
import { Outbox } from '../../../src/driver/connection/outbox.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recordedLog } from '../support/logs.ts'

const DAY_MS = 24 * 3_600_000
const EVENT = JSON.stringify({ type: 'JobResult', id: 'job1.1', ts: '2026-01-31T09:00:00.000Z', payload: {} })

test('acknowledge() moves the result of an unknown job from the outbox to the orphaned ones', async () => {
  using folder = temporaryFolder()
  const { log, messages } = recordedLog()
  const dependencies = { clock: new FakeClock(), log }
  const outbox = await Outbox.open(join(folder.path, 'outbox'), dependencies)
  const orphaned = await Orphaned.open(join(folder.path, 'orphaned'), dependencies)
  await outbox.put('job1.1', EVENT)
  expect(await outbox.acknowledge('job1.1', orphaned)).toBe(true)
  await outbox.close()
  const later = await Outbox.open(join(folder.path, 'outbox'), dependencies)
  expect([outbox.size, later.size]).toEqual([0, 0])
  await later.close()
  const kept = join(folder.path, 'orphaned/job1.1.json')
  expect(await readFile(kept, 'utf8')).toBe(EVENT)
  expect([(await stat(kept)).mode & 0o077, (await stat(join(kept, '..'))).mode & 0o077]).toEqual([0, 0])
  expect(messages()).toEqual(['the server does not know the job; its result is kept'])
})

test('keep() dates a result by the clock of the driver, not by that of the file system', async () => {
  using folder = temporaryFolder()
  const clock = new FakeClock(Date.now() + 40 * DAY_MS)
  const { log } = recordedLog()
  const orphaned = await Orphaned.open(folder.path, { clock, log })
  await orphaned.keep('job1.1', 'job1.1.json', EVENT)
  expect(await readdir(folder.path)).toEqual(['job1.1.json'])
  await clock.advance(ORPHANED_LIMITS.ageMs + DAY_MS)
  await orphaned.keep('job2.1', 'job2.1.json', EVENT)
  expect(await readdir(folder.path)).toEqual(['job2.1.json'])
})

/** A folder with files of these sizes and ages in days. */
async function filled(path: string, clock: FakeClock, files: { bytes: number; days: number }[]) {
  const { log, messages } = recordedLog()
  for (const [index, { bytes, days }] of files.entries()) {
    const file = join(path, `job${index}.1.json`)
    await writeFile(file, '')
    await truncate(file, bytes)
    const seconds = clock.now() / 1_000 - days * 24 * 3_600
    await utimes(file, seconds, seconds)
  }
  await Orphaned.open(path, { clock, log })
  return { left: (await readdir(path)).sort(), messages }
}

test('open() removes results above the limit of size, oldest first, and logs each', async () => {
  using folder = temporaryFolder()
  const half = ORPHANED_LIMITS.bytes / 2
  const { left, messages } = await filled(folder.path, new FakeClock(), [
    { bytes: half, days: 2 },
    { bytes: half, days: 1 },
    { bytes: 1, days: 0 },
    { bytes: 1, days: 3 },
  ])
  expect(left).toEqual(['job1.1.json', 'job2.1.json'])
  expect(messages()).toHaveLength(2)
})

test('open() removes results above the limit of age', async () => {
  using folder = temporaryFolder()
  const files = [31, 29, 0].map((days) => ({ bytes: 1, days }))
  const { left, messages } = await filled(folder.path, new FakeClock(), files)
  expect(left).toEqual(['job1.1.json', 'job2.1.json'])
  expect(messages()).toHaveLength(1)
})

test('open() removes results above the limit of files', async () => {
  using folder = temporaryFolder()
  const files = Array.from({ length: ORPHANED_LIMITS.files + 2 }, (_, n) => ({ bytes: 0, days: n / 1_000 }))
  const { left } = await filled(folder.path, new FakeClock(), files)
  expect(left).toHaveLength(ORPHANED_LIMITS.files)
  expect(left).not.toContain(`job${ORPHANED_LIMITS.files}.1.json`)
})
