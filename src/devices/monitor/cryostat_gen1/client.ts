import { type Clock, messageOf } from '../../../base/index.ts'
import { lookupPublic, type Resolve } from './address.ts'
import type { Channel } from './channels.ts'
import { type Answer, exchange } from './exchange.ts'
import { type Reading, readReply } from './read-reply.ts'

/** Why a channel has no reading: it does not exist, the key is refused, or anything else. */
export type Fault = 'absent' | 'denied' | 'failed'

/** What asking for one channel came to. `reading` is what to report either way. */
export type Outcome = { reading: Reading; fault?: Fault }

const TEXT_LENGTH_MAX = 200

interface ClientOptions {
  /** Without slash at its end. */
  baseUrl: string
  apiKey: string | undefined
  timeoutMs: number
  clock: Clock
  /** Certificates (PEM) to trust for an https address. */
  pinned?: string | undefined
  /** How names are resolved; by the system when absent. */
  resolve?: Resolve
}

/** Reads one channel; never rejects but when `signal` aborts. No text it gives contains the key. */
export type ReadChannel = (channel: Channel, signal: AbortSignal) => Promise<Outcome>

/** A client of the cryostat's HTTP interface. */
export function createClient({ baseUrl, apiKey, resolve, ...options }: ClientOptions): ReadChannel {
  const tidy = tidyOf(apiKey)
  const exchangeOptions = { pinned: undefined, ...options, lookup: lookupPublic(resolve) }

  return async function read(channel, signal) {
    const url = new URL(`${baseUrl}/values/${channel.path.replaceAll('.', '/')}`)
    if (apiKey !== undefined) url.searchParams.set('key', apiKey)
    try {
      return tidied(outcomeOf(await exchange(url, { ...exchangeOptions, signal }), channel), tidy)
    } catch (error) {
      signal.throwIfAborted()
      return tidied(failure(channel, messageOf(error)), tidy)
    }
  }
}

function failure({ unit }: Channel, error: string, fault: Fault = 'failed'): Outcome {
  return { reading: { value: null, unit, status: 'ERROR', error }, fault }
}

function outcomeOf({ status, text }: Answer, channel: Channel): Outcome {
  if (status === 401 || status === 403) return failure(channel, `check api_key (HTTP ${status})`, 'denied')
  if (status === 404) return failure(channel, 'no such channel (HTTP 404)', 'absent')
  if (status >= 300 && status < 400) return failure(channel, `redirects are not followed (HTTP ${status})`)
  const found = readReply(text, channel)
  if (status === 200) return 'value' in found ? { reading: found } : failure(channel, found.error)
  const said = 'value' in found ? '' : `: ${found.error}`
  return failure(channel, `HTTP ${status}${said}`)
}

/** Foreign texts, made fit for an event and a log. */
function tidied({ reading, ...rest }: Outcome, tidy: (text: string) => string): Outcome {
  const { status, text, error } = reading
  return {
    ...rest,
    reading: {
      ...reading,
      status: tidy(status),
      ...(text !== undefined && { text: tidy(text) }),
      ...(error !== undefined && { error: tidy(error) }),
    },
  }
}

/** Without the key, which a server may repeat in any of its spellings, and not too long. */
function tidyOf(apiKey: string | undefined): (text: string) => string {
  const spellings =
    apiKey === undefined
      ? []
      : [apiKey, encodeURIComponent(apiKey), String(new URLSearchParams([['', apiKey]])).slice(1)]
  return (text) =>
    spellings
      .reduce((rest, spelling) => rest.replaceAll(spelling, '[redacted]'), text)
      .slice(0, TEXT_LENGTH_MAX)
      .toWellFormed()
}
