import { disableProxy, superusers, syncProxyEmail } from '../../../db/index.ts'
import { defineBehavior } from '../behavior.ts'
import { assertHasPassword, prepareCredentials } from './credentials.ts'

/** Superusers: their proxy user for submissions follows their address and is disabled on deletion. */
export const superusersBehavior = defineBehavior(superusers, {
  async prepare(draft) {
    if (!draft.before) assertHasPassword(draft)
    return prepareCredentials('superusers', draft)
  },
  creating(_, values) {
    values['verified'] ??= true
  },
  updated({ tx }, before, after) {
    if (before.email !== after.email) syncProxyEmail(tx, after)
  },
  removed: ({ tx }, record) => disableProxy(tx, record),
})
