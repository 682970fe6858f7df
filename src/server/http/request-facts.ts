import { type Auth, type RequestFacts, superusers, users } from '../../db/index.ts'
import type { Caller } from './caller.ts'
import { collectionIdOf } from './present.ts'

const USERS_ID = collectionIdOf(users)
const SUPERUSERS_ID = collectionIdOf(superusers)

/** The account that rules know as `@request.auth`; undefined for guests. */
export function authOf(caller: Caller): Auth | undefined {
  switch (caller.kind) {
    case 'user':
      return { collection: users, collectionId: USERS_ID, record: caller.user }
    case 'superuser':
      return { collection: superusers, collectionId: SUPERUSERS_ID, record: caller.superuser }
    case 'guest':
      return undefined
  }
}

/** What rules may ask about a request of `caller`. */
export function factsOf(caller: Caller, about: Omit<RequestFacts, 'auth'>): RequestFacts {
  const auth = authOf(caller)
  return { ...about, ...(auth && { auth }) }
}
