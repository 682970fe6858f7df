import fc from 'fast-check'
import { type FilterAst, parseFilter } from '../../../src/db/filter/index.ts'
import type { OperandAst } from '../../../src/db/filter/language/ast.ts'
import { idOf } from './library.ts'
import { SENT } from './reference.ts'

const AUTHORS = ['ann', 'bob', 'cyd'] as const
const SHOPS = ['a', 'b', 'c', 'd'] as const

const author = fc.constantFrom(...AUTHORS.map(idOf))
const maybeAuthor = fc.oneof(author, fc.constant(''))
const word = fc.constantFrom('', 'x', 'X', 'ab', 'a_b', 'a%', 'a\\b', '5', '12', '5.0')
const few = fc.constantFrom(0, 1, 5, 12, -1)
const real = fc.constantFrom(0, 1.5, 5, 12, -2.25)
const day = fc.constantFrom('', '2026-01-31 09:05:00.000Z', '2026-02-01 00:00:00.000Z')
const info = fc.oneof(
  fc.constant(null),
  fc.constantFrom<unknown>('x', 5, true, [1, 'y'], []),
  fc.record(
    { n: fc.oneof(few, real, word), s: word, b: fc.boolean(), l: fc.constantFrom([1, 'x'], [[2]], []) },
    { requiredKeys: [] },
  ),
)

/** Values of a small library: the same ids, random contents. */
export const world = fc.record({
  authors: fc.tuple(
    ...AUTHORS.map((id) =>
      fc.record({
        id: fc.constant(idOf(id)),
        name: word,
        rank: real,
        emailVisibility: fc.boolean(),
        friend: maybeAuthor,
      }),
    ),
  ),
  shops: fc.tuple(
    ...SHOPS.map((id) =>
      fc.record({
        id: fc.constant(idOf(id)),
        title: word,
        owner: maybeAuthor,
        staff: fc.uniqueArray(author, { maxLength: 3 }),
        stock: few,
        rating: real,
        open: fc.boolean(),
        opened: day,
        size: fc.constantFrom('', 'small', 'large'),
        info,
        balance: fc.constantFrom(0, 1.25, 5),
      }),
    ),
  ),
  reviews: fc.array(
    fc.record({
      shop: fc.constantFrom('', ...SHOPS.map(idOf)),
      by: maybeAuthor,
      stars: fc.constantFrom(0, 3, 5),
      text: word,
    }),
    { maxLength: 5 },
  ),
  passports: fc.uniqueArray(
    fc.record({
      author,
      number: word,
      visited: fc.uniqueArray(fc.constantFrom(...SHOPS.map(idOf)), { maxLength: 3 }),
    }),
    { maxLength: 3, selector: (each) => each.author },
  ),
})

const PLAIN = [
  'id',
  'title',
  'owner',
  'staff',
  'stock',
  'rating',
  'open',
  'opened',
  'size',
  'balance',
  'title:lower',
  'staff:length',
]
const JSON_PATHS = ['info', 'info.n', 'info.s', 'info.b', 'info.l', 'info.l.0', 'info.none', 'info.s:lower']
const ONE = [
  'owner.name',
  'owner.rank',
  'owner.id',
  'owner.friend.name',
  'owner.friend.rank',
  'owner.passports_via_author.number',
]
const MANY = [
  'staff.name',
  'staff.rank',
  'staff.id',
  'staff:each',
  'staff.friend.name',
  'reviews_via_shop.stars',
  'reviews_via_shop.text',
  'reviews_via_shop.by.name',
  'passports_via_visited.number',
  'passports_via_visited.author.name',
  'owner.reviews_via_by.stars',
  'owner.reviews_via_by.text',
]

const SENT_NAMES = [...Object.keys(SENT), 'none'].map((each) => `@request.query.${each}`)

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 2, arbitrary: fc.constantFrom(...JSON_PATHS.filter((each) => !each.endsWith(':lower'))) },
  { weight: 3, arbitrary: fc.constantFrom(...ONE) },
  { weight: 4, arbitrary: fc.constantFrom(...MANY) },
)
export const operand: fc.Arbitrary<OperandAst> = fc.oneof(
  { weight: 5, arbitrary: name.map((each): OperandAst => ({ kind: 'identifier', name: each })) },
  {
    weight: 3,
    arbitrary: fc
      .oneof(word, day, fc.constantFrom(idOf('ann'), idOf('a'), 'small', 'A_', '%b', '\\%', '_', '[]'))
      .map((value): OperandAst => ({ kind: 'text', value })),
  },
  { weight: 2, arbitrary: fc.oneof(few, real).map((value): OperandAst => ({ kind: 'number', value })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('null', 'true', 'false', ...SENT_NAMES)
      .map((each): OperandAst => ({ kind: 'identifier', name: each })),
  },
)

/** Filters with such operands, as trees. */
export function filterOf(side: fc.Arbitrary<OperandAst>): fc.Arbitrary<FilterAst> {
  const comparison: fc.Arbitrary<FilterAst> = fc.record({
    kind: fc.constant('compare' as const),
    left: side,
    operator: fc.constantFrom('=', '!=', '>', '>=', '<', '<=', '~', '!~'),
    any: fc.boolean(),
    right: side,
  })
  return fc.letrec<{ node: FilterAst }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      { weight: 3, arbitrary: comparison },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          terms: fc.array(tie('node'), { minLength: 2, maxLength: 3 }),
        }),
      },
    ),
  })).node
}

/** Filters on shops. */
export const filter = filterOf(operand)

/** The text of a tree. */
export function written(ast: FilterAst): string {
  if (ast.kind === 'compare') {
    return `${operandText(ast.left)} ${ast.any ? '?' : ''}${ast.operator} ${operandText(ast.right)}`
  }
  return `(${ast.terms.map(written).join(ast.kind === 'and' ? ' && ' : '||')})`
}

function operandText(ast: OperandAst): string {
  switch (ast.kind) {
    case 'identifier':
      return ast.name
    case 'number':
      return String(ast.value)
    case 'text':
      return JSON.stringify(ast.value)
    case 'call':
      return `${ast.name}(${ast.args.map(operandText).join(', ')})`
  }
}

/** The same filter as the parser reads its text. */
export function reread(ast: FilterAst): FilterAst {
  return parseFilter(written(ast))
}
