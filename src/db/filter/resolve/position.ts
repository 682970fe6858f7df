import type { AnyCollection } from '../../schema/collection.ts'
import type { Scope } from '../sql/scope.ts'

/** A position in the joined tables from which a path continues. */
export interface Position {
  readonly collection: AnyCollection
  readonly alias: string
  /** The path so far; paths with the same beginning share joins. */
  readonly key: string
  /** Whether the row may be absent. */
  readonly optional: boolean
  /** Whether one record may have several rows here. */
  readonly many: boolean
}

/** A path through relations to a value, starting at the position that `enter` joins. */
export interface Path {
  readonly full: string
  readonly props: readonly string[]
  /** True resolves undeclared names to NULL, since a request may target any collection. */
  readonly lenient: boolean
  enter(scope: Scope): Position
}
