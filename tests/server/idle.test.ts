import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeClock } from '../support/fake-clock.ts'
import { onlySqlite } from '../support/postgres/only-sqlite.ts'
import { BELL } from '../support/server/job-lab.ts'
import { openTestServer, type TestServer } from '../support/server/server.ts'

setDefaultTimeout(120_000)

const MINUTE_S = 60
const HOUR_MS = 3_600_000

/** Content of each file of the data folder: database, log, index, mark and lock. */
function stored(test: TestServer): Map<string, bigint | number> {
  const dir = join(test.folder, 'svc_data')
  const files = readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile())
  // The index of the log is shared memory: readers change it without a write.
  const kept = files.map(({ name }) => name).filter((name) => !name.endsWith('-shm'))
  return new Map(kept.map((name) => [name, Bun.hash(readFileSync(join(dir, name)))]))
}

async function advance(clock: FakeClock, seconds: number): Promise<void> {
  for (let s = 0; s < seconds; s += 1) {
    await clock.advance(1_000)
    await Bun.sleep(0)
  }
}

/** Records of all kinds that loops look at: none of them is due within the next hour. */
async function fill(test: TestServer, clock: FakeClock): Promise<void> {
  const user = await test.createUser({ qpuSeconds: 100 })
  const qpu = await test.createQpu('north')
  const own = test.as(user)
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  const slot = { qpu: qpu.id, start_time: at(2 * HOUR_MS), end_time: at(3 * HOUR_MS) }
  const job = { circuits: [{ circuit: BELL }], shots: 10, qpu_target: 'north' }
  const answers = [
    await own.post('/api/collections/time_slots/records', slot),
    await own.post('/api/jobs', job),
    await own.post('/api/tokens', { name: 'of a client' }),
    await own.patch(`/api/collections/users/records/${user.id}`, { mail_slot_start: true }),
    await own.post('/api/webhooks', { url: 'https://1.1.1.1/hook', kinds: ['job.ended'] }),
  ]
  const tuner = await test.createTuner(qpu)
  answers.push(await test.admin.post('/api/op/calibrate/dispatch', { driver_id: tuner.id, mode: 'full' }))
  expect(answers.map(({ status }) => status).filter((status) => status >= 400)).toEqual([])
}

test.skipIf(onlySqlite('its file')).each([
  ['without a mail server', {}],
  ['with a mail server', { smtpHost: '127.0.0.1', smtpPort: '9', smtpFrom: 'svc@example.org' }],
])(
  'a server %s writes nothing in ten minutes without clients, drivers and due tasks',
  async (_, settings) => {
    const clock = new FakeClock(Date.now())
    await using test = await openTestServer({ clock, settings })
    await fill(test, clock)
    // What the requests began ends, and every loop has had its turn.
    await advance(clock, 2 * MINUTE_S)
    const before = stored(test)
    expect([...before.keys()]).toContain('svc.db-wal')
    await advance(clock, 10 * MINUTE_S)
    expect(stored(test)).toEqual(before)
    await test.db.write('one row', (tx) => tx.run("INSERT INTO meta (key, value) VALUES ('one', 'row')"))
    expect(stored(test)).not.toEqual(before)
  },
)
