import { defineCollection } from '../schema/collection.ts'
import { choice, date, relation, text } from '../schema/fields/index.ts'

/** What an API token may do, each including the ones before it; `docs/how-to/accounts.md` describes them. */
export const SCOPE_LADDER = ['read', 'submit', 'all'] as const
/** `operate` and `session` are no steps of the ladder: each allows the routes that name it. */
export const TOKEN_SCOPES = [...SCOPE_LADDER, 'operate', 'session'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** Tokens that client programs use on behalf of a user. */
export const apiTokens = defineCollection({
  name: 'api_tokens',
  fields: {
    name: text({ max: 255 }),
    token: text({ required: true, hidden: true, unique: true, help: 'SHA-256 (hex) of the token' }),
    user: relation('users', { required: true, cascade: true }),
    expires_at: date(),
    scope: choice(TOKEN_SCOPES, { default: 'all' }),
    cluster: text({ max: 64, help: 'With the scope session: for whose accounts it opens sessions' }),
  },
  rules: { list: null, view: null, create: null, update: null, remove: null },
  indexes: [['user']],
})
