import { type Auth, type RequestInfo, superusers, users } from '../../../db/index.ts'
import type { Caller } from '../../http/caller.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'

/** What rules may ask about a request that is not about the caller. */
export type RequestDetails = Partial<Omit<RequestInfo, 'auth'>>

/** What rules may ask about a request of `caller`. */
export function requestInfoOf(caller: Caller, circumstances: RequestDetails = {}): RequestInfo {
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

/** The parts of a request that `requestInfoOf` wants besides the caller and the body. */
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
