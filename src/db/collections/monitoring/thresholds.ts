import { AppError, badField, DAY_MS, toTimestamp, WEEK_S } from '../../../base/index.ts'
import type { SqlReader } from '../../engine/sql.ts'
import { queueAlertMails } from '../../journal/mail-items.ts'
import { queueWebhookEvent } from '../../journal/webhook-events.ts'
import { defineCollection, type HookTx } from '../../schema/collection.ts'
import { bool, choice, date, integer, number, relation, relations, text } from '../../schema/fields/index.ts'
import { events, eventTime } from '../events.ts'
import { notifications } from '../notifications.ts'
import { users } from '../users.ts'

const SIGNED_IN = '@request.auth.id != ""'
const MAX_THRESHOLDS = 1_000

/** Limits of the channels of monitors. The state is that of the last reading or of the last check. */
export const thresholds = defineCollection({
  name: 'thresholds',
  fields: {
    name: text({ required: true, max: 200, help: 'What notifications call it' }),
    driver: relation('drivers', { required: true, cascade: true }),
    channel: text({ required: true, max: 200 }),
    unit: text({ max: 50, help: 'Only readings in this unit; empty = in any' }),
    kind: choice(['above', 'below', 'stale'], { default: 'above' }),
    limit: number({ help: 'Value of the reading; of `stale` the age of the newest reading in seconds' }),
    for_seconds: integer({ min: 0, max: WEEK_S, help: 'How long the limit has to be exceeded' }),
    enabled: bool({ default: true }),
    notify: relations('users', {
      keep: true,
      ownOnly: true,
      help: 'Who is notified; empty = everybody. Removed users stay listed',
    }),
    since: date({ readOnly: true, help: 'From when the limit is exceeded' }),
    breached_at: date({ readOnly: true, help: 'When the breach was reported; empty = no breach' }),
    notification: text({ internal: true, help: 'Id of the notification of the breach' }),
  },
  rules: { list: SIGNED_IN, view: SIGNED_IN, create: null, update: null, remove: null },
  indexes: [{ on: ['driver', 'channel'], where: 'enabled = 1' }],
  hooks: {
    beforeInsert({ tx, record }) {
      refuseBadLimit(record)
      refuseTooMany(tx)
    },
    beforeUpdate({ tx, before, after }) {
      refuseBadLimit(after)
      const changed = CONDITION.filter((name) => before[name] !== after[name])
      if (changed.length === 0) return
      Object.assign(after, NO_BREACH)
      const isDisabled = changed.includes('enabled')
      endBreach(tx, before, isDisabled ? 'the limit was disabled' : `its ${changed.join(', ')} changed`)
    },
    beforeRemove: ({ tx, record }) => endBreach(tx, record, 'the limit was deleted'),
  },
})

/** Ends the breaches of a monitor whose readings do not arrive any more. */
export function endBreachesOf(tx: HookTx, monitor: string, reason: string): void {
  const breached = tx.all<{ id: string }>(
    "SELECT id FROM thresholds WHERE driver = $monitor AND breached_at <> '' ORDER BY seq",
    { monitor },
  )
  for (const { id } of breached) {
    const threshold = tx.find(thresholds, id)
    tx.update(thresholds, id, NO_BREACH)
    if (threshold) endBreach(tx, threshold, reason)
  }
}

function endBreach(tx: HookTx, threshold: Threshold, reason: string): void {
  if (threshold.breached_at === '') return
  announceEnd(tx, threshold, { value: null, unit: threshold.unit, at: tx.now }, reason)
}

/** A change of one of these fields makes another condition, which starts without a breach. */
const CONDITION = ['driver', 'channel', 'unit', 'kind', 'limit', 'for_seconds', 'enabled'] as const
const NO_BREACH = { since: '', breached_at: '', notification: '' }

function refuseBadLimit({ kind, limit }: { kind: string; limit: number }): void {
  if (kind !== 'stale' || (limit >= 1 && limit <= WEEK_S)) return
  throw badField(
    'The limit of a stale channel is a number of seconds',
    'limit',
    `Must be 1 to ${WEEK_S} seconds for stale.`,
  )
}

