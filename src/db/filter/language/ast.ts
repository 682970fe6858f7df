/** How two operands are compared; the forms with `?` ask for some related record, the others for every one. */
export const OPERATORS = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'] as const

/** A comparison without its any-of mark. */
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
