import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { Backoff } from '../../src/base/portable/backoff.ts'
import { heartbeat, type LiveEvent, liveEvent } from './model/live.ts'

/** `off`: closed on purpose; `lost`: disconnected and reconnecting. */
type LiveState = 'off' | 'connecting' | 'live' | 'lost'

export type LiveListener = (event: LiveEvent) => void

/** The stream of changes; one per page, shared by everything that watches topics. */
export interface Live {
  state: Signal<LiveState>
  /** Unix ms up to which the data on the page is complete while the stream is lost. */
  completeUntil: Signal<number | undefined>
  /** How many times the stream was live again after changes may have been missed: load again then. */
  recoveries: Signal<number>
  /** Opens the stream, or reopens it under the current account. */
  open(): void
  close(): void
  /** Subscribes to topics until the returned function is called. Collections have their default names. */
  watch(topics: readonly string[], listener: LiveListener): () => void
  /**
   * Calls `load` once, when the server has confirmed all watched topics: what is loaded then misses no
   * change. Without a stream it is called nevertheless, and `recoveries` follows. Returns how to call it off.
   */
  whenCurrent(load: () => void): () => void
}

interface LiveOptions {
  /** Subscribes a client to topics under the account of the request, in place of its previous topics. */
  subscribe: (clientId: string, topics: string[], signal: AbortSignal) => Promise<void>
  /** The topic with the configured name of its collection. */
  configured?: (topic: string) => string
  /** Resolves when these names are known and the page watches its topics: one request subscribes to all. */
  whenReady?: () => Promise<unknown>
  isSignedIn?: () => boolean
  /** Called when the server takes the stream of a signed-in account for that of a guest. */
  onSignedOut?: () => void
}

/** A restart of the server takes seconds; the page is current again soon after it. */
const RETRY_LIMITS = { initialMs: 500, maxMs: 5_000 }
/** The topic of the heartbeats, and the time without one after which the stream is lost: two and a second. */
const HEARTBEAT = '@heartbeat'
const SILENCE_MS = 9_000
/** Time in ms for which data waits for a stream that is slow to open. */
const STREAM_GRACE_MS = 3_000
/** A page that opens watches several topics; one request subscribes to all of them. */
const GATHER_MS = 20
const connected = v.object({ clientId: v.string() })

interface Connection {
  source: EventSource
  /** Ends the requests for this stream, which the server refuses once the stream is closed. */
  requests: AbortController
  clientId?: string
  /** Topics with an event listener; the names are those that the server sends. */
  attached: Set<string>
  /** Topics that the server has confirmed; undefined when it has to be asked for all. */
  confirmed?: Set<string> | undefined
  /** The last request to subscribe; they follow one another. */
  synced: Promise<void>
  /** Number of successive heartbeats that did not recognize the signed-in account. */
  unknown: number
}

/** Whether the server has confirmed these topics and no others. */
function isConfirmed({ confirmed }: Connection, topics: readonly string[]): boolean {
  return confirmed?.size === topics.length && topics.every((topic) => confirmed.has(topic))
}

