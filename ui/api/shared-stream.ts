import * as v from 'valibot'
import { Backoff } from '../../src/base/portable/backoff.ts'
import { heartbeat } from './model/live.ts'

/** What a tab tells the stream: what it watches, by configured names, with its token; or that it leaves. */
export type FromTab = { topics: readonly string[]; token: string | undefined } | 'leave'
/** What the stream tells a tab; `event` has the text of the data of a topic, `lost` Unix ms. */
export type ToTab =
  /** The server has confirmed all that the tab has asked for. */
  | { confirmed: readonly string[] }
  | { event: string; data: string }
  /** The data are complete up to then. */
  | { lost: number }
  /** The server takes the login of the tabs for that of a guest. */
  | 'unknown'

/** One end between a tab and its stream; a `MessagePort`. */
export interface Wire<Sent, Received> {
  postMessage(message: Sent): void
  onmessage: ((message: MessageEvent<Received>) => void) | null
}

/** A restart of the server takes seconds; all tabs are current again within 5 s of it. */
const RETRY_LIMITS = { initialMs: 500, maxMs: 3_000 }
/** The topic of the heartbeats, and the time without one after which the stream is lost: two and a half. */
const HEARTBEAT = '@heartbeat'
const SILENCE_MS = 4_500
const connected = v.object({ clientId: v.string() })

/** Subscribes a client to topics under the account of the token. Returns the status of the response. */
type Subscribe = (
  body: { clientId: string; subscriptions: string[] },
  how: { token: string | undefined; signal: AbortSignal },
) => Promise<number>

interface Connection {
  source: EventSource
  /** Ends the requests for this stream, which the server refuses once the stream is closed. */
  requests: AbortController
  clientId?: string
  /** Topics with an event listener. */
  attached: Set<string>
  /** Topics that the server has confirmed; undefined when it has to be asked for all. */
  confirmed?: Set<string> | undefined
  /** The last request to subscribe; they follow one another. */
  synced: Promise<void>
  /** Number of successive heartbeats that did not recognize the signed-in account. */
  unknown: number
}

const postSubscriptions: Subscribe = async (body, { token, signal }) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) }
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal }
  return (await fetch('/api/realtime', request)).status
}

/** Whether the server has confirmed these topics and no others. */
function isConfirmed({ confirmed }: Connection, topics: ReadonlySet<string>): boolean {
  return confirmed?.size === topics.size && [...topics].every((topic) => confirmed.has(topic))
}

/**
 * One event stream for all tabs of a login: it watches what any of them watches, and hands each event to
 * those that do. It is open while there is a tab, and reconnects with exponential back-off. Returns how a tab
 * joins, which returns how it leaves.
 */
export function createSharedStream(
  subscribe: Subscribe = postSubscriptions,
): (tab: Wire<ToTab, FromTab>) => () => void {
  /** What each tab watches; undefined until it says so. */
  const tabs = new Map<Wire<ToTab, FromTab>, readonly string[] | undefined>()
  const backoff = new Backoff(RETRY_LIMITS)
  let token: string | undefined
  let connection: Connection | undefined
  /** Unix ms up to which the data are complete while the stream is lost. */
  let lostAt: number | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined

  const sendAll = (message: ToTab) => {
    for (const tab of tabs.keys()) tab.postMessage(message)
  }
  /** Only what a tab has asked for is handed to it. */
  const confirm = (confirmed: ReadonlySet<string>) => {
    for (const [tab, topics] of tabs) {
      if (topics?.every((topic) => confirmed.has(topic))) tab.postMessage({ confirmed: topics })
    }
  }
  const stop = () => {
    connection?.requests.abort()
    connection?.source.close()
    connection = undefined
    clearTimeout(retry)
    clearTimeout(silence)
  }
  const retryLater = (until = Date.now()) => {
    stop()
    lostAt ??= until
    sendAll({ lost: lostAt })
    retry = setTimeout(open, backoff.next())
  }
  /** Called at each sign of life: a server that stops but keeps its connections is noticed by silence. */
  const expectMore = () => {
    const now = Date.now()
    clearTimeout(silence)
    silence = setTimeout(() => retryLater(now), SILENCE_MS)
  }
  const attach = ({ source, attached }: Connection, topic: string) => {
    if (attached.has(topic)) return
    attached.add(topic)
    source.addEventListener(topic, ({ data }) => {
      for (const [tab, topics] of tabs) if (topics?.includes(topic)) tab.postMessage({ event: topic, data })
    })
  }
  /** Subscribes to the watched topics. */
  const sync = async () => {
    const mine = connection
    if (mine?.clientId === undefined) return
    const asked = [...tabs.values()].filter((topics) => topics !== undefined)
    if (asked.length === 0) return
    const wanted = new Set(asked.flat())
    if (isConfirmed(mine, wanted)) return confirm(wanted)
    for (const topic of wanted) attach(mine, topic)
    const { clientId, requests } = mine
    const body = { clientId, subscriptions: [HEARTBEAT, ...wanted] }
    const status = await subscribe(body, { token, signal: requests.signal }).catch(() => 0)
    if (mine !== connection) return
    if (status === 401) sendAll('unknown')
    if (status < 200 || status >= 300) return retryLater()
    mine.confirmed = wanted
    backoff.reset()
    lostAt = undefined
    confirm(wanted)
  }
  const syncNext = () => {
    if (connection) connection.synced = connection.synced.then(sync)
  }
  const open = () => {
    stop()
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
      const isUnknown = token !== undefined && v.parse(heartbeat, JSON.parse(data)).caller === 'guest'
      mine.unknown = isUnknown ? mine.unknown + 1 : 0
      // A new password ends the token of the stream, but a tab may have a newer one.
      if (mine.unknown === 1) {
        mine.confirmed = undefined
        syncNext()
      } else if (isUnknown) sendAll('unknown')
    })
    source.addEventListener('PB_CONNECT', ({ data }) => {
      const parsed = v.safeParse(connected, JSON.parse(data))
      if (mine !== connection) return
      if (!parsed.success) return retryLater()
      mine.clientId = parsed.output.clientId
      mine.confirmed = undefined
      syncNext()
    })
    source.addEventListener('error', () => {
      // EventSource itself reconnects after a broken connection, but not after an HTTP error.
      if (mine === connection) retryLater()
    })
  }
  const leave = (tab: Wire<ToTab, FromTab>) => {
    if (!tabs.delete(tab)) return
    if (tabs.size > 0) return syncNext()
    stop()
    lostAt = undefined
  }
  return (tab) => {
    tab.onmessage = ({ data }) => {
      if (data === 'leave') return leave(tab)
      tabs.set(tab, data.topics)
      token = data.token
      syncNext()
    }
    tabs.set(tab, undefined)
    if (lostAt !== undefined) tab.postMessage({ lost: lostAt })
    if (tabs.size === 1) open()
    return () => leave(tab)
  }
}
