import { type Auth, type RequestInfo, superusers, users } from '../../../db/index.ts'
import type { Caller } from '../../http/caller.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'

/** The request info for rules, without the caller. */
type RequestDetails = Partial<Omit<RequestInfo, 'auth'>>

/** The info about a request of `caller` that rules can refer to. */
export function requestInfoOf(caller: Caller, details: RequestDetails = {}): RequestInfo {
  const auth = authOf(caller)
  return {
    method: 'GET',
    context: 'default',
    query: {},
    headers: {},
    body: {},
    ...details,
    ...(auth && { auth }),
  }
}

/** The method, query and headers of a request for `requestInfoOf`. */
export function requestDetailsOf(
  request: Request,
  query: Readonly<Record<string, string>>,
): Pick<RequestInfo, 'method' | 'query' | 'headers'> {
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