function refuseTooMany(tx: SqlReader): void {
  const row = tx.one<{ stored: number }>('SELECT count(*) AS stored FROM thresholds')
  if ((row?.stored ?? 0) < MAX_THRESHOLDS) return
  throw new AppError('conflict', `There are ${MAX_THRESHOLDS} thresholds, the maximum; delete some first`, {
    reason: 'too_many_thresholds',
  })
}

/** How long the notification of the end of a breach is shown. */
const ENDED_SHOWN_MS = DAY_MS

/** A threshold, as its hooks receive it. */
interface Threshold {
  id: string
  name: string
  driver: string
  channel: string
  unit: string
  kind: 'above' | 'below' | 'stale'
  limit: number
  for_seconds: number
  notify: readonly string[]
  since: string
  breached_at: string
  notification: string
}

/** What a reading or a check found; `at` in ms since the epoch, `value` null without a reading. */
interface Found {
  at: number
  value: number | null
  unit: string
}

/** Announces the breach; returns the id of the notification. */
export function announceBreach(tx: HookTx, threshold: Threshold, found: Found): string {
  const { name, since } = threshold
  const title = `${name}: limit exceeded`
  const text = `${describe(threshold, found)} since ${since}.`
  announce(tx, 'threshold.breached', threshold, found)
  queueAlertMails(tx, { of: threshold.id, isBreach: true, text: `${title}. ${text}` })
  return notifyUsers(tx, threshold, { title, description: text })
}

/** Returns the id of the notification; '' when all its addressees are gone. */
function notifyUsers(
  tx: HookTx,
  { notify }: Threshold,
  text: { title: string; description: string; end_time?: string },
): string {
  const target_users = notify.filter((id) => tx.find(users, id))
  if (notify.length > 0 && target_users.length === 0) return ''
  return tx.insert(notifications, { ...text, target_users }).id
}

/**
 * Announces the end; the notification of the breach ends with it. `reason`: why the limit is not checked any
 * more; without one a reading is within it.
 */
export function announceEnd(tx: HookTx, threshold: Threshold, found: Found, reason = ''): void {
  const { name, notification, breached_at } = threshold
  const title = reason === '' ? `${name}: within the limit again` : `${name}: breach ended`
  const text =
    reason === ''
      ? `The breach of ${breached_at} is over.`
      : `The breach of ${breached_at} ended without a reading within the limit: ${reason}.`
  announce(tx, 'threshold.cleared', threshold, found, reason)
  queueAlertMails(tx, { of: threshold.id, isBreach: false, text: `${title}. ${text}` })
  if (tx.find(notifications, notification)) tx.update(notifications, notification, { end_time: tx.at })
  notifyUsers(tx, threshold, { title, description: text, end_time: toTimestamp(tx.now + ENDED_SHOWN_MS) })
}

/** Types in the event log. */
const EVENT_TYPES = {
  'threshold.breached': 'ThresholdBreached',
  'threshold.cleared': 'ThresholdCleared',
} as const

function announce(
  tx: HookTx,
  kind: keyof typeof EVENT_TYPES,
  threshold: Threshold,
  { value, unit, at }: Found,
  reason = '',
): void {
  const { id, name, channel, limit, since, for_seconds } = threshold
  const monitor = tx.one<{ name: string; qpu: string }>('SELECT name, qpu FROM drivers WHERE id = $id', {
    id: threshold.driver,
  })
  const data = {
    id,
    name,
    driver: threshold.driver,
    channel,
    unit,
    kind: threshold.kind,
    limit,
    for_seconds,
    value,
    since,
    at: toTimestamp(at),
    reason,
  }
  tx.insert(events, {
    source: monitor?.name ?? '',
    driver: threshold.driver,
    qpu: monitor?.qpu ?? '',
    type: EVENT_TYPES[kind],
    payload: data,
    ts: eventTime(toTimestamp(at)),
  })
  queueWebhookEvent(tx, { kind, data })
}

/** `mixing (mapper.bf.tmixing) is 0.021 K, above 0.02`. */
function describe({ channel, kind, limit }: Threshold, { value, unit }: Found): string {
  if (kind === 'stale') return `${channel} has no reading for more than ${limit} s`
  return `${channel} is ${value}${unit === '' ? '' : ` ${unit}`}, ${kind} ${limit},`
}
