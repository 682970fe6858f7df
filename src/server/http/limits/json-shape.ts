import { AppError } from '../../../base/index.ts'

/** Maximum nesting depth and number of values of a JSON text. */
export interface JsonLimits {
  /** Name of the text in error messages. */
  subject: string
  depth: number
  nodes: number
}

/** Limits for the body of every route, far below what would exhaust the process. */
export const BODY_LIMITS: JsonLimits = { subject: 'body', depth: 32, nodes: 2_000_000 }

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125]

/**
 * Checks nesting and number of values of a JSON text without parsing it: parsing hostile text first could
 * take a hundred times its size in memory.
 * @throws AppError `invalid` that names the limit.
 */
export function assertWithinJsonLimits(text: string, limits: JsonLimits): void {
  let depth = 0
  let nodes = 0
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        nodes += 1
        depth += 1
        break
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1
        break
      case COMMA:
        nodes += 1
    }
    if (depth > limits.depth) {
      throw new AppError('invalid', `${limits.subject}: nested deeper than ${limits.depth} levels`)
    }
    if (nodes > limits.nodes)
      throw new AppError('invalid', `${limits.subject}: more than ${limits.nodes} values`)
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}
