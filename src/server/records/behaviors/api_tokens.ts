import { badField } from '../../../base/index.ts'
import { apiTokens, syncOwner } from '../../../db/store/accounts/index.ts'
import { defineBehavior, type Values } from '../behavior.ts'

/** API tokens as superusers store them: by their hash. `users.api_tokens` follows. */
export const apiTokensBehavior = defineBehavior(apiTokens, {
  creating: (_, values) => assertIsHash(values),
  created: ({ tx }, { user }) => syncOwner(tx, user),
  updating: (_, __, patch) => assertIsHash(patch),
  updated({ tx }, before, after) {
    if (before.user !== after.user) syncOwner(tx, before.user)
    syncOwner(tx, after.user)
  },
  removed: ({ tx }, { user }) => syncOwner(tx, user),
})

/** A raw token would be stored in plain text and would not be accepted. */
function assertIsHash({ token }: Values): void {
  if (typeof token !== 'string' || token === '' || /^[0-9a-f]{64}$/.test(token)) return
  const message = 'Must be the SHA-256 of the token, 64 characters of 0-9 and a-f.'
  throw badField('The token must be sent as its hash', 'token', message, {
    code: 'validation_invalid_format',
  })
}
