import * as v from 'valibot'
import { AppError, type Clock, type Log, messageOf, withTimeout } from '../../../base/index.ts'

/** Pause after a confirmation that failed. */
const RETRY_MS = 250
/** A replicator that has not responded for this time is asked again: it may have been restarted. */
const RESPONSE_MS = 10_000

/** Where the replicator Litestream takes requests. */
export interface ReplicatorOptions {
  /** Path of its control socket. */
  socket: string
}

/** Knows which commits another machine has. */
export interface Replication {
  /** Notes that there is a new commit. */
  committed(): void
  /**
   * Resolves when all that was committed so far is in the replica, whenever that is; undefined when it is.
   * @throws AppError `unavailable` after `close`; the promise rejects with it.
   */
  reached(): Promise<void> | undefined
  /** Since when nothing could be confirmed, in monotonic ms, and why; undefined while it works. */
  readonly failure: { since: number; reason: string } | undefined
  close(): void
}

interface ReplicationOptions {
  clock: Clock
  log: Log
  /** Resolves when what was committed before the call is in the replica; rejects if that is not known. */
  confirm(signal: AbortSignal): Promise<void>
}

interface Waiting {
  commits: number
  resolve(): void
  reject(error: Error): void
}

/**
 * Asks for the confirmation of commits while a request waits for them. Those that wait at the same time share
 * one request, and those that come meanwhile the next one, as flushes do.
 */
export function createReplication({ clock, log, confirm }: ReplicationOptions): Replication {
  // What was committed before the start may not be in the replica.
  let commits = 1
  let confirmed = 0
  let isAsking = false
  let failure: Replication['failure']
  let waiting: Waiting[] = []
  const closing = new AbortController()

  async function ask(): Promise<void> {
    isAsking = true
    while (waiting.length > 0 && !closing.signal.aborted) {
      const upTo = commits
      try {
        await withTimeout(confirm, { clock, ms: RESPONSE_MS, signal: closing.signal, onTimeout })
        confirmed = upTo
        succeeded()
        const reached = waiting.filter((each) => each.commits <= upTo)
        waiting = waiting.filter((each) => each.commits > upTo)
        for (const { resolve } of reached) resolve()
      } catch (error) {
        if (closing.signal.aborted) break
        failed(messageOf(error))
        await clock.sleep(RETRY_MS, closing.signal).catch(() => undefined)
      }
    }
    isAsking = false
  }

  function failed(reason: string): void {
    if (failure?.reason !== reason) log.error('the replicator does not confirm', { reason })
    failure = { since: failure?.since ?? clock.monotonic(), reason }
  }

  function succeeded(): void {
    if (failure) log.info('the replicator confirms again')
    failure = undefined
  }

  return {
    committed() {
      commits += 1
    },
    reached() {
      if (closing.signal.aborted) throw closed()
      if (confirmed >= commits) return undefined
      return new Promise((resolve, reject) => {
        waiting.push({ commits, resolve, reject })
        if (!isAsking) void ask()
      })
    },
    get failure() {
      return failure
    },
    close() {
      closing.abort(closed())
      for (const { reject } of waiting) reject(closed())
      waiting = []
    },
  }
}

function closed(): AppError {
  return new AppError('unavailable', 'The service stops; the change may not be on another machine yet', {
    reason: 'not_replicated',
  })
}

function onTimeout(): never {
  throw new Error(`no response in ${RESPONSE_MS / 1_000} s`)
}

const syncResponse = v.object({ txid: v.number(), replicated_txid: v.number() })

/**
 * Asks Litestream (0.5.9 or newer) to copy the log of `database` into the replica, by `POST /sync` of its
 * control socket, and waits until it has.
 * Source: https://litestream.io/reference/config/#control-socket
 */
export function litestream({ socket }: ReplicatorOptions, database: string): ReplicationOptions['confirm'] {
  const body = JSON.stringify({ path: database, wait: true, timeout: RESPONSE_MS / 1_000 })
  return async (signal) => {
    const request = { unix: socket, method: 'POST', body, signal, keepalive: false }
    const response = await fetch('http://litestream/sync', request).catch((error: unknown) => {
      throw new Error(`${socket}: ${messageOf(error)}`)
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${socket} responded ${response.status}: ${text.trim().slice(0, 500)}`)
    const { txid, replicated_txid } = v.parse(syncResponse, JSON.parse(text))
    if (replicated_txid < txid) throw new Error(`transaction ${txid} is not in the replica yet`)
  }
}
