import { AppError, MIB } from '../../base/index.ts'
import {
  type AnyCollection,
  type Change,
  largeFieldsOf,
  pickFields,
  type ReadTx,
  type RecordOf,
} from '../../db/index.ts'
import type { RecordTest, RequestInfo } from '../../db/query/index.ts'
import { COUNTS } from '../admission/limits.ts'
import { accountOf, type Caller } from '../http/caller.ts'
import { presentRecords } from '../records/read/present.ts'
import { requestInfoOf } from '../records/read/request-info.ts'
import type { RecordService } from '../records/service.ts'
import { type ChangedRecord, changedRecord } from './changed-record.ts'
import { encodeChange } from './encode-change.ts'
import type { Topic } from './topic.ts'

/** One change, to be rendered for any number of subscribers. */
interface PreparedChange {
  /** The `data:` line for this subscriber; undefined when the record is not visible to them. */
  renderFor(tx: ReadTx, topic: Topic, caller: Caller): Uint8Array | undefined
}

/** Decides who receives changes. Caches compiled tests, so create it once. */
export interface ChangePublisher {
  /**
   * Checks that this caller may use the options of a topic.
   * @throws AppError for a filter that is invalid or not allowed for the caller.
   */
  check(topic: Topic, caller: Caller): void
  /** Whether the events of a topic depend on the account that receives them. */
  isPersonal(topic: Topic): boolean
  /** Prepares a change: everything that subscribers have in common is computed once. */
  prepare(change: Change & { record: Row }): PreparedChange
}

type Row = RecordOf<AnyCollection>

/** Compiled tests in the cache; enough for the topics with options of all streams. */
const MAX_TESTS = 4 * COUNTS.options.bounds.all
/** Encoded events of one change that are kept for further subscribers. */
const MAX_CACHED_BYTES = 16 * MIB
/** Related records in an event: without megabytes, since the cost counts for each change. */
const EXPAND_LIMITS = { backRecords: 100, isSlim: true }

/** What decides about the events of a topic. */
interface Decision {
  readonly rule: string | null
  readonly filter: string
  readonly isPersonal: boolean
  /** Topics with the same key share decisions about callers. */
  readonly key: string
}

/**
 * Creates a publisher that applies the rules of the record routes: the list rule for `*`, the view rule for
 * one record.
 */
export function createChangePublisher(service: RecordService): ChangePublisher {
  const { queries, rulesOf } = service
  const tests = new Map<string, RecordTest>()
  const decisions = new WeakMap<Topic, Decision>()

  function decisionOf(topic: Topic): Decision {
    const known = decisions.get(topic)
    if (known) return known
    const { collection, record, query, headers } = topic
    const { list, view } = rulesOf(collection)
    const rule = record === '*' ? list : view
    const filter = (query['filter'] ?? '').trim()
    // Superusers may filter by the options of their request.
    const readsOptions = /@request\.(query|headers)/.test(filter)
    const decision = {
      rule,
      filter,
      isPersonal: rule?.includes('@request.') === true || leadsElsewhere(filter, collection),
      key: JSON.stringify([collection.name, rule, filter, ...(readsOptions ? [query, headers] : [])]),
    }
    decisions.set(topic, decision)
    return decision
  }

  function testOf(topic: Topic, caller: Caller): RecordTest {
    const { rule, filter, key: decisionKey } = decisionOf(topic)
    const key = `${caller.kind} ${decisionKey}`
    const known = tests.get(key)
    if (known) return known
    if (tests.size >= MAX_TESTS) tests.clear()
    const test = queries.test(topic.collection, {
      rule,
      filter,
      requestInfo: realtimeRequestInfo(topic, caller),
    })
    tests.set(key, test)
    return test
  }

  /** Subscribers with the same key share one decision. */
  function audienceKey(topic: Topic, caller: Caller): string {
    const { key, isPersonal } = decisionOf(topic)
    return isPersonal ? `${caller.kind} ${accountOf(caller)?.id} ${key}` : `${caller.kind} ${key}`
  }

  return {
    check: (topic, caller) => void testOf(topic, caller),
    isPersonal: (topic) => decisionOf(topic).isPersonal || expandOf(topic) !== '',
    prepare(change) {
      const visible = new Map<string, boolean>()
      const events = new EventCache()
      let changed: ChangedRecord | undefined
      let named: ReadonlySet<unknown> | undefined

      function maySee(tx: ReadTx, topic: Topic, caller: Caller): boolean {
        const { rule, filter } = decisionOf(topic)
        changed ??= changedRecord(topic.collection, change.record)
        const row = changed.forTest(`${rule} ${filter}`)
        return isTrue(() => testOf(topic, caller).values(tx, row, realtimeRequestInfo(topic, caller)))
      }

      function encode(tx: ReadTx, topic: Topic, caller: Caller): Uint8Array {
        changed ??= changedRecord(topic.collection, change.record)
        const fields = topic.query['fields'] ?? ''
        const { row, maxBytes, texts } = changed.forEvent(fields)
        const [shown] = presentRecords(service, tx, topic.collection, [row], {
          caller,
          requestInfo: realtimeRequestInfo(topic, caller),
          expand: expandOf(topic),
          limits: EXPAND_LIMITS,
        })
        const picked = pickFields(shown, fields)
        const values = { ...(typeof picked === 'object' ? picked : {}) }
        return encodeChange(change.action, values, { maxBytes, texts })
      }

      return {
        renderFor(tx, topic, caller) {
          const key = audienceKey(topic, caller)
          const isVisible = visible.get(key) ?? maySee(tx, topic, caller)
          visible.set(key, isVisible)
          if (!isVisible) return undefined
          named ??= namedIn(topic.collection, change.record)
          return events.get(formKey(topic, caller, named), () => encode(tx, topic, caller))
        },
      }
    },
  }
}

