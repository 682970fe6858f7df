import { AppError } from '../../../base/index.ts'

/** What a JSON text may contain. Parsing takes most time for texts and keys, and least for numbers. */
export interface JsonLimits {
  /** Name of the text in error messages. */
  readonly subject: string
  /** Levels of nested lists and objects. */
  readonly depth: number
  /** Keys of one object. */
  readonly keys: number
  /** Texts (keys included), lists and objects. */
  readonly parts: number
  /** All values and keys. */
  readonly values: number
}

/** The limits of a request body, by kind of caller. The largest permitted body takes at most about 30 ms. */
export const BODY_LIMITS: Readonly<Record<'guest' | 'user' | 'superuser', JsonLimits>> = {
  guest: { subject: 'body', depth: 32, keys: 500, parts: 5_000, values: 10_000 },
  user: { subject: 'body', depth: 32, keys: 1_000, parts: 50_000, values: 1_000_000 },
  superuser: { subject: 'body', depth: 32, keys: 10_000, parts: 500_000, values: 2_000_000 },
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Checks nesting and number of values of a JSON text without parsing it: parsing hostile text first could
 * take seconds, and a hundred times its size in memory.
 * @throws AppError `invalid` that names the limit.
 */
export function assertWithinJsonLimits(text: string, limits: JsonLimits): void {
  const keysByDepth = new Uint32Array(limits.depth + 2)
  let depth = 0
  let values = 0
  let parts = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        parts += 1
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        parts += 1
        values += 1
        depth += 1
        if (depth > limits.depth) throw exceeded(limits, `is nested deeper than ${limits.depth} levels`)
        keysByDepth[depth] = 0
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth = Math.max(0, depth - 1)
        break
      case COLON:
        values += 1
        keysByDepth[depth] = (keysByDepth[depth] ?? 0) + 1
        if ((keysByDepth[depth] ?? 0) > limits.keys)
          throw exceeded(limits, `has an object with more than ${limits.keys} keys`)
        break
      case COMMA:
        values += 1
    }
    if (parts > limits.parts)
      throw exceeded(limits, `has more than ${limits.parts} texts, lists and objects together`)
    if (values > limits.values) throw exceeded(limits, `has more than ${limits.values} values`)
  }
}

function exceeded({ subject }: JsonLimits, problem: string): AppError {
  return new AppError(
    'invalid',
    `The ${subject} ${problem}; send less data or split it into several requests`,
  )
}

/** The place of the closing quote; the length of the text without one. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== BACKSLASH) return end
  // From the first escaped quote on, a search per quote would be slower than reading each character.
  let at = end
  while (text.charCodeAt(at - 1) === BACKSLASH && at - 1 > start) at -= 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at += 1
    else if (code === QUOTE) return at
  }
  return text.length
}
