import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { Backoff } from '../../src/base/backoff.ts'
import { type LiveEvent, liveEvent } from './model.ts'

/** `off`: closed on purpose; `lost`: disconnected and reconnecting. */
type LiveState = 'off' | 'connecting' | 'live' | 'lost'

/** The stream of changes. */
export interface Live {
  state: Signal<LiveState>
  /** Unix ms up to which the data on the page is complete while the stream is lost. */
  completeUntil: Signal<number | undefined>
  /** Opens the stream, or reopens it with the current topics and account. */
  open(): void
  close(): void
}

interface LiveOptions {
  topics: () => string[]
  /** Subscribes a client to topics under the account of the request. */
  subscribe: (clientId: string, topics: string[]) => Promise<void>
  onEvent: (topic: string, event: LiveEvent) => void
  /** Called after each successful connect: changes made before it must be loaded again. */
  onReady: () => void
}

const RETRY_LIMITS = { initialMs: 1_000, maxMs: 30_000 }
const connected = v.object({ clientId: v.string() })

/** Creates an event stream that reconnects with exponential back-off. */
export function createLive({ topics, subscribe, onEvent, onReady }: LiveOptions): Live {
  const state = signal<LiveState>('off')
  const completeUntil = signal<number | undefined>(undefined)
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  const backoff = new Backoff(RETRY_LIMITS)

  const stop = () => {
    source?.close()
    source = undefined
    clearTimeout(retry)
  }
  const markLost = () => {
    if (state.peek() === 'live') completeUntil.value = Date.now()
    state.value = 'lost'
  }
  const retryLater = () => {
    stop()
    markLost()
    retry = setTimeout(open, backoff.next())
  }
  const start = async (mine: EventSource, message: string, wanted: string[]) => {
    try {
      const { clientId } = v.parse(connected, JSON.parse(message))
      await subscribe(clientId, wanted)
    } catch {
      if (mine === source) retryLater()
      return
    }
    if (mine !== source) return
    backoff.reset()
    state.value = 'live'
    completeUntil.value = undefined
    onReady()
  }
  const open = () => {
    stop()
    if (state.peek() !== 'lost') state.value = 'connecting'
    const mine = new EventSource('/api/realtime')
    const wanted = topics()
    source = mine
    mine.addEventListener('PB_CONNECT', (event) => void start(mine, event.data, wanted))
    for (const topic of wanted) {
      mine.addEventListener(topic, (event) => {
        const parsed = v.safeParse(liveEvent, JSON.parse(event.data))
        if (parsed.success) onEvent(topic, parsed.output)
      })
    }
    mine.addEventListener('error', () => {
      if (mine !== source) return
      // EventSource reconnects after a broken connection, but not after an HTTP error.
      if (mine.readyState === EventSource.CLOSED) retryLater()
      else markLost()
    })
  }
  return {
    state,
    completeUntil,
    open,
    close() {
      stop()
      state.value = 'off'
      completeUntil.value = undefined
    },
  }
}
