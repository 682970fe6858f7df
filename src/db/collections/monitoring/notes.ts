import { AppError } from '../../../base/index.ts'
import type { SqlReader } from '../../engine/sql.ts'
import { defineCollection } from '../../schema/collection.ts'
import { date, relation, text } from '../../schema/fields/index.ts'

const SIGNED_IN = '@request.auth.id != ""'
const MAX_NOTES = 10_000

/** Moments that plots and the schedule mark, such as the exchange of a trap or a refill. */
export const notes = defineCollection({
  name: 'notes',
  fields: {
    at: date({ required: true, help: 'The moment that the note marks' }),
    text: text({ required: true, max: 500 }),
    qpu: relation('qpus', { cascade: true, help: 'Empty = every QPU' }),
    author: text({ hidden: true, readOnly: true, help: 'E-mail address of the superuser who wrote it' }),
  },
  rules: { list: SIGNED_IN, view: SIGNED_IN, create: null, update: null, remove: null },
  indexes: [['at']],
  hooks: {
    beforeInsert({ tx }) {
      refuseTooMany(tx)
    },
  },
})

function refuseTooMany(tx: SqlReader): void {
  const row = tx.one<{ stored: number }>('SELECT count(*) AS stored FROM notes')
  if ((row?.stored ?? 0) < MAX_NOTES) return
  throw new AppError('conflict', `There are ${MAX_NOTES} notes, the maximum; delete some first`, {
    reason: 'too_many_notes',
  })
}
