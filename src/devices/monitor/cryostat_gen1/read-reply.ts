import * as v from 'valibot'
import type { EventPayload } from '../../../protocol/index.ts'
import type { Channel } from './channels.ts'

/** One reading as the event reports it. */
export type Reading = EventPayload<'CryostatReading'>['readings'][string]

// Sources of the shapes: public clients of the control software's HTTP interface, which read `data.content`
// or `data["<path>"].content`. Values come as text, times in ms since the epoch.
const valueText = v.union([v.string(), v.number(), v.boolean()])
const entry = v.object({
  value: v.nullish(valueText),
  status: v.nullish(v.string()),
  outdated: v.nullish(v.boolean()),
  date: v.fallback(v.nullish(v.number()), undefined),
  exception: v.fallback(v.nullish(v.string()), undefined),
})
const content = v.object({ latest_valid_value: v.nullish(entry), latest_value: v.nullish(entry) })
const node = v.object({ content })
const described = v.object({
  description: v.nullish(v.string()),
  details: v.nullish(v.string()),
  name: v.nullish(v.string()),
})
const errorReply = v.union([
  v.object({ error: v.union([described, v.string()]) }),
  v.object({ status: v.picklist(['ERROR', 'error']), ...described.entries }),
])
const reply = v.object({ data: v.record(v.string(), v.unknown()) })

/** The error a reply reports, which may come with HTTP status 200; undefined when it reports none. */
function errorOf(body: unknown): string | undefined {
  const found = v.safeParse(errorReply, body)
  if (!found.success) return undefined
  const reported = 'error' in found.output ? found.output.error : found.output
  if (typeof reported === 'string') return reported
  return reported.description || reported.details || reported.name || 'error without description'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `data.content`, else `data[path].content`, else the content of the only entry. */
function contentOf(data: Record<string, unknown>, path: string): unknown {
  if (v.is(node, data)) return data.content
  const entries = Object.values(data)
  const own = Object.hasOwn(data, path) ? data[path] : entries.length === 1 ? entries[0] : undefined
  return v.is(node, own) ? own.content : undefined
}

type Entry = v.InferOutput<typeof entry>

function hasValue(found: Entry | null | undefined): found is Entry {
  return found !== null && found !== undefined && String(found.value ?? '').trim() !== ''
}

function numberOf(text: string): number | undefined {
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

function timeOf(date: number | null | undefined): string | undefined {
  // Outside of this range the year would not have four digits.
  return date != null && date > 0 && date < 253_402_300_800_000 ? new Date(date).toISOString() : undefined
}

/**
 * Reads the reply for one channel: its latest valid value, or else its latest value, with the current status.
 * Returns `{error}` when the reply is malformed or reports an error.
 */
export function readReply(text: string, channel: Channel): Reading | { error: string } {
  const body = parse(text)
  if (body === undefined) return { error: 'the response is not JSON' }
  const reported = errorOf(body)
  if (reported !== undefined) return { error: reported }
  const data = v.safeParse(reply, body)
  const found = v.safeParse(content, data.success ? contentOf(data.output.data, channel.path) : undefined)
  const { latest_valid_value: valid, latest_value: latest } = found.success ? found.output : {}
  const taken = hasValue(valid) ? valid : (latest ?? valid)
  return taken
    ? readingOf(taken, latest ?? taken, channel)
    : { error: 'the response has no value for this channel' }
}

/** Value and time come from `taken`, the current status from `latest`. */
function readingOf(taken: Entry, latest: Entry, { unit }: Channel): Reading {
  const shown = String(taken.value ?? '').trim()
  const value = numberOf(shown)
  const ts = timeOf(taken.date)
  const exception = latest.exception || taken.exception
  return {
    value: value ?? null,
    unit,
    status: latest.status || taken.status || 'UNKNOWN',
    ...(ts !== undefined && { ts }),
    ...((taken.outdated || latest.outdated) && { outdated: true }),
    ...(value === undefined && shown !== '' && { text: shown }),
    ...(exception && { error: exception }),
  }
}
