import type { Bindable } from '../../engine/sql.ts'

/** A comparison of a column with a pattern, whose cost is the product of both lengths. */
interface Match {
  /** Name of the field of the tested record; undefined for any other text. */
  readonly field: string | undefined
  /** Characters of the pattern; undefined when it is itself read from a record. */
  readonly characters: number | undefined
}

/** What testing a row by a condition reads beyond columns; collected while it is compiled. */
export interface Reads {
  /** How often values of possibly megabytes are read. */
  largeReads: number
  /** JSON fields of the tested record that are read, whole or in part. */
  readonly documents: Set<string>
  /** Whether JSON fields of other records are read. */
  readsForeignDocuments: boolean
  /** Whether any number of records are read: those that refer to the tested one, or a collection. */
  followsBack: boolean
  readonly matches: Match[]
}

export function noReads(): Reads {
  return {
    largeReads: 0,
    documents: new Set(),
    readsForeignDocuments: false,
    followsBack: false,
    matches: [],
  }
}

/** A term that all rows have to meet and that an index may serve, such as `b."user_id" = $f0`. */
export interface Term {
  /** Column of the tested record that is compared with a value; undefined when the term reads no record. */
  readonly column: string | undefined
  readonly operator: string
  /** The value that it is compared with, if the filter says it. */
  readonly literal?: Bindable | undefined
}