/** Whether a filter may lead to a record that is visible to some callers only, or call a macro. */
function leadsElsewhere(filter: string, collection: AnyCollection): boolean {
  // Only its owner searches a large value. A point inside a number is no path.
  return largeFieldsOf(collection).some((name) => filter.includes(name)) || /[:@]|[^\d\s]\s*\./.test(filter)
}

function expandOf({ query }: Topic): string {
  return (query['expand'] ?? '').trim()
}

function realtimeRequestInfo({ query, headers }: Topic, caller: Caller): RequestInfo {
  return requestInfoOf(caller, { context: 'realtime', query, headers })
}

/** Subscribers with the same key receive the same bytes. */
function formKey(topic: Topic, caller: Caller, named: ReadonlySet<unknown>): string {
  const id = accountOf(caller)?.id
  const viewer = caller.kind === 'superuser' ? 'superuser' : named.has(id) ? `user ${id}` : 'other'
  // Related records have rules of their own, which may refer to the account and to all options.
  if (expandOf(topic) !== '') return `${viewer} ${caller.kind} ${accountOf(caller)?.id} ${topic.text}`
  return `${viewer} ${topic.query['fields'] ?? ''}`
}

/** Ids of the accounts that see more of a record than others do: its own, and those in lists of `ownOnly`. */
function namedIn(collection: AnyCollection, record: Row): ReadonlySet<unknown> {
  const lists = Object.entries(collection.fields).map(([name, { ownOnly }]) => ownOnly && record[name])
  return new Set([record.id, ...lists.flatMap((list) => (Array.isArray(list) ? list : []))])
}

/** Events by form, up to a total size: clients choose the forms. */
class EventCache {
  readonly #events = new Map<string, Uint8Array>()
  #bytes = 0

  get(form: string, encode: () => Uint8Array): Uint8Array {
    const known = this.#events.get(form)
    if (known) return known
    const data = encode()
    if (this.#bytes + data.byteLength > MAX_CACHED_BYTES) {
      this.#events.clear()
      this.#bytes = 0
    }
    this.#events.set(form, data)
    this.#bytes += data.byteLength
    return data
  }
}

/**
 * A filter that SQLite cannot evaluate for this record counts as false; other subscribers are not affected.
 */
function isTrue(test: () => boolean): boolean {
  try {
    return test()
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
