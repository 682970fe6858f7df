import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError, toTimestamp } from '../../../src/base/index.ts'
import type { Dialect } from '../../../src/db/engine/dialect.ts'
import type { Bindable } from '../../../src/db/engine/sql.ts'
import type { OperandAst } from '../../../src/db/filter/language/ast.ts'
import type { ReadTx, Tx } from '../../../src/db/records/tx.ts'
import { openOnFile, openOnServer } from '../../support/database.ts'
import { postgresMissing, sharedServer, startServer } from '../../support/postgres/server.ts'
import { part } from '../../support/whole.ts'
import { filterOf, operand, written } from '../filter/arbitrary.ts'
import { ALL, authors, idOf, openLibrary, ROOT, reviews, shops, type TestLibrary } from '../filter/library.ts'
import { listNow } from '../filter/list.ts'

// SQLite and PostgreSQL give the same answers to the same questions, also where their own functions differ.

/** Texts that one of them could take for something else: numbers, patterns, JSON, white space. */
const text = fc.oneof(
  fc.constantFrom(
    ...['', 'a', 'A', 'ä', 'Ä', 'ß', 'İ', '5', '5.0', '1e3', ' 5', '5 ', '+5', '.5', '5.', '-0'],
  ),
  fc.constantFrom(...['[', '"', "'", '\\', '%', '_', '%\\', '\\%', '\\%\\', 'a%\\', '%a\\\\', '\\_', '🎉\\']),
  fc.constantFrom(...['0x1f', 'inf', 'NaN', 'Infinity', '9223372036854775808', '1e999', '1e-999', '-1e99']),
  fc.string({ unit: fc.constantFrom('\\', '%', '_', 'a', 'B', '[', '"', '1', '.', ' ', 'é'), maxLength: 5 }),
)
/** Numbers whose text both write with the same digits: SQLite may round the last of 17 in another way. */
const double = fc.oneof(
  fc.constantFrom(0, 0.5, -0.5, 2.5, 0.1, 1e15, 1e16, 1e17, 1e21, 1e-4, 1e-5, 1e-7, 1e300, -1e300),
  fc.constantFrom(2 ** 53, 2 ** 62, 1e19, -1e19, 12e18, 92e17, 5e20),
  fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1e3),
  fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 })
    .filter((value) => Math.abs(value) > 1e-300)
    .map((value) => Number(value.toPrecision(16))),
)
const moment = (from: string, to: string) =>
  fc
    .date({ min: new Date(from), max: new Date(to), noInvalidDate: true })
    .map(Number)
    .map(toTimestamp)
const stored = fc.oneof(moment('1500-01-01', '9000-01-01'), moment('2023-12-01', '2027-02-01'))
/** Times as callers write them, and texts that are none. */
const time = fc.oneof(
  { weight: 2, arbitrary: stored },
  fc.constantFrom('2026-01-31', '2026-01-31 09', '2026-01-31 09:05', '2026-02-30', '2026-13-01', '2026-1-1'),
  fc.constantFrom('2026-01-31T09:05:07.9999Z', '2026-01-31 24:00', '2026-01-31 23:59:60', '2026-00-10'),
  fc.constantFrom('2026-01-31 09:05+05:30', '2026-01-31 09:05:07.12345-14:00', '2026-01-31Z', '2026-01-31T'),
  fc.constantFrom(
    '12:30',
    'now',
    '0',
    '2460000.5',
    '-2026-01-01',
    ' 2026-01-31',
    '2026-01-31 ',
    '2026-04-31Tx',
  ),
)
const format = fc.oneof(
  fc.constantFrom(...Array.from('defFgGHIjJklmMpPRsSTuUVwWYqNC%', (letter) => `%${letter}`), '%', '', 'ä%d%'),
  fc
    .array(fc.constantFrom('%Y', '%m', '%f', '%J', '-', '%%', 'd'), { maxLength: 4 })
    .map((all) => all.join('')),
)
const modifier = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('+', '-', ''),
      fc.constantFrom('0', '1', '01', '7', '13', '1.5', '0.25', '400'),
      fc.constantFrom('day', 'hour', 'minute', 'second', 'month', 'year', 'Day'),
      fc.constantFrom('', 's'),
    )
    .map(([sign, amount, unit, several]) => `${sign}${amount} ${unit}${several}`),
  fc.constantFrom('start of day', 'start of month', 'Start of Year', 'weekday 0', 'weekday 3', 'WEEKDAY 6'),
)

type Values = Record<string, Bindable>

const is = (condition: string) => `CASE WHEN ${condition} THEN 1 ELSE 0 END`

