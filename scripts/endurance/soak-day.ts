/**
 * A day of a server in one process on a virtual clock: `npx bun run scripts/endurance/soak-day.ts [--hours
 * 24]`. All its loops run (dispatch, recovery, pruning, renewal of certificates) while a user logs in,
 * submits, lists, listens and leaves. Prints, at each virtual hour after garbage collection, heap, objects
 * and rows; what grows without end shows there.
 */
import { heapStats } from 'bun:jsc'
import { parseArgs } from 'node:util'
import { Listener } from '../../bench/support/listener.ts'
import { printTable } from '../../bench/support/output.ts'
import { toTimestamp } from '../../src/base/index.ts'
import { events } from '../../src/db/store/readings/index.ts'
import { BELL } from '../../tests/support/executable/service.ts'
import { FakeClock } from '../../tests/support/fake-clock.ts'
import { login, openTestServer, type TestServer } from '../../tests/support/server/server.ts'

const { values } = parseArgs({ options: { hours: { type: 'string', default: '24' } } })
const HOUR_S = 3_600
const WORK_EVERY_S = 120
const TABLES = ['quantum_jobs', 'events', 'leases', 'idempotency_keys', 'api_tokens']

const clock = new FakeClock(Date.now())
const settings = { eventsRetention: '2h', eventsPruneInterval: '10m' }
await using test = await openTestServer({ clock, settings })
const user = await test.createUser({ qpuSeconds: 1_000_000 })
await test.createQpu('kelvin')

async function work(server: TestServer, token: string): Promise<void> {
  const me = server.as({ token })
  const job = await me.post('/api/jobs', { circuits: [{ circuit: BELL }], shots: 100 })
  await me.post(`/api/jobs/${job.text('id')}/cancel`)
  await me.get('/api/collections/quantum_jobs/records?perPage=50&sort=-created')
  const made = await me.post('/api/tokens', { name: 'soak' })
  await me.call('DELETE', `/api/tokens/${made.text('id')}`)
  const listener = await Listener.open(server.url, token)
  listener.close()
  await server.db.write('log event', (tx) =>
    tx.insert(events, { type: 'CryostatReading', ts: toTimestamp(clock.now()), source: 'soak', payload: {} }),
  )
}

async function rows(): Promise<number[]> {
  const counts = await test.db.read((tx) =>
    TABLES.map((name) => tx.one<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`)?.rows ?? 0),
  )
  return counts
}

const lines: (string | number)[][] = []
for (let hour = 0; hour <= Number(values.hours); hour += 1) {
  Bun.gc(true)
  const { heapSize, objectCount } = heapStats()
  const { rss } = process.memoryUsage()
  const sizes = [heapSize / 1e6, rss / 1e6].map((size) => size.toFixed(1))
  lines.push([
    String(hour),
    ...sizes,
    String(objectCount),
    String(test.server.realtime.size),
    ...(await rows()).map(String),
  ])
  console.error(`hour ${hour}: heap ${sizes[0]} MB, ${objectCount} objects`)
  if (hour === Number(values.hours)) break
  // Logins last half a day.
  const token = await login(test.guest, 'users', user)
  for (let second = 0; second < HOUR_S; second += 1) {
    await clock.advance(1_000)
    if (second % WORK_EVERY_S === 0) await work(test, token)
  }
}
printTable(['hour', 'heap (MB)', 'RSS (MB)', 'objects', 'streams', ...TABLES], lines)
