import type { AnyCollection } from '../../schema/collection.ts'
import type { Scope } from '../sql/scope.ts'

/** A place in the joined tables from which a path goes on. */
export interface Position {
  readonly collection: AnyCollection
  readonly alias: string
  /** The path up to here: paths that begin alike share their joins. */
  readonly key: string
  /** Whether the row may be missing. */
  readonly optional: boolean
  /** Whether one record may have several rows here. */
  readonly many: boolean
}

/** A path through relations to a value, from the start that `enter` joins. */
export interface Path {
  readonly full: string
  readonly props: readonly string[]
  /** True makes NULL of names that are not declared, as requests may be of any collection. */
  readonly lenient: boolean
  enter(scope: Scope): Position
}