/** What each function of the dialect is asked, and the answer where the server computes it, too. */
const QUESTIONS: Record<
  string,
  [
    values: Record<string, fc.Arbitrary<Bindable>>,
    sql: (dialect: Dialect) => string,
    known?: (params: Values) => unknown,
  ]
> = {
  'seconds as ms': [
    {
      a: fc.oneof(
        fc.constant(0.5005),
        fc.integer({ min: 0, max: 2e5 }).map((value) => value / 1e4),
      ),
    },
    ({ rounded }) => rounded('$a * 1000'),
    ({ a }) => Math.round(Number(a) * 1000),
  ],
  'rounded numbers': [
    { a: double.filter((value) => Math.abs(value) < 2 ** 53) },
    ({ rounded }) => rounded('$a'),
  ],
  'numbers in texts': [{ a: text }, ({ number }) => is(`radians(${number('$a')}) > 0.02`)],
  'seconds of times': [{ a: stored }, ({ unixSeconds }) => unixSeconds('$a')],
  'time between': [
    { a: stored, b: stored },
    ({ millisecondsBetween, rounded }) => rounded(millisecondsBetween('$a', '$b')),
  ],
  'texts of numbers': [{ a: double.filter((value) => !Number.isInteger(value)) }, ({ text }) => text('$a')],
  patterns: [{ a: text, b: text }, ({ like }) => is(like('$a', `('%' || $b || '%')`))],
  parts: [{ a: text, b: text }, ({ contains }) => is(contains('$a', '$b'))],
  months: [{ a: fc.integer({ min: -1e9, max: 1e10 }) }, ({ monthOf }) => monthOf('$a')],
  formats: [{ a: time, b: format }, ({ formatted }) => formatted('$a', '$b', [])],
  modifiers: [
    { a: time, b: modifier, c: modifier },
    ({ formatted }) => formatted('$a', "'%Y-%m-%d %H:%M:%f'", ['$b', '$c']),
  ],
}

const json = fc.oneof(
  double,
  text,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(double, text), { maxLength: 2 }),
)
const shop = fc.record({
  ...{ title: text, rating: double, open: fc.boolean(), balance: fc.constantFrom(0, 0.5005, 1.25) },
  staff: fc.subarray(['ann', 'bob', 'cyd'].map(idOf)),
  owner: fc.constantFrom('', idOf('ann'), idOf('bob')),
  stock: fc.integer({ min: -3, max: 12 }),
  opened: fc.oneof(fc.constant(''), stored),
  info: fc.oneof(json, fc.record({ n: double, s: fc.oneof(text, time), l: json }, { requiredKeys: [] })),
})
const ONE = [
  ...['title', 'title:lower', 'rating', 'stock', 'info', 'info.n', 'info.s', 'info.l.0', 'info.0', 'opened'],
  ...['info.n:lower', 'info.s:lower', 'owner.name', 'balance'],
]
const NAMES = [...ONE, 'staff.name', 'reviews_via_shop.text', '@request.query.t', '@request.query.n', '@now']
const textOf = (value: string): OperandAst => ({ kind: 'text', value })
const name = fc.constantFrom(...NAMES).map((each): OperandAst => ({ kind: 'identifier', name: each }))
const call = fc.tuple(format.map(textOf), fc.oneof(name, time.map(textOf)), modifier.map(textOf))
const side = fc.oneof<fc.Arbitrary<OperandAst>[]>(
  ...[name, operand, text.map(textOf)],
  fc.integer({ min: -1e6, max: 1e6 }).map((value) => ({ kind: 'number', value: value / 1e3 })),
  call.map((args) => ({ kind: 'call', name: 'strftime', args })),
)
const list = fc.record({
  filter: filterOf(side).map(written),
  sort: fc.constantFrom('', ...ONE.flatMap((each) => [each, `-${each}`])),
})

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never

/** The library has these shops, and people and reviews with their texts, and nothing else. */
function fill(tx: Tx, rows: readonly Drawn<typeof shop>[]): void {
  for (const each of [reviews, shops, authors] as const) {
    for (const { id } of tx.list(each)) tx.remove(each, id)
  }
  const at = (index: number) => rows[index % rows.length]?.title ?? ''
  for (const [index, each] of ['ann', 'bob', 'cyd'].entries()) {
    tx.insert(authors, { id: idOf(each), name: at(index) })
  }
  rows.forEach((each, index) => {
    const { id } = tx.insert(shops, { ...each, id: idOf(`s${index}s`) })
    const review = { id: idOf(`r${index}r`), shop: id, text: at(index + 3), by: idOf('ann') }
    if (index % 3 === 0) tx.insert(reviews, review)
  })
}

