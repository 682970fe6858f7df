import { expect, test } from 'bun:test'
import { valuesOf } from '../../../src/server/metrics/exposition.ts'
import { DatabaseWaits } from '../../../src/server/metrics/shared-database.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const MINUTE_MS = 60_000
const SHARED = {
  epoch: 7,
  standbys: async () => ['http://south'],
  replicaLagBytes: async (): Promise<number | undefined> => undefined,
  clockDifferenceMs: async () => -2_500,
  onWait: () => undefined,
  limitWaits: () => undefined,
}

test('DatabaseWaits has the longest wait of the last minutes, and all of them by their time', async () => {
  const clock = new FakeClock()
  const waits = new DatabaseWaits(clock)
  const read = async () => valuesOf(await waits.read(SHARED))
  for (const ms of [2, 700, 1]) waits.observe(ms)
  const values = await read()
  expect(values.get('svc_leader')).toBe(1)
  expect(values.get('svc_leader_epoch')).toBe(7)
  expect(values.get('svc_standbys')).toBe(1)
  expect(values.get('svc_database_clock_seconds')).toBe(2.5)
  expect(values.has('svc_database_replica_lag_bytes')).toBe(false)
  const behind = valuesOf(await waits.read({ ...SHARED, replicaLagBytes: async () => 5 }))
  expect(behind.get('svc_database_replica_lag_bytes')).toBe(5)
  expect(values.get('svc_database_wait_seconds_bucket{le="0.5"}')).toBe(2)
  expect(values.get('svc_database_wait_seconds_count')).toBe(3)
  const longest = async () => (await read()).get('svc_database_longest_wait_seconds')
  expect(await longest()).toBe(0.7)
  await clock.advance(5 * MINUTE_MS)
  waits.observe(3)
  expect(await longest()).toBe(0.7)
  await clock.advance(5 * MINUTE_MS)
  expect(await longest()).toBe(0.003)
  await clock.advance(10 * MINUTE_MS)
  expect(await longest()).toBe(0)
})
