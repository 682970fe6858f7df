import { AppError, badField, WEEK_S } from '../../../base/index.ts'
import type { SqlReader } from '../../engine/sql.ts'
import { defineCollection } from '../../schema/collection.ts'
import { bool, choice, date, integer, number, relation, relations, text } from '../../schema/fields/index.ts'

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
    beforeUpdate({ before, after }) {
      refuseBadLimit(after)
      if (!CONDITION.every((name) => before[name] === after[name])) Object.assign(after, NO_BREACH)
    },
  },
})

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
