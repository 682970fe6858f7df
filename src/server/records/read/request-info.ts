import type { Auth, RequestInfo } from '../../../db/query/index.ts'
import { superusers, users } from '../../../db/store/accounts/index.ts'
import type { Caller } from '../../http/caller.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'

/** The request info for rules, without the caller. */
type RequestDetails = Partial<Omit<RequestInfo, 'auth'>>

/** The info about a request of `caller` that rules can refer to. */
export function requestInfoOf(caller: Caller, details: RequestDetails = {}): RequestInfo {
  const auth = authOf(caller)
  const { method = 'GET', context = 'default', query = {}, body = {} } = details
  return {
    method,
    context,
    query,
    body,
    get headers() {
      return details.headers ?? {}
    },
    ...(auth && { auth }),
  }
}

/** What `requestInfoOf` needs of a request; its headers are read only if a rule or filter refers to them. */
export function requestDetailsOf(
  request: Request,
  query: RequestInfo['query'],
  body: RequestInfo['body'] = {},
): RequestDetails {
  let headers: RequestInfo['headers'] | undefined
  return {
    method: request.method,
    query,
    body,
    get headers() {
      headers ??= namesWithUnderscores(request.headers)
      return headers
    },
  }
}

function namesWithUnderscores(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].map(([name, value]) => [name.replaceAll('-', '_'), value]))
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
