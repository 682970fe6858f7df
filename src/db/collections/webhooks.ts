import { defineCollection } from '../schema/collection.ts'
import { bool, date, integer, json, relation, text } from '../schema/fields/index.ts'

/**
 * Addresses that receive events by HTTPS. Their owners manage them by `/api/webhooks`; superusers may read
 * and delete the records.
 */
export const webhooks = defineCollection({
  name: 'webhooks',
  fields: {
    user: relation('users', { required: true, cascade: true, readOnly: true }),
    url: text({ required: true, max: 1_000, readOnly: true }),
    description: text({ max: 255, readOnly: true }),
    kinds: json({ maxBytes: 1_024, readOnly: true, help: 'Kinds of events that it receives' }),
    for_operators: bool({ internal: true, help: 'Receives kinds that only superusers may register for' }),
    enabled: bool({ default: true, readOnly: true }),
    disabled_reason: text({ max: 1_000, readOnly: true }),
    secret: text({ required: true, internal: true, help: 'Signs deliveries: whsec_ and base64' }),
    previous_secret: text({ internal: true, help: 'Also signs deliveries until previous_until' }),
    previous_until: date({ internal: true }),
    failures: integer({ min: 0, readOnly: true, help: 'Failed attempts since the last successful one' }),
    failing_since: date({ readOnly: true, help: 'The first of these failures' }),
    dropped: integer({
      min: 0,
      readOnly: true,
      help: 'Events that were not queued, because too many deliveries were pending',
    }),
    next_at: integer({
      internal: true,
      help: 'Time of the next attempt, ms since the epoch; 0 = no delivery is pending',
    }),
    strained: bool({ internal: true, help: 'The last attempt failed or was slow' }),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  indexes: [
    // For selecting the next attempts, of receivers that respond well and of the others.
    { on: ['strained', 'next_at'], where: 'next_at > 0' },
    // For events that all operators receive.
    { on: ['for_operators'], where: 'for_operators = 1 AND enabled = 1' },
  ],
  hooks: {
    beforeRemove({ tx, record }) {
      tx.run('DELETE FROM webhook_deliveries WHERE webhook = $id', { id: record.id })
    },
  },
})
