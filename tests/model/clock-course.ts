import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, MINUTE_MS, newId, silentLog, toTimestamp } from '../../src/base/index.ts'
import { webhooks } from '../../src/db/collections/webhooks.ts'
import type { Tx } from '../../src/db/index.ts'
import { queueWebhookEvent } from '../../src/db/journal/webhook-events.ts'
import { newestBackup } from '../../src/db/sqlite/backup/index.ts'
import { users } from '../../src/db/store/accounts/index.ts'
import { bookSlots } from '../../src/db/store/bookings/index.ts'
import { listLatestValues, storeReport, storeValues } from '../../src/db/store/calibrations/index.ts'
import { FairShare } from '../../src/db/store/jobs/queue/fair-share.ts'
import {
  announceSlotStarts,
  claimDigest,
  finishDigest,
  hasSlotStarts,
  listDueDigests,
} from '../../src/db/store/mail/index.ts'
import { drivers, qpus } from '../../src/db/store/qpus/index.ts'
import { checkReadings, events, rollUpReadings, thresholds } from '../../src/db/store/readings/index.ts'
import { listDueDeliveries, listDueWebhooks, recordAttempt } from '../../src/db/store/webhooks/index.ts'
import { scheduleBackups } from '../../src/server/admin/backups/scheduled-backups.ts'
import { createTimeBounds } from '../../src/server/bound-times.ts'
import { createThresholdWatch } from '../../src/server/events/threshold-watch.ts'
import { openTestDatabase, type TestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Whose clock is wrong in one of the minutes, and by how much. */
export interface WrongClock {
  who: 'server' | 'driver' | 'both' | 'nobody'
  byMs: number
  minute: number
  /** Whether the server restarts while its clock is set right. */
  restarts: boolean
}

const MINUTES = 110
/** The monitor reports until then, in these minutes what is above a limit. */
const LAST_READING = 30
const isHigh = (minute: number) => minute >= 12 && minute < 20
const EVERY_MS = 10 * MINUTE_MS
/** Before and after the channel is silent for longer than its limit. */
const STALE_AT = [32, 37]

/** Runs a service for some hours; returns what its users see in the end, and when. */
export async function course(wrong: WrongClock) {
  await using test = await openTestDatabase()
  using folder = temporaryFolder()
  const { db, clock } = test
  const backups = join(folder.path, 'backups')
  mkdirSync(backups)
  const seen = { slotMails: 0, delivered: 0, backups: 0, lag: 0 }
  const config = { dir: folder.path, backupEvery: EVERY_MS, backupKeep: { last: 2, days: 0, weeks: 0 } }
  const made = () => {
    seen.backups += 1
  }
  const open = () => openLoops(test, { config, made })
  const ids = await db.write('seed', (tx) => seed(tx, clock.now()))
  const isStale = () => db.read((tx) => tx.find(thresholds, ids.stale)?.breached_at !== '')
  const newest = () => db.read((tx) => listLatestValues(tx, ids.qpu, 1)[0]?.value ?? 0)
  const stale: boolean[] = []
  const share = new FairShare(24 * 60 * MINUTE_MS)
  let stop = open()
  // Backups are made within minutes, not between them.
  await clock.advance(20_000)
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const by = offsetsIn(minute, wrong)
    if (minute === MINUTES - 40) seen.backups = 0
    const driverAt = clock.now() + by.driver
    clock.jump(by.server)
    await db.write('minute', (tx) => {
      if (minute < LAST_READING) report(tx, ids.monitor, { at: driverAt, value: isHigh(minute) ? 2 : 0 })
      calibrate(tx, ids, { at: driverAt, value: minute })
      seen.delivered += deliver(tx, minute > 12)
      if (hasSlotStarts(tx)) announceSlotStarts(tx)
      seen.slotMails += sendMails(tx)
      use(tx, ids.user)
      share.read(tx)
    })
    await clock.advance(MINUTE_MS - 10_000)
    if (by.restarts) await stop()
    clock.jump(-by.server)
    if (by.restarts) stop = open()
    await clock.advance(10_000)
    if (minute !== wrong.minute) seen.lag = Math.max(seen.lag, minute - (await newest()))
    if (STALE_AT.includes(minute)) stale.push(await isStale())
  }
  await stop()
  const kept = readdirSync(backups).filter((name) => newestBackup([name], clock.now()) !== undefined)
  return db.read((tx) => {
    const breaches = tx.list(events, { where: { type: 'ThresholdBreached' } }).map(({ payload }) => payload)
    const of = (id: string) => breaches.filter((each) => isObject(each) && each['id'] === id).length
    return {
      ...seen,
      backups: Math.round(seen.backups / 2) * 2,
      kept: kept.length,
      stale,
      isAbove: tx.find(thresholds, ids.above)?.breached_at !== '',
      breaches: { above: of(ids.above), stale: of(ids.stale) },
      failures: tx.find(webhooks, ids.webhook)?.failures,
      usedMs: share.read(tx).of(ids.user),
    }
  })
}

