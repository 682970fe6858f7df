import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { type LiveEvent, liveEvent } from './model/live.ts'
import type { FromTab, ToTab, Wire } from './shared-stream.ts'

/** `off`: closed on purpose; `lost`: disconnected and reconnecting. */
type LiveState = 'off' | 'connecting' | 'live' | 'lost'

export type LiveListener = (event: LiveEvent) => void

/** The stream of changes, which the tabs of a login share, with everything that watches topics. */
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

/** The login of a page: all pages with the same name share a stream. */
export interface StreamLogin {
  login: string
  token: string | undefined
}

interface LiveOptions {
  /** Joins the stream of a login; without `onFailed` one of this tab alone. */
  join: (login: string, onFailed?: () => void) => Wire<FromTab, ToTab>
  current: ReadonlySignal<StreamLogin>
  /** The topic with the configured name of its collection. */
  configured?: (topic: string) => string
  /** Resolves when these names are known and the page watches its topics: one request subscribes to all. */
  whenReady?: () => Promise<unknown>
  /** Called when the server takes the stream of a signed-in account for that of a guest. */
  onSignedOut?: () => void
}

/** Time in ms for which data waits for a stream that is slow to open. */
const STREAM_GRACE_MS = 3_000
/** A page that opens watches several topics; one request subscribes to all of them. */
const GATHER_MS = 20

/** The part of a tab in the event stream of its login; the stream is opened again under another one. */
export function createLive(options: LiveOptions): Live {
  const { join, current, configured = (topic) => topic, whenReady } = options
  const state = signal<LiveState>('off')
  const completeUntil = signal<number | undefined>(undefined)
  const recoveries = signal(0)
  let isInterrupted = false
  const listeners = new Map<string, Set<LiveListener>>()
  const waiting = new Set<() => void>()
  let wire: Wire<FromTab, ToTab> | undefined
  /** Topics that the server has confirmed, by configured names. */
  let confirmed: ReadonlySet<string> = new Set()
  let gather: ReturnType<typeof setTimeout> | undefined

  const leave = () => {
    wire?.postMessage('leave')
    wire = undefined
    confirmed = new Set()
    clearTimeout(gather)
    gather = undefined
  }
  const loadWaiting = () => {
    const isSubscribed = () =>
      state.peek() === 'live' &&
      gather === undefined &&
      [...listeners.keys()].every((topic) => confirmed.has(configured(topic)))
    if (state.peek() !== 'lost' && !isSubscribed()) return
    const loads = [...waiting]
    waiting.clear()
    for (const load of loads) load()
  }
  /** Tells the stream what this tab watches. */
  const ask = async () => {
    const mine = wire
    await whenReady?.()
    if (mine !== wire) return
    mine?.postMessage({ topics: [...listeners.keys()].map(configured), token: current.peek().token })
  }
  const askSoon = () => {
    gather ??= setTimeout(() => {
      gather = undefined
      void ask()
    }, GATHER_MS)
  }
  const hand = (name: string, data: string) => {
    const parsed = v.safeParse(liveEvent, JSON.parse(data))
    if (!parsed.success) return
    const named = [...listeners].filter(([topic]) => configured(topic) === name)
    for (const listener of named.flatMap(([, each]) => [...each])) listener(parsed.output)
  }
  const lose = (until: number) => {
    if (state.peek() === 'live') completeUntil.value = until
    confirmed = new Set()
    isInterrupted = true
    state.value = 'lost'
    loadWaiting()
  }
  const confirm = (topics: readonly string[]) => {
    confirmed = new Set(topics)
    state.value = 'live'
    completeUntil.value = undefined
    if (isInterrupted) recoveries.value += 1
    isInterrupted = false
    loadWaiting()
  }
  const receive = (message: ToTab) => {
    if (message === 'unknown') options.onSignedOut?.()
    else if ('event' in message) hand(message.event, message.data)
    else if ('lost' in message) lose(message.lost)
    else confirm(message.confirmed)
  }
  const openWith = (isShared: boolean) => {
    isInterrupted ||= wire !== undefined
    leave()
    if (state.peek() !== 'lost') state.value = 'connecting'
    const onFailed = () => mine === wire && openWith(false)
    const mine = join(current.peek().login, isShared ? onFailed : undefined)
    wire = mine
    mine.onmessage = ({ data }) => {
      if (mine === wire) receive(data)
    }
    void ask()
  }
  const open = () => openWith(true)
  addEventListener('online', () => {
    if (state.peek() === 'lost') open()
  })
  addEventListener('offline', () => {
    if (!wire) return
    leave()
    lose(Date.now())
  })
  let { login } = current.peek()
  effect(() => {
    const now = current.value
    if (!wire) return
    if (now.login === login) void ask()
    else open()
    ;({ login } = now)
  })
  return {
    state,
    completeUntil,
    recoveries,
    open,
    close() {
      leave()
      isInterrupted ||= state.peek() === 'live'
      state.value = 'off'
      completeUntil.value = undefined
    },
    watch(topics, listener) {
      for (const topic of topics) {
        const known = listeners.get(topic)
        if (known) known.add(listener)
        else listeners.set(topic, new Set([listener]))
        if (!confirmed.has(configured(topic))) askSoon()
      }
      return () => {
        for (const topic of topics) {
          const rest = listeners.get(topic)
          rest?.delete(listener)
          if (rest?.size === 0) {
            listeners.delete(topic)
            askSoon()
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
