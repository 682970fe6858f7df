import { badField } from '../../base/index.ts'
import type { SqlReader } from '../engine/sql.ts'
import { refuseOddName } from '../hooks/plain-name.ts'
import { cancelJobsOf } from '../hooks/removal.ts'
import { renewTokenKey } from '../hooks/token-key.ts'
import { defineCollection, type RecordOf } from '../schema/collection.ts'
import { bool, email, integer, relations, seconds, text } from '../schema/fields/index.ts'

const OWN = 'id = @request.auth.id'
const NO_MONEY = '@request.body.qpu_seconds:isset = false && @request.body.api_tokens:isset = false'

/** Prefix of the user names of superusers' proxy users; reserved. */
export const PROXY_PREFIX = 'superuser_'

function refuseProxyName(user: { username: string; unlimited: boolean }): void {
  if (user.unlimited || !user.username.toLowerCase().startsWith(PROXY_PREFIX)) return
  const message = `Must not begin with ${PROXY_PREFIX}, which is reserved for superusers.`
  throw badField('The user name is reserved', 'username', message)
}

/**
 * The ledger and the audit log name removed users by their id, and mails wait for users and superusers by
 * theirs, which nobody else may have.
 */
function refuseTakenId(tx: SqlReader, id: string): void {
  const taken = 'SELECT 1 FROM removed_users WHERE id = $id UNION ALL SELECT 1 FROM superusers WHERE id = $id'
  if (!tx.one(taken, { id })) return
  throw badField('Failed to create record', 'id', 'Belongs to another or a removed account.', {
    code: 'validation_not_unique',
  })
}

/** People who submit jobs, with their balance of QPU time. */
export const users = defineCollection({
  name: 'users',
  type: 'auth',
  fields: {
    email: email({ unique: true }),
    emailVisibility: bool(),
    verified: bool(),
    password: text({ internal: true, help: 'Hash of the password' }),
    tokenKey: text({ internal: true, help: 'Part of the key that signs the tokens of this user' }),
    username: text({ unique: true, max: 150 }),
    qpu_seconds: seconds({ column: 'qpu_ms', min: 0, help: 'Balance of QPU time in seconds' }),
    api_tokens: relations('api_tokens'),
    disabled: bool({ help: 'The user cannot log in or submit jobs' }),
    max_bytes: integer({ min: 0, help: 'Bytes that the user may store; 0 = --max-user-bytes' }),
    mail_job_after: integer({
      min: 0,
      max: 31_536_000,
      help: 'Mail when a job ends this many seconds or more after its submission; 0 = never',
    }),
    mail_slot_start: bool({ help: 'Mail when a booked slot starts' }),
    mail_time_request: bool({ help: 'Mail when a request for QPU time is decided' }),
    unlimited: bool({ readOnly: true, help: 'Proxy user of a superuser; the balance is unlimited' }),
  },
  columns: {
    // The bytes of the stored jobs, which a job changes with the balance; see `src/db/sums/triggers.ts`.
    job_bytes: 'INTEGER NOT NULL DEFAULT 0',
  },
  rules: {
    list: OWN,
    view: OWN,
    create: `@request.context = "oauth2" && ${NO_MONEY}`,
    update: `${OWN} && ${NO_MONEY}`,
    remove: OWN,
  },
  hooks: {
    beforeInsert({ tx, record }) {
      refuseProxyName(record)
      refuseOddName('username', record.username)
      refuseTakenId(tx, record.id)
    },
    beforeUpdate({ before, after }) {
      refuseProxyName(after)
      refuseOddName('username', after.username, before.username)
      renewTokenKey(before, after)
    },
    // The balance is the sum of the ledger, so an initial balance is its first entry.
    afterInsert({ tx, record }) {
      if (record.qpu_seconds === 0) return
      tx.run(
        `INSERT INTO qpu_ledger ("user", kind, source_id, delta_ms, at)
         VALUES ($user, 'opening', $user, $delta, $at)`,
        { user: record.id, delta: Math.round(record.qpu_seconds * 1_000), at: tx.at },
      )
    },
    beforeRemove({ tx, record }) {
      cancelJobsOf(tx, record.id)
      for (const table of ['mail_items', 'mail_digests', 'calendar_feeds', 'shares'])
        tx.run(`DELETE FROM ${table} WHERE "user" = $user`, { user: record.id })
    },
  },
})

export type User = RecordOf<typeof users>