/** What is wrong in a minute: clocks by so many ms, and whether the server restarts. */
function offsetsIn(minute: number, { who, byMs, minute: wrong, restarts }: WrongClock) {
  if (minute !== wrong) return { server: 0, driver: 0, restarts: false }
  return { server: who === 'driver' ? 0 : byMs, driver: who === 'server' ? 0 : byMs, restarts }
}

interface LoopDependencies {
  config: Parameters<typeof scheduleBackups>[0]['config']
  /** Called for each backup. */
  made(): void
}

/** Starts the loops of a server; returns how to stop them. */
function openLoops({ db, clock }: TestDatabase, { config, made }: LoopDependencies): () => Promise<void> {
  const operations = {
    start: ({ name }: { name: string }) => {
      made()
      writeFileSync(join(config.dir, 'backups', name), '')
      return { state: 'succeeded', findings: [] }
    },
    idle: async () => undefined,
  }
  const log = silentLog
  const loops = [
    // Of an operation the schedule reads only the outcome.
    scheduleBackups({ config, operations: operations as never, clock, log }),
    createTimeBounds({ db, clock, log }),
    createThresholdWatch({ db, clock, log }),
  ]
  for (const loop of loops) loop?.start()
  return async () => {
    for (const loop of loops) await loop?.stop()
  }
}

function seed(tx: Tx, now: number) {
  const user = tx.insert(users, {
    ...{ username: 'ada', email: 'ada@example.org', verified: true, mail_slot_start: true },
  }).id
  const qpu = tx.insert(qpus, { name: 'north' }).id
  const [monitor, tuner] = (['monitor', 'calibrate'] as const).map(
    (operation) => tx.insert(drivers, { name: operation, qpu, operation, token: operation }).id,
  ) as [string, string]
  const limit = { driver: monitor, channel: 't' }
  const slots = Array.from({ length: 9 }, (_, at) => ({
    start_time: toTimestamp(now + (at + 0.5) * EVERY_MS),
    end_time: toTimestamp(now + (at + 0.9) * EVERY_MS),
  }))
  bookSlots(tx, { user, qpu, slots })
  const receiver = { user, url: 'https://hook.test/', kinds: ['job.ended'], secret: 'whsec_AAAA' }
  const webhook = tx.insert(webhooks, receiver).id
  queueWebhookEvent(tx, { kind: 'job.ended', user, data: { id: 'j' } })
  return {
    ...{ user, qpu, monitor, tuner, webhook },
    above: tx.insert(thresholds, { ...limit, name: 'warm', limit: 1, for_seconds: 180 }).id,
    stale: tx.insert(thresholds, { ...limit, name: 'silent', kind: 'stale', limit: 300 }).id,
  }
}

function report(tx: Tx, driver: string, { at, value }: { at: number; value: number }): void {
  const payload = { readings: { t: { value, unit: 'K' } } }
  const ts = toTimestamp(at).replace(' ', 'T')
  tx.insert(events, { source: 'monitor', driver, type: 'CryostatReading', ts, payload })
  checkReadings(tx, rollUpReadings(tx, 10))
}

function calibrate(
  tx: Tx,
  { qpu, tuner }: { qpu: string; tuner: string },
  { at, value }: { at: number; value: number },
): void {
  const run = newId(at)
  storeReport(tx, {
    ...{ run, driver: tuner, qpu, request: null, mode: 'full', startedAt: at, endedAt: at },
    findings: {
      ...{ status: 'success', backend: '', device_file: null, routines: [], benchmarks: [] },
      ...{ skipped: [], notes: [], errors: [] },
    },
  })
  const stored = tx.one<{ id: string; at: string }>(
    'SELECT id, finished_at AS at FROM calibration_results WHERE run_id = $run',
    { run },
  )
  const found = { element: 'q0', parameter: 't1', value, error: null, unit: 's', routine: 't1' }
  if (stored) storeValues(tx, { ...stored, qpu }, [found])
}

/** Makes the attempts that are due; returns how many deliveries arrived. */
function deliver(tx: Tx, succeeds: boolean): number {
  const attempt = {
    status: succeeds ? 200 : 500,
    error: succeeds ? '' : 'HTTP 500',
    durationMs: 5,
    response: '',
  }
  const due = [true, false].flatMap((strained) => listDueWebhooks(tx, strained, 10))
  const states = due.flatMap(({ id: webhook, url }) =>
    listDueDeliveries(tx, webhook, 10).map(({ id: delivery }) =>
      recordAttempt(tx, { webhook, delivery, url }, attempt),
    ),
  )
  return states.filter((state) => state === 'delivered').length
}

/** Sends the digests that are due; returns how many slots they announce. */
function sendMails(tx: Tx): number {
  const sent = listDueDigests(tx, 10).flatMap((user) => {
    const digest = claimDigest(tx, user)
    if (digest) finishDigest(tx, digest)
    return digest?.items ?? []
  })
  return sent.filter(({ kind }) => kind === 'slot_started').length
}

function use(tx: Tx, user: string): void {
  tx.run(
    `INSERT INTO recent_use (minute, "user", ms) VALUES ($minute, $user, 1000)
     ON CONFLICT (minute, "user") DO UPDATE SET ms = recent_use.ms + 1000`,
    { minute: Math.floor(tx.now / MINUTE_MS), user },
  )
}
