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

/** One change, for any number of listeners. */
export interface PreparedChange {
  /** The `data:` line for this listener; undefined when the record is not for them. */
  renderFor(tx: ReadTx, topic: Topic, caller: Caller): Uint8Array | undefined
}

/** Decides who hears of changes. Keeps compiled tests, so make it once. */
export interface ChangePublisher {
  /**
   * Checks that the options of a topic can be used by this caller.
   * @throws AppError for a filter that cannot be understood or that is not theirs to ask.
   */
  check(topic: Topic, caller: Caller): void
  /** Prepares to tell of a change: everything that listeners have in common is worked out once. */
  prepare(change: Change & { record: Row }): PreparedChange
}

type Row = RecordOf<AnyCollection>

/** Clients write filters, so the memory for them has an end. */
const MAX_TESTS = 1_000

/** A teller by the rules of the record routes: the list rule for `*`, the view rule for one record. */
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

  /** The same for two listeners = one answer serves both. */
  function decisionKey(topic: Topic, caller: Caller): string {
    const [rule, filter] = [ruleOf(topic) ?? 'superuser', filterOf(topic)]
    if (caller.kind === 'superuser') return JSON.stringify(['superuser', filter])
    const asks = rule.includes('@request.')
    // A path in a filter may lead to a record that only some may see.
    const isPersonal = asks || /[.:@]/.test(filter)
    const options = asks ? [topic.query, topic.headers] : []
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
          const question = decisionKey(topic, caller)
          const decided = decisions.get(question) ?? maySee(tx, topic, caller)
          decisions.set(question, decided)
          if (!decided) return undefined
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

/** The same for two listeners = they get the same bytes. */
function formKey({ text, query }: Topic, caller: Caller, id: string): string {
  const { expand = '', fields = '' } = query
  const isSelf = idOf(caller) === id
  // Related records are shown by rules of their own, which may ask for the account and for all options.
  const whose = expand.trim() === '' ? [] : [caller.kind, idOf(caller), text]
  return JSON.stringify([caller.kind === 'superuser', isSelf, fields, ...whose])
}

/** The record without JSON values that neither rule nor filter name: they may have megabytes. */
function withoutUnreadJson(collection: AnyCollection, record: Row, text: string): Row {
  const asked = Object.entries(record).filter(
    ([name]) => !collection.fields[name]?.kind.isDocument || text.includes(name),
  )
  return { ...Object.fromEntries(asked), id: record.id, created: record.created, updated: record.updated }
}

/** A filter that SQLite cannot evaluate for this record holds for nobody; the others hear on. */
function isTrue(ask: () => boolean): boolean {
  try {
    return ask()
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
