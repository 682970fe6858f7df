import { AppError } from '../../base/index.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { IDLE_TIMEOUT_SECONDS } from '../http/limits/idle-time.ts'
import type { RouteRequest } from '../http/route.ts'
import type { Waits } from './waits.ts'

/** What waiting requests need beyond the context. */
export interface WaitDependencies {
  waits: Waits
  identify(request: Request): Promise<Caller>
}

interface Awaited<View> {
  id: string
  seconds: number
  /** That the wait counts for; by default the caller. */
  account?: string
  isAwaited(state: string): boolean
  /** Reads the record for a caller if its state is wanted. */
  read(caller: Caller, isWanted: (state: string) => boolean): Promise<View | undefined>
}

/**
 * The view of a record as soon as it has an awaited state, or as it is after `seconds`, or when the server
 * stops. Credentials and access are checked again after the wait.
 * @throws AppError as `read` does; `unauthorized` when the credentials have become invalid; `limited`
 *   (`too_many_waiting_requests`).
 */
export async function awaitState<View>(
  { waits, identify }: WaitDependencies,
  {
    caller,
    request,
    setIdleTimeout,
  }: Pick<RouteRequest<unknown, unknown>, 'caller' | 'request' | 'setIdleTimeout'>,
  { id, seconds, account = callerName(caller), isAwaited, read }: Awaited<View>,
): Promise<View> {
  using wait = waits.enter({ account, ids: [id], seconds, isAwaited, signal: request.signal })
  let current = caller
  for (;;) {
    const next = wait.next()
    const view = await read(current, (state) => wait.isOver || isAwaited(state))
    if (view) return view
    // The runtime would close the connection as idle.
    setIdleTimeout(seconds + IDLE_TIMEOUT_SECONDS)
    await next
    setIdleTimeout(IDLE_TIMEOUT_SECONDS)
    current = await identify(request)
    if (current.kind === 'guest') throw new AppError('unauthorized', 'Authentication required')
  }
}
