import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, MINUTE_MS, newId, silentLog, toTimestamp } from '../../src/base/index.ts'
import { webhooks } from '../../src/db/collections/webhooks.ts'
import type { Tx } from '../../src/db/index.ts'
import { queueWebhookEvent } from '../../src/db/journal/webhook-events.ts'
import { newestBackup, removeOldBackups } from '../../src/db/sqlite/backup/index.ts'
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
import {
  checkAges,
  checkReadings,
  events,
  rollUpReadings,
  thresholds,
} from '../../src/db/store/readings/index.ts'
import { listDueDeliveries, listDueWebhooks, recordAttempt } from '../../src/db/store/webhooks/index.ts'
import { scheduleBackups } from '../../src/server/admin/backups/scheduled-backups.ts'
import { createTimeBounds } from '../../src/server/bound-times.ts'
import { openTestDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Whose clock is wrong in one of the minutes, and by how much. */
export interface WrongClock {
  who: 'server' | 'driver' | 'both' | 'nobody'
  byMs: number
  minute: number
}

const MINUTES = 110
/** The monitor reports until then, in these minutes what is above a limit. */
const LAST_READING = 30
const isHigh = (minute: number) => minute >= 12 && minute < 20
const EVERY_MS = 10 * MINUTE_MS

/** Runs a service for some hours; returns what its users see in the end. */
export async function course({ who, byMs, minute: wrong }: WrongClock) {
  await using test = await openTestDatabase()
  using folder = temporaryFolder()
  const { db, clock } = test
  const backups = join(folder.path, 'backups')
  mkdirSync(backups)
  let made = 0
  const operations = {
    start: ({ name }: { name: string }) => {
      made += 1
      writeFileSync(join(backups, name), '')
      return { state: 'succeeded', findings: [] }
    },
    idle: async () => undefined,
  }
  const config = { dir: folder.path, backupEvery: EVERY_MS, backupKeep: { last: 2, days: 0, weeks: 0 } }
  // Of an operation the schedule reads only the outcome.
  const schedule = scheduleBackups({ config, operations: operations as never, clock, log: silentLog })
  const bounds = createTimeBounds({ db, clock, log: silentLog })
  const startedAt = clock.now()
  const ids = await db.write('seed', (tx) => seed(tx, startedAt))
  const share = new FairShare(24 * 60 * MINUTE_MS)
  schedule?.start()
  bounds.start()
  const seen = { slotMails: 0, breaches: 0, delivered: 0, backups: 0 }
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const isWrong = minute === wrong
    const serverBy = isWrong && (who === 'server' || who === 'both') ? byMs : 0
    const driverBy = isWrong && (who === 'driver' || who === 'both') ? byMs : 0
    if (minute === MINUTES - 40) made = 0
    const driverAt = clock.now() + driverBy
    clock.jump(serverBy)
    await db.write('minute', (tx) => {
      if (minute < LAST_READING) report(tx, ids.monitor, { at: driverAt, value: isHigh(minute) ? 2 : 0 })
      checkAges(tx, startedAt)
      calibrate(tx, ids, { at: driverAt, value: minute })
      seen.delivered += deliver(tx, minute > 12)
      if (hasSlotStarts(tx)) announceSlotStarts(tx)
      seen.slotMails += sendMails(tx)
      use(tx, ids.user)
      share.read(tx)
    })
    await clock.advance(MINUTE_MS - 10_000)
    clock.jump(-serverBy)
    await clock.advance(10_000)
  }
  seen.backups = Math.round(made / 2) * 2
  removeOldBackups(backups, config.backupKeep, clock.now())
  const kept = readdirSync(backups).filter((name) => newestBackup([name], clock.now()) !== undefined)
  await schedule?.stop()
  await bounds.stop()
  return db.read((tx) => ({
    ...seen,
    kept: kept.length,
    isStale: tx.find(thresholds, ids.stale)?.breached_at !== '',
    isAbove: tx.find(thresholds, ids.above)?.breached_at !== '',
    breaches: tx
      .list(events, { where: { type: 'ThresholdBreached' } })
      .filter(({ payload }) => isObject(payload) && payload['id'] === ids.above).length,
    failures: tx.find(webhooks, ids.webhook)?.failures,
    newest: listLatestValues(tx, ids.qpu, 1)[0]?.value,
    usedMs: share.read(tx).of(ids.user),
  }))
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
