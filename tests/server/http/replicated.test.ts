import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { MIB } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { openTestServer } from '../../support/server/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const BODY = {
  circuits: [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }] as const,
  shots: 1,
}

test.skipIf(onlySqlite('its file'))(
  'a change is acknowledged when the replicator has confirmed it, and refused otherwise',
  async () => {
    using folder = temporaryFolder()
    const socket = join(folder.path, 'litestream.sock')
    let isAway = false
    let synchronizations = 0
    using _ = Bun.serve({
      unix: socket,
      fetch() {
        synchronizations += 1
        if (isAway) return Response.json({ error: 'replica unreachable' }, { status: 500 })
        return Response.json({ txid: 1, replicated_txid: 1 })
      },
    })
    const clock = new FakeClock()
    await using server = await openTestServer({
      clock,
      settings: {
        checkpoints: 'external',
        acknowledge: 'replicated',
        replicatorSocket: socket,
        replicatorTimeout: '5s',
      },
    })
    /** Lets the pauses of the replication pass until `work` has ended. */
    const advanceUntil = async <T>(work: Promise<T>): Promise<T> => {
      let isOver = false
      const end = () => {
        isOver = true
      }
      work.then(end, end)
      while (!isOver) {
        await clock.advance(250)
        await Bun.sleep(2)
      }
      return work
    }
    await server.createQpu()
    const client = server.as(await server.createUser({ qpuSeconds: 100 }))
    const before = synchronizations
    expect(before).toBeGreaterThan(0)
    const first = await client.post('/api/jobs', BODY)
    expect([first.status, synchronizations]).toEqual([201, before + 1])

    isAway = true
    const [{ circuit }] = BODY.circuits
    /** Two such bodies of an account are not read at once. */
    const large = { circuits: [{ circuit: `${circuit}//${'x'.repeat(6 * MIB)}` }] }
    const keyed = { ...large, shots: 2 }
    const submit = () => client.call('POST', '/api/jobs', keyed, { 'idempotency-key': 'the-same-job' })
    const waiting = submit()
    // Reading does not wait, and shows what is on the disk here.
    const jobs = async () => (await client.get('/api/jobs?fields=id')).body as { id: string }[]
    await until('the job to be stored', async () => (await jobs()).length === 2)
    // A change that waits for the replicator no longer counts for the memory of bodies.
    const second = client.post('/api/jobs', { ...large, shots: 3 })
    let rounds = 0
    await until('the second job to be stored', async () => {
      // Less than the time limit of the first request, and enough for its garbage to be collected.
      if (rounds < 8) await clock.advance(250)
      rounds += 1
      return (await jobs()).length === 3
    })
    const refused = await advanceUntil(waiting)
    expect((await advanceUntil(second)).status).toBe(503)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.body).toMatchObject({
      code: 'not_replicated',
      message: expect.stringContaining('replica unreachable'),
    })
    const ready = await server.guest.get('/api/health?ready=1')
    expect([ready.status, ready.text('message')]).toEqual([503, expect.stringContaining('replicator: ')])
    // Administrators can log in, to find the cause.
    const { status } = await server.guest.post('/api/collections/users/auth-with-password', {
      identity: 'nobody@example.org',
      password: 'wrong password',
    })
    expect(status).toBe(400)

    isAway = false
    const again = await advanceUntil(submit())
    expect(again.status).toBe(201)
    const stored = (await jobs()).map(({ id }) => id)
    expect([stored.length, stored.includes(again.text('id'))]).toEqual([3, true])
    expect((await server.guest.get('/api/health?ready=1')).status).toBe(200)
  },
)

test.each([
  [{ acknowledge: 'replicated' }, '--checkpoints external'],
  [{ acknowledge: 'replicated', checkpoints: 'external' }, '--replicator-socket'],
])('%p is refused with what is missing', async (settings, missing) => {
  await expect(openTestServer({ settings })).rejects.toThrow(missing)
})
