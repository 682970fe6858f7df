import * as v from 'valibot'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

export const logLine = v.looseObject({
  position: v.optional(v.string(), ''),
  time: v.string(),
  level: v.picklist(LEVELS),
  subject: v.string(),
  message: v.string(),
})
export type LogLine = v.InferOutput<typeof logLine>
export const logPage = v.object({ lines: v.array(logLine), next: v.nullable(v.string()) })

const count = v.number()
export const bucket = v.object({ at: v.string(), debug: count, info: count, warn: count, error: count })
export type Bucket = v.InferOutput<typeof bucket>
export const histogramPart = v.object({
  step_ms: v.number(),
  buckets: v.array(bucket),
  next: v.nullable(v.string()),
})

const KNOWN = new Set(['position', 'time', 'level', 'subject', 'message'])

/** What was logged with a message, as `name=value`. */
export function fieldsOf(line: LogLine): [name: string, value: string][] {
  return Object.entries(line)
    .filter(([name]) => !KNOWN.has(name))
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

/** The line as it is stored. */
export function storedLine({ position: _, ...line }: LogLine): string {
  return JSON.stringify(line, null, 2)
}

/** Adds the counts of another part of the log, which has the same buckets. */
export function addBuckets(one: readonly Bucket[], other: readonly Bucket[]): Bucket[] {
  return other.map((each, at) => {
    const before = one[at]
    if (!before) return each
    const sum = (level: Level) => each[level] + before[level]
    return { at: each.at, debug: sum('debug'), info: sum('info'), warn: sum('warn'), error: sum('error') }
  })
}

/** Records of the service that fields of a line name, with their page. */
export function linksOf(line: LogLine, collections: Readonly<Record<string, string>>): [string, string][] {
  const pages: Record<string, (id: string) => string> = {
    job: (id) => `/jobs/${encodeURIComponent(id)}`,
    qpu: (id) => `/qpus/${encodeURIComponent(id)}`,
    user: (id) => `/_/collections/${collections['users'] ?? 'users'}?record=${encodeURIComponent(id)}`,
  }
  return fieldsOf(line).flatMap(([name, value]): [string, string][] => {
    const page = pages[name]
    return page && /^[\w.-]{1,60}$/.test(value) ? [[`Open ${name}`, page(value)]] : []
  })
}

/** A range of times in ms. */
export interface Range {
  from: number
  to: number
}

/** Ranges that end now. */
export const SPANS = { '15m': 15 * MINUTE_MS, '1h': HOUR_MS, '24h': DAY_MS, '7d': 7 * DAY_MS } as const
export type Span = keyof typeof SPANS
export const SPAN_TITLES: Record<Span, string> = { '15m': '15 min', '1h': '1 h', '24h': '24 h', '7d': '7 d' }
