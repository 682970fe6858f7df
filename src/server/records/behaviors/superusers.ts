import { disableProxy, superusers, syncProxyEmail } from '../../../db/store/accounts/index.ts'
import { assertMayChangeSuperusers } from '../../auth/logins.ts'
import { callerName } from '../../http/caller.ts'
import { defineBehavior } from '../behavior.ts'
import { assertHasPassword, issuedShape, prepareCredentials, remainingAccess } from './credentials.ts'

/** Fields that decide who can log in as a superuser. */
const CREDENTIALS = ['email', 'password', 'tokenKey:autogenerate']

/** Superusers: their proxy user for submissions follows their address and is disabled on deletion. */
export const superusersBehavior = defineBehavior(superusers, {
  computedShape: issuedShape,
  async prepare(draft) {
    if (CREDENTIALS.some((name) => Object.hasOwn(draft.body, name))) assertMayChangeSuperusers(draft.caller)
    if (!draft.before) assertHasPassword(draft)
    return prepareCredentials('superusers', draft)
  },
  creating(_, values) {
    values['verified'] ??= true
  },
  updated({ tx }, before, after) {
    if (before.email !== after.email) syncProxyEmail(tx, after)
  },
  written: remainingAccess('superusers'),
  removed: ({ tx, caller }, record) => disableProxy(tx, record, callerName(caller)),
})
