import { open } from 'node:fs/promises'
import type { LogLevel } from '../../../base/index.ts'
import { KIB, MIB } from '../../../base/index.ts'
import type { LogSegment } from './log-store.ts'

/** Which lines to list; absent parts do not filter. */
interface LineFilter {
  /** This level and above. */
  level: LogLevel
  /** Text that the line contains, in any case. */
  text: string
  /** From this time on, ms since the epoch. */
  from: number | undefined
  /** Before this time, ms since the epoch. */
  to: number | undefined
}

/** A stored line; further fields are those that were logged. */
interface StoredLine {
  time: string
  level: LogLevel
  subject: string
  message: string
  [field: string]: unknown
}

/** A place in the files: what lies before it is older. */
export interface Position {
  segment: number
  offset: number
}

const RANKS: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
/** Read at a time; other requests run between two reads. */
const CHUNK_BYTES = 256 * KIB
/** Read for one response; a rarer filter takes several requests. */
const MAX_BYTES = 8 * MIB

/** Whether a line has the level and the text of a filter, and lies in its range. */
export function matches(line: string, filter: Pick<LineFilter, 'level' | 'text'>): StoredLine | undefined {
  if (!contains(line, filter.text)) return undefined
  const parsed = parseLine(line)
  return parsed && RANKS[parsed.level] >= RANKS[filter.level] ? parsed : undefined
}

/** Whether a line has a text in any case, as it was logged or as it is stored, where quotes are escaped. */
function contains(line: string, text: string): boolean {
  const stored = line.toLowerCase()
  const wanted = text.toLowerCase()
  return stored.includes(wanted) || stored.includes(JSON.stringify(wanted).slice(1, -1))
}

/**
 * The newest matching lines before a position, newest first, and where to continue. Lines are expected in the
 * order of their times; older lines behind one that is before `from` are not found.
 */
export async function readLines(
  segments: readonly LogSegment[],
  filter: LineFilter,
  { before, limit }: { before: Position | undefined; limit: number },
): Promise<{ lines: (StoredLine & { position: Position })[]; next: Position | undefined }> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = filter
  const lines: (StoredLine & { position: Position })[] = []
  for await (const { position, text } of linesBefore(segments, before)) {
    if (text === undefined) return { lines, next: position }
    if (lines.length === limit) return { lines, next: lines.at(-1)?.position }
    const at = timeOf(text)
    if (at < from) break
    const line = at < to ? matches(text, filter) : undefined
    if (line) lines.push({ ...line, position })
  }
  return { lines, next: undefined }
}

/** Numbers of lines by level. */
type LevelCounts = Record<LogLevel, number>

/** A range of times that is divided into buckets of equal length. */
interface Buckets {
  /** ms since the epoch. */
  from: number
  /** ms since the epoch; not included. */
  to: number
  stepMs: number
}

/**
 * Numbers of matching lines per bucket, among those that one response reads, and where to continue. Lines are
 * not parsed: time and level stand at their beginning.
 */
export async function countLines(
  segments: readonly LogSegment[],
  { from, to, stepMs }: Buckets,
  { level, text, before }: Pick<LineFilter, 'level' | 'text'> & { before: Position | undefined },
): Promise<{ counts: LevelCounts[]; next: Position | undefined }> {
  const counts = Array.from(
    { length: Math.ceil((to - from) / stepMs) },
    (): LevelCounts => ({ debug: 0, info: 0, warn: 0, error: 0 }),
  )
  for await (const { position, text: line } of linesBefore(segments, before)) {
    if (line === undefined) return { counts, next: position }
    const at = timeOf(line)
    if (at < from) break
    const bucket = counts[Math.floor((at - from) / stepMs)]
    const found = levelOf(line)
    if (at >= to || !bucket || !found || RANKS[found] < RANKS[level]) continue
    if (contains(line, text)) bucket[found] += 1
  }
  return { counts, next: undefined }
}

/** All lines before a position, newest first; without text: enough was read for one response. */
async function* linesBefore(
  segments: readonly LogSegment[],
  before: Position | undefined,
): AsyncGenerator<{ position: Position; text: string | undefined }, void, undefined> {
  let left = MAX_BYTES
  for (const { number, path, bytes } of segments.toReversed()) {
    if (before && number > before.segment) continue
    let end = before?.segment === number ? Math.min(before.offset, bytes) : bytes
    while (end > 0) {
      if (left <= 0) {
        yield { position: { segment: number, offset: end }, text: undefined }
        return
      }
      const chunk = await readBefore(path, end)
      left -= end - chunk.start
      for (const { offset, text } of chunk.lines) yield { position: { segment: number, offset }, text }
      end = chunk.start
    }
  }
}

/** The lines that end at `end`, last first, and the offset of the first one. */
async function readBefore(path: string, end: number) {
  const from = Math.max(0, end - CHUNK_BYTES)
  const file = await open(path, 'r').catch(() => undefined)
  // A file that was removed meanwhile has no lines.
  if (!file) return { start: 0, lines: [] }
  try {
    const buffer = Buffer.alloc(end - from)
    await file.read(buffer, 0, buffer.length, from)
    const first = from === 0 ? 0 : buffer.indexOf(10) + 1
    const lines: { offset: number; text: string }[] = []
    for (let at = first; at < buffer.length; ) {
      const next = buffer.indexOf(10, at)
      const stop = next < 0 ? buffer.length : next
      lines.push({ offset: from + at, text: buffer.toString('utf8', at, stop) })
      at = stop + 1
    }
    return { start: first === 0 && from > 0 ? 0 : from + first, lines: lines.toReversed() }
  } finally {
    await file.close()
  }
}

function parseLine(text: string): StoredLine | undefined {
  try {
    const line = JSON.parse(text) as StoredLine
    return typeof line === 'object' && line !== null && line.level in RANKS ? line : undefined
  } catch {
    // The last line of a process that was killed while it wrote.
    return undefined
  }
}

/** The level, which each line has behind its time. */
function levelOf(text: string): LogLevel | undefined {
  const name = /^\{"time":"[^"]{1,40}","level":"(debug|info|warn|error)"/.exec(text)?.[1]
  return name as LogLevel | undefined
}

/** The time with which each line begins, ms since the epoch; the far future for a broken line. */
function timeOf(text: string): number {
  const at = Date.parse(/^\{"time":"([^"]{1,40})"/.exec(text)?.[1] ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
