import type * as v from 'valibot'
import type { AnyCollection, ComputedFrom, ReadTx, RecordOf, Tx } from '../../db/index.ts'
import type { Client } from '../auth/access-audit.ts'
import type { Caller } from '../http/caller.ts'
import type { ReceivedJson } from '../http/request/json-text.ts'
import type { RecordService } from './service.ts'

/** A record of a collection that is known at run time only. */
export type AnyRecord = RecordOf<AnyCollection>
/** Values by field name, as sent, with modifiers applied and without fields that the caller cannot set. */
export type Values = Record<string, unknown>

/** The caller of a write and the service that executes it. */
export interface Writer {
  readonly service: RecordService
  readonly caller: Caller
  readonly isSuperuser: boolean
  /** Where the request comes from. */
  readonly client: Client
}

/** A step inside the write transaction; an exception rolls back the whole request. */
export interface Step extends Writer {
  readonly tx: Tx
}

/**
 * Puts into the values what could only be found out by waiting, such as a hash; runs inside the transaction.
 */
export type Completion = (values: Values, before: AnyRecord | undefined, tx: Tx) => void

/** A write before its transaction; `before` is the record to change. */
export interface Draft extends Writer {
  readonly body: Values
  readonly before: AnyRecord | undefined
}

/** A committed change: created without `before`, deleted without `after`. */
export interface Committed<R> {
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * The behavior of the record routes of one collection beyond its declaration, for everything that depends on
 * the caller, on settings or on services outside the database. All members are optional.
 */
export interface Behavior<R = AnyRecord> {
  /** The relation to the owner of a record: set to the caller by default, and not transferable. */
  readonly owner?: string
  /** Fields that only superusers can set. */
  readonly superuserOnly?: readonly string[]
  /** Fields that these routes cannot set, like `readOnly` ones, because other routes or drivers set them. */
  readonly fixed?: { readonly create?: readonly string[]; readonly update?: readonly string[] }
  /** Values that are presented in addition to the fields, of each of the records. */
  readonly computed?: (tx: ReadTx, records: readonly R[]) => Values[]
  /** Schemas of the computed values, for the API reference. */
  readonly computedShape?: Readonly<Record<string, v.GenericSchema>>
  /** See `ComputedFrom`. */
  readonly computedFrom?: ComputedFrom
  /**
   * The values of a large JSON body, which is not parsed before; without it, such a body is parsed like
   * others.
   */
  readonly receive?: (writer: Writer, body: ReceivedJson, request: Request) => Promise<Values>
  /** Replaces the insert; returns the id of the new record. */
  readonly submit?: (draft: Draft, request: Request) => Promise<string>
  /** Asynchronous work before the transaction; its exceptions become the response. */
  readonly prepare?: (draft: Draft) => Promise<Completion | undefined>
  /** Before the insert; may change `values`. */
  readonly creating?: (step: Step, values: Values) => void
  /** After the insert. */
  readonly created?: (step: Step, record: R) => void
  /** Before the update; may change `patch`. */
  readonly updating?: (step: Step, before: R, patch: Values) => void
  /** After the update. */
  readonly updated?: (step: Step, before: R, after: R) => void
  /** Values that the response to an update has in addition. */
  readonly written?: (step: Step, before: R, after: R) => Values
  /** Replaces the removal of a record that the caller may remove. */
  readonly remove?: (writer: Writer, record: R) => Promise<void>
  readonly removing?: (step: Step, record: R) => void
  readonly removed?: (step: Step, record: R) => void
  /** After the commit. */
  readonly committed?: (writer: Writer, change: Committed<R>) => void | Promise<void>
}

/** The behavior of a collection. */
export interface Declared {
  readonly collection: AnyCollection
  readonly behavior: Behavior
}

/** Declares the behavior of the record routes of `collection`. */
export function defineBehavior<C extends AnyCollection>(
  collection: C,
  behavior: Behavior<RecordOf<C>>,
): Declared {
  // The routes pass a behavior only records of its own collection.
  return { collection, behavior: behavior as unknown as Behavior }
}
