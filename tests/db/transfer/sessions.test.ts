import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { openDatabase, readDatabase } from '../../../src/db/index.ts'
import { hasJobsOfEndedHolders, quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { readHolder, resumeSessions, sessions } from '../../../src/db/store/sessions/index.ts'
import { importWhole, toJsonLines, wholeDatabase } from '../../../src/db/transfer/index.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { exported, importing, problemsOf } from './support.ts'

/** An active session that was charged, one that waits, and a job that the secret of the first submitted. */
async function openHeld() {
  const lab = await SessionLab.open()
  const holder = { kind: 'slurm', name: '7', endsAt: '2099-01-31 10:05:00.000Z' }
  const held = await lab.start(lab.ada, { idleSeconds: 600, holder })
  await lab.start(lab.bob)
  await lab.pass()
  await lab.pass(61)
  const running = await lab.lab.submit(lab.ada)
  await lab.pass()
  await lab.lab.complete(running.id)
  await lab.lab.setQpu(lab.qpu.id, { draining: true })
  const waiting = await lab.lab.submit(lab.ada, lab.qpu.id, 2, { holder: held.holder.id })
  return { lab, held, waiting, [Symbol.asyncDispose]: () => lab[Symbol.asyncDispose]() }
}

test('the records of sessions are imported as ended: nobody holds a QPU, and what waits goes on without them', async () => {
  await using it = await openHeld()
  const { lab, held, waiting } = it
  const lines = await exported(lab.lab.place)
  const hashed = lines.replaceAll(/token of \w+ \d+/g, (token) =>
    new Bun.CryptoHasher('sha256').update(token).digest('hex'),
  )
  const { errors, target } = await importing(hashed.trim().split('\n'))
  await using other = target
  expect(errors).toEqual([])
  expect(await problemsOf(other.db)).toEqual([])
  const found = await other.db.read((tx) => ({
    states: tx.list(sessions).map(({ state }) => state),
    heldMs: tx.find(sessions, held.session.id)?.held_ms,
    job: tx.find(quantumJobs, waiting.id)?.status,
    isCancelled: hasJobsOfEndedHolders(tx),
    balance: tx.one('SELECT qpu_ms AS ms FROM users WHERE id = $id', { id: lab.ada.id }),
  }))
  expect(found).toEqual({
    ...{ states: ['closed', 'closed'], heldMs: 61_000, job: 'pending', isCancelled: false },
    balance: { ms: 1_000_000 - 61_000 },
  })
})

test.skipIf(onlySqlite('its file'))(
  'a whole database keeps sessions, holders and charges, and an active one goes on',
  async () => {
    await using it = await openHeld()
    const { lab, held } = it
    const { clock } = lab.lab
    const whole = async (dir: string) => (await Array.fromAsync(toJsonLines(wholeDatabase({ dir })))).join('')
    using folder = temporaryFolder()
    const path = join(folder.path, 'whole.jsonl')
    const before = await whole(lab.lab.dir)
    writeFileSync(path, before)
    const place = { dir: join(folder.path, 'moved') }
    await importWhole({ path, place, clock, log: silentLog })
    expect(await whole(place.dir)).toBe(before)
    expect(readDatabase(place, 0, (tx) => tx.all('SELECT kind FROM session_holders ORDER BY kind'))).toEqual([
      { kind: 'client' },
      { kind: 'slurm' },
    ])
    const db = await openDatabase({ ...place, clock, log: silentLog })
    await db.write('resume', resumeSessions)
    expect(await problemsOf(db)).toEqual([])
    const [session, holder] = await db.read((tx) => [
      tx.find(sessions, held.session.id),
      readHolder(tx, held.holder.id),
    ])
    expect([session?.state, session?.charges, holder?.isOpen]).toEqual(['active', 2, true])
    await db.close()
  },
)
