import { type Auth, type RequestFacts, superusers, users } from '../../../db/index.ts'
import type { Caller } from '../../http/caller.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'

/** What rules may ask about a request that is not about the caller. */
export type RequestDetails = Partial<Omit<RequestFacts, 'auth'>>

/** What rules may ask about a request of `caller`. */
export function requestInfoOf(caller: Caller, circumstances: RequestDetails = {}): RequestFacts {
  const auth = authOf(caller)
  return {
    method: 'GET',
    context: 'default',
    query: {},
    headers: {},
    body: {},
    ...circumstances,
    ...(auth && { auth }),
  }
}

/** The parts of a request that `factsOf` wants besides the caller and the body. */
export function requestDetailsOf(
  request: Request,
  query: Readonly<Record<string, string>>,
): Pick<RequestFacts, 'method' | 'query' | 'headers'> {
  const headers = [...request.headers].map(([name, value]) => [name.replaceAll('-', '_'), value] as const)
  return { method: request.method, query, headers: Object.fromEntries(headers) }
}

function authOf(caller: Caller): Auth | undefined {
  switch (caller.kind) {
    case 'guest':
      return undefined
    case 'user':
      return { collection: users, collectionId: collectionIdOf(users), record: caller.user }
    case 'superuser':
      return { collection: superusers, collectionId: collectionIdOf(superusers), record: caller.superuser }
  }
}
