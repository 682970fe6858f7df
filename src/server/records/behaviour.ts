import type * as v from 'valibot'
import type { AnyCollection, ReadTx, RecordOf, Tx } from '../../db/index.ts'
import type { Caller } from '../http/caller.ts'
import type { RecordService } from './service.ts'

/** A record of a collection that is only known when the program runs. */
export type AnyRecord = RecordOf<AnyCollection>
/** Values by field name: as they were sent, modifiers applied, without those the caller cannot set. */
export type Values = Record<string, unknown>

/** Who writes, and with what. */
export interface Writer {
  readonly service: RecordService
  readonly caller: Caller
  readonly isSuperuser: boolean
  /** Address of the peer. */
  readonly address: string
}

/** A step inside the writing transaction; a throw undoes the whole request. */
export interface Step extends Writer {
  readonly tx: Tx
}

/**
 * Puts into the values what could only be found out by waiting, such as a hash; runs inside the transaction.
 */
export type Completion = (values: Values, before: AnyRecord | undefined) => void

/** A write before its transaction; `before` is the record to be changed. */
export interface Draft extends Writer {
  readonly body: Values
  readonly before: AnyRecord | undefined
}

/** A committed change: no `before` = created, no `after` = removed. */
export interface Committed<R> {
  readonly before: R | undefined
  readonly after: R | undefined
}

/**
 * What the record routes of one collection do beyond its declaration, because it depends on the caller, on
 * settings or on something outside the database. Everything is optional.
 */
export interface Behaviour<R = AnyRecord> {
  /** The relation to the user a record belongs to: filled in for the caller, not to be given away. */
  readonly owner?: string
  /** Fields that only superusers set. */
  readonly superuserOnly?: readonly string[]
  /** Fields that nobody sets by these routes, as `readOnly` ones, because other routes or drivers do. */
  readonly fixed?: { readonly create?: readonly string[]; readonly update?: readonly string[] }
  /** What is shown of each record beside its fields. */
  readonly computed?: (tx: ReadTx, records: readonly R[]) => (record: R) => Values
  /** The form of what is computed, for the API reference. */
  readonly computedShape?: Readonly<Record<string, v.GenericSchema>>
  /** The large fields that a computed value is made from, by its name. */
  readonly computedFrom?: Readonly<Record<string, readonly string[]>>
  /** Replaces the plain insert: returns the id of the new record. */
  readonly submit?: (draft: Draft, request: Request) => Promise<string>
  /** What has to be waited for before the transaction; what it throws is answered. */
  readonly prepare?: (draft: Draft) => Promise<Completion | undefined>
  /** Before the insert; may change `values`. */
  readonly creating?: (step: Step, values: Values) => void
  /** After the insert. */
  readonly created?: (step: Step, record: R) => void
  /** Before the update; may change `patch`. */
  readonly updating?: (step: Step, before: R, patch: Values) => void
  /** After the update. */
  readonly updated?: (step: Step, before: R, after: R) => void
  readonly removing?: (step: Step, record: R) => void
  readonly removed?: (step: Step, record: R) => void
  /** After the commit. */
  readonly committed?: (writer: Writer, change: Committed<R>) => void | Promise<void>
}

/** A behaviour and the collection it is about. */
export interface Declared {
  readonly collection: AnyCollection
  readonly behaviour: Behaviour
}

/** Declares what the record routes of `collection` do beyond its declaration. */
export function defineBehaviour<C extends AnyCollection>(
  collection: C,
  behaviour: Behaviour<RecordOf<C>>,
): Declared {
  // The routes hand a behaviour only records of the collection it is declared for.
  return { collection, behaviour: behaviour as unknown as Behaviour }
}