/** What `work` returns, or the message of its error. */
function outcomeOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

describe.skipIf(postgresMissing !== undefined)('SQLite and PostgreSQL', () => {
  const opened = new AsyncDisposableStack()
  let file: TestLibrary
  let server: TestLibrary
  beforeAll(async () => {
    const started = sharedServer() ?? opened.use(await startServer())
    file = opened.use(await openLibrary(openOnFile))
    server = opened.use(await openLibrary((options) => openOnServer(started, options)))
  }, 60_000)
  afterAll(() => opened.disposeAsync())

  /** Asks both the same. */
  async function agree(
    question: unknown,
    ask: (tx: ReadTx, library: TestLibrary) => unknown,
  ): Promise<unknown> {
    const answers = [file, server].map((library) =>
      library.db.read((tx) => outcomeOf(() => ask(tx, library))),
    )
    const [ours, theirs] = await Promise.all(answers)
    expect([question, theirs]).toEqual([question, ours])
    return ours
  }

  test.each(Object.entries(QUESTIONS))(
    'agree on %s',
    async (_, [values, sql, known]) => {
      const ask = async (params: Values) => {
        const answer = await agree(params, (tx) => tx.one(`SELECT ${sql(tx.dialect)} AS value`, params))
        if (known) expect([params, answer]).toEqual([params, { value: known(params) }])
      }
      await fc.assert(fc.asyncProperty(fc.record(values), ask), { numRuns: part(3_000, 150) })
    },
    120_000,
  )

  test('read what was written, however long or short the values of a list are', async () => {
    // Lists of short values leave the thread of PostgreSQL as JSON, others as a copy.
    const unit = fc.constantFrom('a', '"', '\\', '\n', '\u2028', 'é', '🎉', "'", '\u0001')
    const short = fc.string({ unit, maxLength: 12 })
    const size = fc.oneof(fc.constantFrom(8_191, 8_192, 8_193), fc.integer({ min: 4_000, max: 40_000 }))
    const sized = fc.oneof(
      { weight: 4, arbitrary: short },
      fc.tuple(short, size).map(([each, length]) => (each || 'x').repeat(length).slice(0, length)),
    )
    const whole = sized.map((value) => value.replace(/[\ud800-\udbff]$/, '').toWellFormed())
    const row = fc.record({
      title: short.map((value) => value.toWellFormed()),
      info: fc.oneof(
        fc.constant(null),
        whole,
        fc.record({ text: whole, list: fc.array(double, { maxLength: 3 }) }),
      ),
      rating: fc.oneof(double, fc.constantFrom(1e308, -1e308, 5e-324)),
      stock: fc.integer(),
      open: fc.boolean(),
      balance: fc.constantFrom(0, 0.5, 1.25),
    })
    const compare = async (rows: Drawn<typeof row>[]) => {
      const written = rows.map((each, index) => ({ ...each, id: idOf(`s${index}s`) }))
      for (const { db } of [file, server]) {
        await db.write('write', (tx) => {
          fill(tx, [])
          for (const each of written) tx.insert(shops, each)
        })
        const read = await db.read((tx) => tx.list(shops))
        const byId = new Map(read.map((each) => [each.id, each]))
        expect(written.map(({ id }) => byId.get(id))).toMatchObject(written)
      }
      const times = { seq: 0, created: '', updated: '' }
      await agree('all', (tx) =>
        tx.all<Values>('SELECT * FROM shops ORDER BY id').map((each) => ({ ...each, ...times })),
      )
    }
    const lists = fc.array(row, { minLength: 1, maxLength: 6 })
    await fc.assert(fc.asyncProperty(lists, compare), { numRuns: part(300, 30) })
  }, 300_000)

  test('find the same records, in the same order', async () => {
    const world = fc.array(shop, { minLength: 9, maxLength: 9 })
    const lists = fc.array(list, { minLength: 40, maxLength: 40 })
    const compare = async (rows: Drawn<typeof shop>[], asked: Drawn<typeof list>[]) => {
      for (const { db } of [file, server]) await db.write('world', (tx) => fill(tx, rows))
      const requestInfo = { ...ROOT, query: { t: rows[0]?.title ?? '', n: '5' } }
      for (const each of asked)
        await agree(each, (tx, { queries }) =>
          listNow(queries, tx, shops, { ...ALL, ...each, rule: '', requestInfo }).items.map(({ id }) => id),
        )
    }
    await fc.assert(fc.asyncProperty(world, lists, compare), { numRuns: part(100, 8) })
  }, 300_000)
})
