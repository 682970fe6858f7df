import { expect, test } from 'bun:test'
import { fromTimestamp } from '../../../src/base/index.ts'
import type { Job } from '../../../src/db/store/jobs/index.ts'
import { estimateWait } from '../../../src/server/jobs/wait-estimate.ts'
import { readPosition } from '../../support/server/queue-state.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'

const IDLE_MS = 5_000

/** Why a job waits, and when it may start. */
async function estimateOf({ lab }: SessionLab, { id }: Job) {
  const found = await lab.db.read((tx) => readPosition(tx, id, IDLE_MS, lab.order))
  if (!found) throw new Error('the job does not wait')
  return estimateWait(found, lab.clock.now(), IDLE_MS)
}

test('the jobs of the holder of a session go first, and others wait until it has ended at the latest', async () => {
  await using lab = await SessionLab.open()
  const held = await lab.start(lab.ada, { seconds: 300 })
  await lab.pass()
  const foreign = await lab.lab.submit(lab.bob)
  const own = [await lab.lab.submit(lab.ada), await lab.lab.submit(lab.ada)]
  const ends = fromTimestamp((await lab.session(held)).ends_at) ?? 0
  const waits = await estimateOf(lab, foreign)
  expect(waits).toMatchObject({ position: 3, waiting: { code: 'in_session', until: ends } })
  expect(waits.start?.to).toBeGreaterThanOrEqual(ends)
  expect(waits.start?.from).toBeLessThan(ends)
  expect(await estimateOf(lab, own[0] as Job)).toMatchObject({
    position: 1,
    waiting: { code: 'ahead_in_queue' },
  })
  // One that is queued behind it holds the QPU next.
  await lab.start(await lab.lab.user(1_000), { seconds: 200 })
  expect((await estimateOf(lab, foreign)).waiting.until).toBe(ends + 200_000)
})

test('in a batch session the jobs of its holder go first, and others only wait for these', async () => {
  await using lab = await SessionLab.open()
  await lab.start(lab.ada, { mode: 'batch' })
  await lab.pass()
  const foreign = await lab.lab.submit(lab.bob)
  await lab.lab.submit(lab.ada)
  expect(await estimateOf(lab, foreign)).toMatchObject({ position: 2, waiting: { code: 'ahead_in_queue' } })
})
