import { defineCollection } from '../schema/collection.ts'
import { date, relation, text } from '../schema/fields/index.ts'

/** Tokens that client programs use on behalf of a user. */
export const apiTokens = defineCollection({
  name: 'api_tokens',
  fields: {
    name: text({ max: 255 }),
    token: text({ required: true, hidden: true, unique: true, help: 'SHA-256 (hex) of the token' }),
    user: relation('users', { required: true, cascade: true }),
    expires_at: date(),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  indexes: [['user']],
})
