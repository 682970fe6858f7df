import { type AppError, badField } from '../../base/index.ts'
import { type AnyCollection, type CollectionNames, pickFields } from '../../db/index.ts'

/** The records of a collection that a client subscribes to, and the form of their events. */
export interface Topic {
  /** As sent by the client, including the options: the events carry exactly this name. */
  readonly text: string
  readonly collection: AnyCollection
  /** A record id, or `*` for all. */
  readonly record: string
  /** `query` of the options: `filter`, `expand`, `fields` and parameters that rules refer to. */
  readonly query: Readonly<Record<string, string>>
  /** `headers` of the options, by lower-case name with `_` instead of `-`. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the text has options: such a topic is evaluated and encoded on its own. */
  readonly hasOptions: boolean
}

/** Whether a topic is sent with options; limits count it before it is read. */
export function hasOptions(text: string): boolean {
  return text.includes('?')
}

/** The topic on which a login in another window reports its outcome; not a collection. */
export const OAUTH2_TOPIC = '@oauth2'

/** The topic of events by which a client notices that the connection is lost or the login has ended. */
export const HEARTBEAT_TOPIC = '@heartbeat'

const PATH = /^([A-Za-z0-9_]+)(?:\/(\*|[0-9a-z]{15}))?$/

/**
 * Reads `qpus/*`, `qpus/ID` or `qpus`, with URL-encoded JSON after `?options=`:
 * `{"query": {"filter", "expand", "fields"}, "headers": {}}`. Undefined for any other topic: clients send all
 * topics that they listen to in one list, and some of these are not ours.
 * @throws AppError `invalid` that describes the valid form of the options.
 */
export function parseTopic(text: string, names: CollectionNames): Topic | undefined {
  const end = text.indexOf('?')
  const path = end < 0 ? text : text.slice(0, end)
  const [, name = '', record = '*'] = PATH.exec(path) ?? []
  const collection = names.byPublicName(name)
  if (!collection) return undefined
  const options = end < 0 ? null : new URLSearchParams(text.slice(end + 1)).get('options')
  const { query = {}, headers = {} } = readOptions(options)
  const given = { query: texts(query), headers: byRuleName(texts(headers)) }
  // Unknown modifiers are reported now rather than with every event.
  pickFields({}, given.query['fields'] ?? '')
  return { text, collection, record, ...given, hasOptions: hasOptions(text) }
}

/** The error that refuses all subscriptions of a request. */
export function badTopic(message: string): AppError {
  return badField(message, 'subscriptions', message)
}

interface Options {
  query?: object
  headers?: object
}

function readOptions(text: string | null): Options {
  if (text === null || text === '') return {}
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw badTopic('The options of a topic must be URL-encoded JSON')
  }
  return { query: partOf(given, 'query'), headers: partOf(given, 'headers') }
}

function partOf(options: unknown, name: 'query' | 'headers'): object {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw badTopic('The options of a topic must be a JSON object with query and headers')
  }
  const part: unknown = Reflect.get(options, name) ?? {}
  if (typeof part === 'object' && part !== null && !Array.isArray(part)) return part
  throw badTopic(`The ${name} in the options of a topic must be a JSON object`)
}

/** The values that can stand in a URL or a header. */
function texts(part: object): Record<string, string> {
  const known = Object.entries(part).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]))
}

function byRuleName(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase().replaceAll('-', '_'), value]),
  )
}
