import { AppError, isObject } from '../../base/index.ts'
import { MAX_ROW_BYTES } from '../schema/fields/index.ts'
import { JsonText, StoredJson } from '../schema/json-text.ts'

/** The selected names, each with the names selected below it (none = everything) and its excerpt options. */
interface Picked {
  readonly below: Map<string, Picked>
  excerpt?: { length: number; withEllipsis: boolean }
}

const MAX_CHARACTERS = 3_500
const MAX_DEPTH = 20
const ENVELOPE = ['page', 'perPage', 'totalItems', 'totalPages', 'items']

/**
 * Returns only the parts of a response that `fields` names: `id,expand.user.name`, `*` for all keys of a
 * level, `text:excerpt(100,true)` for the beginning of a text. Lists keep their envelope; the selection
 * applies to each element of an array. A blank text selects everything. `read` reads a value that is still in
 * the database and of which parts are selected.
 * @throws AppError `invalid` for unknown modifiers; `too_large` for parts of a value above 1 MiB.
 */
export function pickFields(
  response: unknown,
  fields: string,
  read?: (stored: StoredJson) => JsonText,
): unknown {
  if (fields.trim() === '') return response
  if (fields.length > MAX_CHARACTERS) {
    throw badFields(`fields has ${fields.length} characters; at most ${MAX_CHARACTERS} are allowed`)
  }
  const root = parseFields(fields)
  if (!isObject(response) || !Array.isArray(response['items'])) return picked(response, root, read)
  const isList = Object.keys(response).every((key) => ENVELOPE.includes(key))
  return isList ? { ...response, items: picked(response['items'], root, read) } : picked(response, root, read)
}

/**
 * The top-level names that `fields` selects; undefined when any name may be selected.
 * @throws AppError `invalid` for unknown modifiers.
 */
export function pickedNames(fields: string): ReadonlySet<string> | undefined {
  if (fields.trim() === '') return undefined
  const { below } = parseFields(fields)
  return below.size === 0 || below.has('*') ? undefined : new Set(below.keys())
}

function badFields(problem: string): AppError {
  return new AppError('invalid', problem, { reason: 'bad_parameter' })
}

/** A dotted name, optionally with a modifier and its arguments. */
const ENTRY = /\s*([^,:()]*)(?::(\w*)\(([^()]*)\))?\s*(,|$)/y

function parseFields(text: string): Picked {
  const root: Picked = { below: new Map() }
  ENTRY.lastIndex = 0
  while (ENTRY.lastIndex < text.length) {
    const start = ENTRY.lastIndex
    const [, path = '', modifier, args = ''] = ENTRY.exec(text) ?? []
    if (ENTRY.lastIndex <= start) throw badFields(`fields cannot be read from character ${start + 1} on`)
    if (path.trim() === '') continue
    const node = path.trim().split('.').slice(0, MAX_DEPTH).reduce(childOf, root)
    if (modifier !== undefined) node.excerpt = readExcerpt(modifier, args)
  }
  return root
}

function childOf(node: Picked, name: string): Picked {
  const child = node.below.get(name) ?? { below: new Map() }
  node.below.set(name, child)
  return child
}

function readExcerpt(modifier: string, args: string): { length: number; withEllipsis: boolean } {
  if (modifier !== 'excerpt')
    throw badFields(`:${modifier} is not a modifier of fields; the only one is :excerpt(n,true)`)
  const [length = '', withEllipsis = 'false'] = args.split(',').map((each) => each.trim())
  if (!/^[1-9][0-9]{0,6}$/.test(length))
    throw badFields('excerpt needs the number of characters to keep first')
  return { length: Number(length), withEllipsis: withEllipsis === 'true' || withEllipsis === '1' }
}

function picked(value: unknown, node: Picked, read?: (stored: StoredJson) => JsonText): unknown {
  if (value instanceof StoredJson) {
    const isWhole = node.below.size === 0 && !node.excerpt
    return isWhole ? value : picked(readPart(value, read), node)
  }
  if (node.below.size === 0) {
    if (node.excerpt && value instanceof JsonText) return picked(value.value, node)
    return node.excerpt && typeof value === 'string' ? excerptOf(value, node.excerpt) : value
  }
  if (value instanceof JsonText) return picked(value.value, node)
  if (Array.isArray(value)) return value.map((each) => picked(each, node, read))
  if (!isObject(value)) return value
  const rest = node.below.get('*')
  const kept = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const child = node.below.get(key) ?? rest
    return child ? [[key, picked(each, child, read)]] : []
  })
  // Defines own properties for any name, `__proto__` included.
  return Object.fromEntries(kept)
}

function readPart(value: StoredJson, read?: (stored: StoredJson) => JsonText): JsonText {
  if (read && value.bytes <= MAX_ROW_BYTES) return read(value)
  throw new AppError(
    'too_large',
    `fields: ${value.field} of ${value.record} has ${value.bytes} bytes; parts of it can be selected up to 1 MiB, ` +
      `so name ${value.field} alone or leave it out`,
    { reason: 'value_too_large' },
  )
}

const UNSEEN = /<(script|style|iframe|head)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi
/** Tags that separate words. */
const BLOCKS =
  /<\/?(?:address|article|blockquote|br|div|h[1-6]|hr|li|ol|p|pre|section|table|td|th|tr|ul)\b[^<>]*>/gi
const TAGS = /<\/?[a-z!][^<>]*>/gi
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/**
 * Number of characters that are read: matching the ends of hostile tags in megabytes of text would take
 * hours.
 */
const MAX_READ = 20_000

/**
 * The first `length` characters of a text without HTML tags and with white space collapsed. Only the first
 * 20,000 characters of the text are read.
 */
export function excerptOf(
  text: string,
  { length, withEllipsis }: { length: number; withEllipsis: boolean },
): string {
  const plain = text
    .slice(0, MAX_READ)
    .replace(UNSEEN, ' ')
    .replace(BLOCKS, ' ')
    .replace(TAGS, '')
    .replace(/&([a-z]+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...plain]
  if (characters.length <= length) return plain
  return characters.slice(0, length).join('').trimEnd() + (withEllipsis ? '...' : '')
}