/** Creates an event stream that reconnects with exponential back-off. */
export function createLive(options: LiveOptions): Live {
  const { subscribe, configured = (topic) => topic, whenReady, isSignedIn = () => false } = options
  const state = signal<LiveState>('off')
  const completeUntil = signal<number | undefined>(undefined)
  const recoveries = signal(0)
  let isInterrupted = false
  const listeners = new Map<string, Set<LiveListener>>()
  const waiting = new Set<() => void>()
  const backoff = new Backoff(RETRY_LIMITS)
  let connection: Connection | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let gather: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const stop = () => {
    connection?.requests.abort()
    connection?.source.close()
    connection = undefined
    clearTimeout(retry)
    clearTimeout(silence)
    clearTimeout(gather)
    gather = undefined
  }
  const retryLater = (until = Date.now()) => {
    stop()
    if (state.peek() === 'live') completeUntil.value = until
    isInterrupted = true
    state.value = 'lost'
    retry = setTimeout(open, backoff.next())
    loadWaiting()
  }
  const loadWaiting = () => {
    const isSubscribed = () =>
      gather === undefined && [...listeners.keys()].every((topic) => connection?.confirmed?.has(topic))
    if (state.peek() !== 'lost' && !(connection && isSubscribed())) return
    const loads = [...waiting]
    waiting.clear()
    for (const load of loads) load()
  }
  /** Called at each sign of life: a server that stops but keeps its connections is noticed by silence. */
  const expectMore = () => {
    const now = Date.now()
    clearTimeout(silence)
    silence = setTimeout(() => retryLater(now), SILENCE_MS)
  }
  const attach = ({ source, attached }: Connection, topic: string) => {
    const name = configured(topic)
    if (attached.has(name)) return
    attached.add(name)
    source.addEventListener(name, ({ data }) => {
      const parsed = v.safeParse(liveEvent, JSON.parse(data))
      if (!parsed.success) return
      for (const listener of [...(listeners.get(topic) ?? [])]) listener(parsed.output)
    })
  }
  /** Subscribes to the watched topics. */
  const sync = async () => {
    const mine = connection
    if (mine?.clientId === undefined) return
    const { clientId, requests } = mine
    await whenReady?.()
    const wanted = [...listeners.keys()]
    if (isConfirmed(mine, wanted)) return loadWaiting()
    for (const topic of wanted) attach(mine, topic)
    try {
      await subscribe(clientId, [HEARTBEAT, ...wanted.map(configured)], requests.signal)
    } catch {
      if (mine === connection) retryLater()
      return
    }
    if (mine !== connection) return
    mine.confirmed = new Set(wanted)
    backoff.reset()
    state.value = 'live'
    completeUntil.value = undefined
    if (isInterrupted) recoveries.value += 1
    isInterrupted = false
    loadWaiting()
  }
  const syncNow = () => {
    if (connection) connection.synced = connection.synced.then(sync)
  }
  const syncSoon = () => {
    gather ??= setTimeout(() => {
      gather = undefined
      syncNow()
    }, GATHER_MS)
  }
  const open = () => {
    isInterrupted ||= connection !== undefined
    stop()
    if (state.peek() !== 'lost') state.value = 'connecting'
    const source = new EventSource('/api/realtime')
    const mine: Connection = {
      source,
      requests: new AbortController(),
      attached: new Set(),
      synced: Promise.resolve(),
      unknown: 0,
    }
    connection = mine
    expectMore()
    source.addEventListener(HEARTBEAT, ({ data }) => {
      if (mine !== connection) return
      expectMore()
      const isUnknown = isSignedIn() && v.parse(heartbeat, JSON.parse(data)).caller === 'guest'
      mine.unknown = isUnknown ? mine.unknown + 1 : 0
      // A new password ends the token of the stream, but the page may have a newer one.
      if (mine.unknown === 1) {
        mine.confirmed = undefined
        syncNow()
      } else if (isUnknown) options.onSignedOut?.()
    })
    source.addEventListener('PB_CONNECT', ({ data }) => {
      const parsed = v.safeParse(connected, JSON.parse(data))
      if (mine !== connection) return
      if (!parsed.success) return retryLater()
      mine.clientId = parsed.output.clientId
      mine.confirmed = undefined
      syncNow()
    })
    source.addEventListener('error', () => {
      // EventSource itself reconnects after a broken connection, but not after an HTTP error.
      if (mine === connection) retryLater()
    })
  }
  addEventListener('online', () => {
    if (state.peek() === 'lost') open()
  })
  addEventListener('offline', () => {
    if (connection) retryLater()
  })
  return {
    state,
    completeUntil,
    recoveries,
    open,
    close() {
      stop()
      isInterrupted ||= state.peek() === 'live'
      state.value = 'off'
      completeUntil.value = undefined
    },
    watch(topics, listener) {
      for (const topic of topics) {
        const known = listeners.get(topic)
        if (known) known.add(listener)
        else listeners.set(topic, new Set([listener]))
        if (!connection?.confirmed?.has(topic)) syncSoon()
      }
      return () => {
        for (const topic of topics) {
          const rest = listeners.get(topic)
          rest?.delete(listener)
          if (rest?.size === 0) {
            listeners.delete(topic)
            syncSoon()
          }
        }
      }
    },
    whenCurrent(load) {
      const loadAnyway = () => {
        if (!waiting.delete(load)) return
        isInterrupted = true
        load()
      }
      waiting.add(load)
      // What renders at the same time has watched its topics by then.
      queueMicrotask(loadWaiting)
      const timer = setTimeout(loadAnyway, STREAM_GRACE_MS)
      return () => {
        clearTimeout(timer)
        waiting.delete(load)
      }
    },
  }
}
