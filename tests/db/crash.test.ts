import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { type Database, diagnose, openDatabase } from '../../src/db/index.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../src/db/store/jobs/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { part } from '../support/whole.ts'

const KILLS = part(20, 6)

/** Runs a writer, kills it after about `ms` of writing, and returns the ids that it printed. */
async function killedWriter(dir: string, ms: number): Promise<string[]> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/crash.child.ts`, dir], { stdout: 'pipe' })
  const decoder = new TextDecoder()
  let replies = ''
  for await (const chunk of child.stdout) {
    if (replies === '') setTimeout(() => child.kill('SIGKILL'), ms)
    replies += decoder.decode(chunk, { stream: true })
  }
  await child.exited
  // An id that the kill cut off was not acknowledged.
  return replies.split('\n').slice(0, -1)
}

async function lostOf(db: Database, ids: readonly string[]): Promise<string[]> {
  return db.read((tx) => ids.filter((id) => tx.find(quantumJobs, id)?.status !== 'cancelled'))
}

test(`no acknowledged commit is lost and no partial transaction is stored over ${KILLS} kills`, async () => {
  using folder = temporaryFolder()
  const replied: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const ids = await killedWriter(folder.path, 3 + (kill * 40) / KILLS)
    replied.push(...ids)
    // Opening runs quick_check; the lock of the killed process was released.
    const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
    expect(await lostOf(db, ids)).toEqual([])
    await db.close()
  }
  const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
  expect(replied.length).toBeGreaterThanOrEqual(KILLS)
  expect(await lostOf(db, replied)).toEqual([])
  await db.read((tx) => {
    expect(tx.list(quantumJobs, { where: { status: 'pending' } })).toEqual([])
    expect(tx.list(users)).toHaveLength(tx.list(quantumJobs).length)
    expect(
      diagnose(tx, { maxAttempts: 0 }).filter((finding) =>
        ['file', 'keys', 'relations', 'I11'].includes(finding.id),
      ),
    ).toEqual([])
  })
  await db.close()
}, 60_000)

test('a process killed during its first start leaves a folder that the next start can use', async () => {
  for (let kill = 0; kill < part(8, 3); kill++) {
    using folder = temporaryFolder()
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/crash.child.ts`, folder.path], {
      stdout: 'ignore',
    })
    const path = join(folder.path, 'svc.lock')
    await until('the lock to appear', () => existsSync(path), { intervalMs: 1 })
    await Bun.sleep(part(1, 3) * kill)
    child.kill('SIGKILL')
    await child.exited
    const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
    expect(
      await db.read((tx) => diagnose(tx, { maxAttempts: 0 }).filter((finding) => finding.id === 'file')),
    ).toEqual([])
    await db.close()
  }
})
