import * as v from 'valibot'
import type { EventPayload } from '../../../protocol/index.ts'
import type { Channel } from './channels.ts'

/** One reading as the event reports it. */
export type Reading = EventPayload<'CryostatReading'>['readings'][string]

// Sources of the shapes: public clients of the control software's HTTP interface, which read `data.content`
// or `data["<path>"].content`. Values come as text, times in ms since the epoch, of some versions in s.
const valueText = v.union([v.string(), v.number(), v.boolean()])
const entry = v.object({
  value: v.nullish(valueText),
  status: v.nullish(v.string()),
  outdated: v.nullish(v.boolean()),
  date: v.fallback(v.nullish(v.number()), undefined),
  exception: v.fallback(v.nullish(v.string()), undefined),
})
const content = v.object({ latest_valid_value: v.nullish(entry), latest_value: v.nullish(entry) })
const valueContent = v.union([
  v.object({ latest_value: v.nonNullish(v.unknown()) }),
  v.object({ latest_valid_value: v.nonNullish(v.unknown()) }),
])
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

/** `data.content`, else `data[path].content`, else that of the only entry, if it is not below the path. */
function contentOf(data: Record<string, unknown>, path: string): unknown {
  if (v.is(node, data)) return data.content
  const [only, ...others] = Object.entries(data)
  const isSame = only !== undefined && others.length === 0 && !isBelow(only[0], path)
  const own = Object.hasOwn(data, path) ? data[path] : isSame ? only[1] : undefined
  return v.is(node, own) ? own.content : undefined
}

function isBelow(path: string, group: string): boolean {
  return path.toLowerCase().startsWith(`${group.toLowerCase()}.`)
}

/** Levels of groups within groups that are searched. */
const MAX_DEPTH = 8

/**
 * The channels of a group: entries with a value whose keys continue its path, and those nested in it, whose
 * keys or names are parts of theirs.
 */
function channelsBelow(data: Record<string, unknown>, path: string, depth = MAX_DEPTH): string[] {
  return Object.entries(data).flatMap(([key, entry]) => {
    if (depth === 0 || !hasMembers(entry) || key === 'content') return []
    const full = pathOf(key, entry, path)
    const hasValue = v.is(node, entry) && v.is(valueContent, entry.content)
    if (hasValue && full !== path) return [full]
    return channelsBelow(entry, full, depth - 1)
  })
}

function hasMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The path of an entry: below that of its group, except for a list of the members of the group itself. */
function pathOf(key: string, { name }: Record<string, unknown>, group: string): string {
  const own = typeof name === 'string' ? name : key
  if (isBelow(own, group)) return own
  const isList = own === key && (key === 'children' || key === group || /^\d+$/.test(key))
  return isList ? group : `${group}.${own}`
}

type Entry = v.InferOutput<typeof entry>

function hasValue(found: Entry | null | undefined): found is Entry {
  return found !== null && found !== undefined && String(found.value ?? '').trim() !== ''
}

function numberOf(text: string): number | undefined {
  const value = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : undefined
}

/** Larger times are in ms, smaller ones in s: it is the year 5138 in s, and in ms a day of 1973. */
const MAX_SECONDS = 1e11

function timeOf(date: number | null | undefined): string | undefined {
  const ms = date != null && date < MAX_SECONDS ? date * 1_000 : date
  // Outside of this range the year would not have four digits.
  return ms != null && ms > 0 && ms < 253_402_300_800_000 ? new Date(ms).toISOString() : undefined
}

/** Names of channels of a group that its error has. */
const MAX_NAMED = 20

/**
 * Reads the reply for one channel: its latest valid value, or else its latest value, with the current status.
 * Returns `{error}` when the reply is malformed, reports an error, or is that of a group of channels.
 */
export function readReply(text: string, channel: Channel): Reading | { error: string; isGroup?: true } {
  const body = parse(text)
  if (body === undefined) return { error: 'the response is not JSON' }
  const reported = errorOf(body)
  if (reported !== undefined) return { error: reported }
  const data = v.safeParse(reply, body)
  const found = v.safeParse(content, data.success ? contentOf(data.output.data, channel.path) : undefined)
  const { latest_valid_value: valid, latest_value: latest } = found.success ? found.output : {}
  const taken = hasValue(valid) ? valid : (latest ?? valid)
  if (taken) return readingOf(taken, latest ?? taken, channel)
  const members = data.success ? channelsBelow(data.output.data, channel.path) : []
  return members.length === 0
    ? { error: 'the response has no value for this channel' }
    : { error: groupError(members), isGroup: true }
}

function groupError(members: readonly string[]): string {
  const more = members.length > MAX_NAMED ? `, and ${members.length - MAX_NAMED} more` : ''
  return `this is a group; use its channels instead: ${members.slice(0, MAX_NAMED).join(', ')}${more}`
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
