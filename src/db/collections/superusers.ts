import { AppError } from '../../base/index.ts'
import { renewTokenKey } from '../hooks/token-key.ts'
import { defineCollection, type RecordOf } from '../schema/collection.ts'
import { bool, email, text } from '../schema/fields/index.ts'

/** Administrators, who pass every rule. */
export const superusers = defineCollection({
  name: 'superusers',
  publicName: '_superusers',
  type: 'auth',
  fields: {
    email: email({ required: true, unique: true }),
    emailVisibility: bool(),
    verified: bool(),
    password: text({ internal: true, help: 'Hash of the password' }),
    tokenKey: text({ internal: true, help: 'Part of the key that signs the tokens of this superuser' }),
    mail_alerts: bool({
      help: 'Mail when a figure of the service or a reading passes its limit, and when it is within again',
    }),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  hooks: {
    beforeUpdate: ({ before, after }) => renewTokenKey(before, after),
    beforeRemove({ tx, record }) {
      const row = tx.one<{ count: number }>('SELECT count(*) AS count FROM superusers')
      if (row?.count === 1) {
        throw new AppError('invalid', 'The last superuser cannot be deleted; create another one first', {
          reason: 'last_superuser',
        })
      }
      for (const table of ['mail_items', 'mail_digests'])
        tx.run(`DELETE FROM ${table} WHERE "user" = $id`, { id: record.id })
    },
  },
})

export type Superuser = RecordOf<typeof superusers>
