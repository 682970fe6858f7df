import { AppError } from '../../base/index.ts'
import {
  type AnyCollection,
  type Change,
  pickFields,
  type ReadTx,
  type RecordOf,
  type RecordTest,
  type RequestInfo,
} from '../../db/index.ts'
import type { Caller } from '../http/caller.ts'
import { presentRecords } from '../records/read/present.ts'
import { requestInfoOf } from '../records/read/request-info.ts'
import type { RecordService } from '../records/service.ts'
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
  /** Prepares a change: everything that subscribers have in common is computed once. */
  prepare(change: Change & { record: Row }): PreparedChange
}

type Row = RecordOf<AnyCollection>

/** Compiled tests in the cache: clients choose the filters, so their number has to be limited. */
const MAX_TESTS = 1_000

/**
 * Creates a publisher that applies the rules of the record routes: the list rule for `*`, the view rule for
 * one record.
 */
export function createChangePublisher(service: RecordService): ChangePublisher {
  const { queries, rulesOf } = service
  const tests = new Map<string, RecordTest>()

  const ruleOf = ({ collection, record }: Topic) => {
    const { list, view } = rulesOf(collection)
    return record === '*' ? list : view
  }
  const filterOf = ({ query }: Topic) => query['filter'] ?? ''

  function testOf(topic: Topic, caller: Caller): RecordTest {
    const [rule, filter] = [ruleOf(topic), filterOf(topic)]
    const key = JSON.stringify([topic.collection.name, caller.kind, rule, filter])
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
  function decisionKey(topic: Topic, caller: Caller): string {
    const [rule, filter] = [ruleOf(topic) ?? 'superuser', filterOf(topic)]
    if (caller.kind === 'superuser') return JSON.stringify(['superuser', filter])
    const readsRequest = rule.includes('@request.')
    // A path in a filter may lead to a record that is visible to some callers only.
    const isPersonal = readsRequest || /[.:@]/.test(filter)
    const options = readsRequest ? [topic.query, topic.headers] : []
    return JSON.stringify([caller.kind, rule, filter, isPersonal ? idOf(caller) : '', ...options])
  }

  return {
    check: (topic, caller) => void testOf(topic, caller),
    prepare(change) {
      const decisions = new Map<string, boolean>()
      const encoded = new Map<string, Uint8Array>()
      const slim = new Map<string, Row>()

      function maySee(tx: ReadTx, topic: Topic, caller: Caller): boolean {
        const text = `${ruleOf(topic)} ${filterOf(topic)}`
        const row = slim.get(text) ?? withoutUnreadJson(topic.collection, change.record, text)
        slim.set(text, row)
        return isTrue(() => testOf(topic, caller).values(tx, row, realtimeRequestInfo(topic, caller)))
      }

      function encode(tx: ReadTx, topic: Topic, caller: Caller): Uint8Array {
        const { expand = '', fields = '' } = topic.query
        const view = { caller, requestInfo: realtimeRequestInfo(topic, caller), expand }
        const [shown] = presentRecords(service, tx, topic.collection, [change.record], view)
        const picked = pickFields(shown, fields)
        return encodeChange(change.action, { ...(typeof picked === 'object' ? picked : {}) })
      }

      return {
        renderFor(tx, topic, caller) {
          const key = decisionKey(topic, caller)
          const isVisible = decisions.get(key) ?? maySee(tx, topic, caller)
          decisions.set(key, isVisible)
          if (!isVisible) return undefined
          const form = formKey(topic, caller, change.id)
          const data = encoded.get(form) ?? encode(tx, topic, caller)
          encoded.set(form, data)
          return data
        },
      }
    },
  }
}

function realtimeRequestInfo({ query, headers }: Topic, caller: Caller): RequestInfo {
  return requestInfoOf(caller, { context: 'realtime', query, headers })
}

function idOf(caller: Caller): string {
  if (caller.kind === 'guest') return ''
  return caller.kind === 'user' ? caller.user.id : caller.superuser.id
}

/** Subscribers with the same key receive the same bytes. */
function formKey({ text, query }: Topic, caller: Caller, id: string): string {
  const { expand = '', fields = '' } = query
  const isSelf = idOf(caller) === id
  // Related records have rules of their own, which may refer to the account and to all options.
  const whose = expand.trim() === '' ? [] : [caller.kind, idOf(caller), text]
  return JSON.stringify([caller.kind === 'superuser', isSelf, fields, ...whose])
}

/** The record without JSON values that neither the rule nor the filter refers to: they may have megabytes. */
function withoutUnreadJson(collection: AnyCollection, record: Row, text: string): Row {
  const needed = Object.entries(record).filter(
    ([name]) => !collection.fields[name]?.kind.isDocument || text.includes(name),
  )
  return { ...Object.fromEntries(needed), id: record.id, created: record.created, updated: record.updated }
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
