/**
 * Comparison operators. With a `?` the comparison must hold for some related record, otherwise for every one.
 */
export const OPERATORS = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'] as const

/** An operator without the `?` prefix. */
export type Operator = (typeof OPERATORS)[number]

/** One side of a comparison. */
export type OperandAst =
  | { kind: 'identifier'; name: string }
  | { kind: 'number'; value: number }
  | { kind: 'text'; value: string }
  | { kind: 'call'; name: string; args: readonly OperandAst[] }

/** A filter as a tree; `and` and `or` have at least two terms. */
export type FilterAst =
  | { kind: 'and' | 'or'; terms: readonly FilterAst[] }
  | { kind: 'compare'; left: OperandAst; operator: Operator; any: boolean; right: OperandAst }
