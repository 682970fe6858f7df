import { AppError } from '../../base/index.ts'
import type { AnyCollection, CollectionNames } from '../../db/index.ts'

/** Which records of a collection a client wants to hear of. */
export interface Subscription {
  /** As the client sent it, options included: its events carry exactly this name. */
  topic: string
  collection: AnyCollection
  /** A record id, or `*` for all. */
  record: string
}

const TOPIC = /^([A-Za-z0-9_]+)(?:\/(\*|[0-9a-z]{15}))?(?:\?options=(.*))?$/

/**
 * Reads `qpus/*`, `qpus/ID` or `qpus`, with options after `?options=`.
 * @throws AppError `invalid` naming what is available.
 */
export function parseTopic(
  topic: string,
  collections: readonly AnyCollection[],
  names: CollectionNames,
): Subscription {
  const [, name = '', record = '*', options] = TOPIC.exec(topic) ?? []
  const asked = names.byPublicName(name)
  const collection = collections.find((each) => each === asked)
  if (!collection) {
    const available = collections.map((each) => names.publicName(each))
    const forms = available.flatMap((each) => [`${each}/*`, `${each}/ID`]).join(', ')
    throw refusal(`There is no topic ${topic.slice(0, 100)}; available are ${forms}`)
  }
  if (options !== undefined) refuseQuery(options)
  return { topic, collection, record }
}

/** Options may be sent, but records come whole and unfiltered. */
function refuseQuery(options: string): void {
  let given: unknown
  try {
    given = JSON.parse(decodeURIComponent(options))
  } catch {
    throw refusal('The options of a topic must be URL-encoded JSON')
  }
  const query = typeof given === 'object' && given !== null && 'query' in given ? given.query : undefined
  const used = Object.entries(query ?? {}).find(([, value]) => value !== '' && value !== undefined)
  if (used) throw refusal(`A topic cannot have the option ${used[0]}; subscribe without it`)
}

function refusal(message: string): AppError {
  const fields = { subscriptions: { code: 'validation_invalid_value', message } }
  return new AppError('invalid', message, { fields })
}
