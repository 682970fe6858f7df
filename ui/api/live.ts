import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { Backoff } from '../../src/base/portable/backoff.ts'
import { heartbeat, type LiveEvent, liveEvent } from './model/live.ts'

/** `off`: closed on purpose; `lost`: disconnected and reconnecting. */
type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/** Called for each event, and without an event when changes may have been missed: load again then. */
export type LiveListener = (event?: LiveEvent) => void

/** The stream of changes; one per page, shared by everything that watches topics. */
export interface Live {
  state: Signal<LiveState>
  /** Unix ms up to which the data on the page is complete while the stream is lost. */
  completeUntil: Signal<number | undefined>
  /** How many times the stream was live again after an interruption, in which any data may have changed. */
  recoveries: Signal<number>
  /** Opens the stream, or reopens it under the current account. */
  open(): void
  close(): void
  /** Subscribes to topics until the returned function is called. Collections have their default names. */
  watch(topics: readonly string[], listener: LiveListener): () => void
}

interface LiveOptions {
  /** Subscribes a client to topics under the account of the request, in place of its previous topics. */
  subscribe: (clientId: string, topics: string[], signal: AbortSignal) => Promise<void>
  /** The topic with the configured name of its collection. */
  configured?: (topic: string) => string
  isSignedIn?: () => boolean
  /** Called when the server takes the stream of a signed-in account for that of a guest. */
  onSignedOut?: () => void
}

/** A restart of the server takes seconds; the page is current again soon after it. */
const RETRY_LIMITS = { initialMs: 500, maxMs: 5_000 }
/** The topic of the heartbeats, and the time without one after which the stream is lost: two of them and a second. */
const HEARTBEAT = '@heartbeat'
const SILENCE_MS = 9_000
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
  /** Topics that the server has confirmed. */
  confirmed: Set<string>
  /** Number of successive heartbeats that did not recognize the signed-in account. */
  unknown: number
}

/** Creates an event stream that reconnects with exponential back-off. */
export function createLive(options: LiveOptions): Live {
  const { subscribe, configured = (topic) => topic, isSignedIn = () => false, onSignedOut } = options
  const state = signal<LiveState>('off')
  const completeUntil = signal<number | undefined>(undefined)
  const recoveries = signal(0)
  let isInterrupted = false
  const listeners = new Map<string, Set<LiveListener>>()
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
    isInterrupted ||= state.peek() === 'live'
    state.value = 'lost'
    retry = setTimeout(open, backoff.next())
  }
  /** Called at each sign of life: a server that stops without closing its connections is noticed by silence. */
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
  /** Tells the server the watched topics; afterwards, listeners of new topics are called without an event. */
  const sync = async () => {
    const mine = connection
    if (mine?.clientId === undefined) return
    const wanted = [...listeners.keys()]
    for (const topic of wanted) attach(mine, topic)
    try {
      await subscribe(mine.clientId, [HEARTBEAT, ...wanted.map(configured)], mine.requests.signal)
    } catch {
      if (mine === connection) retryLater()
      return
    }
    if (mine !== connection) return
    const added = wanted.filter((topic) => !mine.confirmed.has(topic))
    mine.confirmed = new Set(wanted)
    backoff.reset()
    state.value = 'live'
    completeUntil.value = undefined
    const affected = new Set(added.flatMap((topic) => [...(listeners.get(topic) ?? [])]))
    for (const listener of affected) listener()
    if (isInterrupted) recoveries.value += 1
    isInterrupted = false
  }
  const syncSoon = () => {
    gather ??= setTimeout(() => {
      gather = undefined
      void sync()
    }, GATHER_MS)
  }
  const open = () => {
    stop()
    if (state.peek() !== 'lost') state.value = 'connecting'
    const source = new EventSource('/api/realtime')
    const requests = new AbortController()
    const mine: Connection = { source, requests, attached: new Set(), confirmed: new Set(), unknown: 0 }
    connection = mine
    expectMore()
    source.addEventListener(HEARTBEAT, ({ data }) => {
      if (mine !== connection) return
      expectMore()
      const isUnknown = isSignedIn() && v.parse(heartbeat, JSON.parse(data)).caller === 'guest'
      mine.unknown = isUnknown ? mine.unknown + 1 : 0
      // A new password ends the token of the stream, but the page may have a newer one.
      if (mine.unknown === 1) void sync()
      else if (isUnknown) onSignedOut?.()
    })
    source.addEventListener('PB_CONNECT', ({ data }) => {
      const parsed = v.safeParse(connected, JSON.parse(data))
      if (mine !== connection) return
      if (!parsed.success) return retryLater()
      mine.clientId = parsed.output.clientId
      mine.confirmed.clear()
      void sync()
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
        if (!connection?.confirmed.has(topic)) syncSoon()
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
  }
}
