import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../../../../src/base/index.ts'
import { createReplication, litestream } from '../../../../src/db/sqlite/durability/replication.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

/** A replication whose replicator confirms when the test says so. */
function openReplication() {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = createLog({ level: 'info', write: (line) => void lines.push(line) })
  const asked: PromiseWithResolvers<void>[] = []
  const replication = createReplication({
    clock,
    log,
    confirm: () => {
      const request = Promise.withResolvers<void>()
      asked.push(request)
      return request.promise
    },
  })
  const reached: string[] = []
  const wait = (name: string) =>
    replication.reached()?.then(
      () => reached.push(name),
      ({ reason }) => reached.push(`${name} ${reason}`),
    )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { replication, clock, lines, asked, reached, wait, settle }
}

describe('createReplication()', () => {
  test('confirms with one request what waits together, and with the next one what came meanwhile', async () => {
    const { replication, asked, reached, wait, settle } = openReplication()
    // What was committed before the start may not be in the replica.
    void wait('start')
    await settle()
    replication.committed()
    void wait('one')
    replication.committed()
    void wait('two')
    expect(asked).toHaveLength(1)
    asked[0]?.resolve()
    await settle()
    expect([reached, asked.length]).toEqual([['start'], 2])
    asked[1]?.resolve()
    await settle()
    expect(reached).toEqual(['start', 'one', 'two'])
    expect(replication.reached()).toBeUndefined()
  })

  test('asks again after an error and without a response, says so once, and recovers', async () => {
    const { replication, clock, lines, asked, reached, wait, settle } = openReplication()
    void wait('one')
    for (let at = 0; at < 2; at += 1) {
      await settle()
      asked[at]?.reject(new Error('connection refused'))
      await settle()
      expect(replication.failure).toEqual({ since: 0, reason: 'connection refused' })
      await clock.advance(250)
    }
    await settle()
    expect(asked).toHaveLength(3)
    await clock.advance(10_000)
    expect(replication.failure?.reason).toBe('no response in 10 s')
    await clock.advance(250)
    await settle()
    asked[3]?.resolve()
    await settle()
    expect([reached, replication.failure]).toEqual([['one'], undefined])
    const messages = lines.map((line) => line.replace(/^\S+ /, ''))
    expect(messages.filter((line) => line.includes('does not confirm'))).toHaveLength(2)
    expect(messages.filter((line) => line.includes('confirms again'))).toHaveLength(1)
  })

  test('ends all waits when it is closed', async () => {
    const { replication, reached, wait, settle } = openReplication()
    void wait('one')
    replication.close()
    await settle()
    expect(reached).toEqual(['one not_replicated'])
    expect(() => replication.reached()).toThrow('The service stops')
  })
})

describe('litestream()', () => {
  test('is confirmed by a response that names a replicated transaction, and by nothing else', async () => {
    using folder = temporaryFolder()
    const socket = join(folder.path, 'litestream.sock')
    const confirm = litestream({ socket }, '/data/svc.db')
    const { signal } = new AbortController()
    await expect(confirm(signal)).rejects.toThrow(socket)
    const bodies: unknown[] = []
    let response = () => Response.json({ txid: 7, replicated_txid: 7 })
    using _ = Bun.serve({
      unix: socket,
      routes: {
        '/sync': {
          async POST(request) {
            bodies.push(await request.json())
            return response()
          },
        },
      },
    })
    await confirm(signal)
    expect(bodies).toEqual([{ path: '/data/svc.db', wait: true, timeout: 10 }])
    response = () => Response.json({ txid: 8, replicated_txid: 7 })
    await expect(confirm(signal)).rejects.toThrow('transaction 8 is not in the replica yet')
    response = () => Response.json({ error: 'database not found: /data/svc.db' }, { status: 404 })
    await expect(confirm(signal)).rejects.toThrow('responded 404')
    response = () => Response.json({ status: 'synced' })
    await expect(confirm(signal)).rejects.toThrow('txid')
  })
})
