import { type Clock, messageOf } from '../../../base/index.ts'
import { lookupPublic, type Resolve } from './address.ts'
import type { Channel } from './channels.ts'
import { exchange, type HttpResponse } from './exchange.ts'
import { type Reading, readReply } from './read-reply.ts'

/** Why a channel has no reading: it does not exist or is a group, the key is refused, or anything else. */
export type Fault = 'absent' | 'denied' | 'failed'

/** Outcome of a request for one channel. `reading` is reported in either case. */
export type Outcome = { reading: Reading; fault?: Fault }

const MAX_TEXT_LENGTH = 200
/** An error may name the channels of a group. */
const MAX_ERROR_LENGTH = 2_000

interface ClientOptions {
  /** Without a slash at the end. */
  baseUrl: string
  apiKey: string | undefined
  timeoutMs: number
  clock: Clock
  /** Certificates (PEM) to trust for an https address. */
  pinned?: string | undefined
  /** Resolves host names; the system's resolver when absent. */
  resolve?: Resolve
}

/** Reads one channel; rejects only when `signal` aborts. No text of the outcome contains the key. */
export type ReadChannel = (channel: Channel, signal: AbortSignal) => Promise<Outcome>

/** A client of the cryostat's HTTP interface. */
export function createClient({ baseUrl, apiKey, resolve, ...options }: ClientOptions): ReadChannel {
  const sanitize = createSanitizer(apiKey)
  const exchangeOptions = { pinned: undefined, ...options, lookup: lookupPublic(resolve) }

  return async function read(channel, signal) {
    const url = new URL(`${baseUrl}/values/${channel.path.replaceAll('.', '/')}`)
    if (apiKey !== undefined) url.searchParams.set('key', apiKey)
    try {
      return sanitizeOutcome(
        outcomeOf(await exchange(url, { ...exchangeOptions, signal }), channel),
        sanitize,
      )
    } catch (error) {
      signal.throwIfAborted()
      return sanitizeOutcome(failure(channel, messageOf(error)), sanitize)
    }
  }
}

function failure({ unit }: Channel, error: string, fault: Fault = 'failed'): Outcome {
  return { reading: { value: null, unit, status: 'ERROR', error }, fault }
}

function outcomeOf({ status, text }: HttpResponse, channel: Channel): Outcome {
  if (status === 401 || status === 403) return failure(channel, `check api_key (HTTP ${status})`, 'denied')
  if (status === 404) return failure(channel, 'no such channel (HTTP 404)', 'absent')
  if (status >= 300 && status < 400) return failure(channel, `redirects are not followed (HTTP ${status})`)
  const found = readReply(text, channel)
  if (status === 200) {
    if ('value' in found) return { reading: found }
    return failure(channel, found.error, found.isGroup ? 'absent' : 'failed')
  }
  const detail = 'value' in found ? '' : `: ${found.error}`
  return failure(channel, `HTTP ${status}${detail}`)
}

/** Sanitizes the texts that come from the cryostat, for events and logs. */
function sanitizeOutcome({ reading, ...rest }: Outcome, sanitize: Sanitizer): Outcome {
  const { status, text, error } = reading
  return {
    ...rest,
    reading: {
      ...reading,
      status: sanitize(status),
      ...(text !== undefined && { text: sanitize(text) }),
      ...(error !== undefined && { error: sanitize(error, MAX_ERROR_LENGTH) }),
    },
  }
}

type Sanitizer = (text: string, maxLength?: number) => string

/** Removes the key, which a server may repeat in any encoding, and limits the length. */
function createSanitizer(apiKey: string | undefined): Sanitizer {
  const spellings =
    apiKey === undefined
      ? []
      : [apiKey, encodeURIComponent(apiKey), String(new URLSearchParams([['', apiKey]])).slice(1)]
  return (text, maxLength = MAX_TEXT_LENGTH) =>
    spellings
      .reduce((rest, spelling) => rest.replaceAll(spelling, '[redacted]'), text)
      .slice(0, maxLength)
      .toWellFormed()
}
