import { expect, test } from 'bun:test'
import { AppError } from '../../../src/base/index.ts'
import { type Condition, compileFilter, NO_REQUEST, parseFilter } from '../../../src/db/filter/index.ts'
import { createClientConditions } from '../../../src/db/query/client-filter.ts'
import { pickFields } from '../../../src/db/records/pick-fields.ts'
import { columnOf } from '../../../src/db/schema/collection.ts'
import { part } from '../../support/whole.ts'
import { LIBRARY, ROOT, shops } from './library.ts'
import { openSeeded } from './seed.ts'

const FILTERS = part(100_000, 15_000)
const EVERY = 25

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const NAMES = (
  'id title owner owner.name owner.friend.friend.friend.friend.friend.name staff staff.rank staff:each ' +
  'staff:length title:lower info info.a.0.b info.a:b info..x info.99999999999999999999 ' +
  'reviews_via_shop.stars passports_via_visited.author.email owner.email owner.secret owner.hash null ' +
  'TRUE false @now @todayEnd @weekday @request.auth.id @request.auth.rank @request.auth.friend.name ' +
  '@request.body.staff:each @request.body.owner.name @request.body.title:changed ' +
  '@request.body.x.y:isset @request.query.q @request.headers.h:lower @request.method ' +
  '@collection.vaults.code @collection.reviews:x.by.name balance constructor __proto__ toString.x _via_ ' +
  'shops_via_owner owner.shops_via_owner.staff.name zqx #a _'
).split(' ')
const TEXTS = [
  "''",
  '""',
  '"zq\' OR 1=1 --"',
  "'zq\"; DROP TABLE shops; --'",
  '"%zq%_\\\\"',
  '"\\u0000"',
  '"zq\u0000\ud800🎉"',
  "'2026-01-31'",
  '"5"',
  '"$p0 ?1 :a @b"',
] as const
const OPERATORS = '= != > >= < <= ~ !~ ?= ?!= ?~ ?< == <> =~ ?'.split(' ')
const MUTATIONS = [
  ...['"', "'", '\\', '(', ')', '&&', '||', '//', '\n', '\0', '.', ':', '@', '-', '%', ';', '--', '/*', '0'],
  ...['zq', '\u2028', '💥', ',', '='],
] as const

function generator(next: () => number) {
  const pick = <T>(list: readonly T[]): T => {
    const found = list[Math.floor(next() * list.length)]
    if (found === undefined) throw new Error('an empty list')
    return found
  }
  const operand = (): string => {
    const kind = next()
    if (kind < 0.55) return pick(NAMES)
    if (kind < 0.8) return pick(TEXTS)
    if (kind < 0.93) return pick(['0', '-1', '12.5', '007', '99999999999999999999', '1e5', '-0'])
    return pick([
      `strftime("%Y", ${pick(NAMES)})`,
      `strftime("%q", ${pick(TEXTS)}, "+1 day", "zq")`,
      `strftime("%H", "now")`,
      `geoDistance(${pick(NAMES)}, 1, ${pick(NAMES)}, 2)`,
      `zq(${pick(NAMES)})`,
      `strftime("%Y", strftime("%Y"))`,
    ])
  }
  const expression = (depth: number): string => {
    if (depth <= 0 || next() < 0.45) return `${operand()} ${pick(OPERATORS)} ${operand()}`
    const terms = Array.from({ length: 1 + Math.floor(next() * 3) }, () => expression(depth - 1))
    const inner = terms.join(pick([' && ', '||', '\t&&\n']))
    return next() < 0.7 ? `(${inner})` : inner
  }
  const mutated = (text: string): string => {
    let result = text
    for (let count = Math.floor(next() * 4); count > 0; count--) {
      const at = Math.floor(next() * (result.length + 1))
      const cut = next() < 0.5 ? 0 : Math.floor(next() * 6)
      result = result.slice(0, at) + (next() < 0.7 ? pick(MUTATIONS) : '') + result.slice(at + cut)
    }
    return result
  }
  return { filter: () => (next() < 0.5 ? expression(3) : mutated(expression(3))), mutated, pick }
}

const DECLARED = new Set(
  LIBRARY.flatMap((each) => [
    each.name,
    ...Object.entries(each.fields).map(([name, field]) => columnOf(name, field)),
  ]).concat('id', 'created', 'updated', 'seq', 'value'),
)
const WORDS = new Set(
  (
    'b AND OR NOT IS GLOB NULL NULLS FIRST LAST DISTINCT LIKE ESCAPE EXISTS SELECT FROM WHERE LEFT JOIN ON AS IN CASE WHEN THEN END CAST REAL DESC LIMIT ' +
    'one TRUE FALSE ELSE COALESCE LOWER json_each json_valid json_extract json_array_length strftime acos min cos sin radians random ' +
    'typeof abs format n e BETWEEN TEXT ' +
    'ILIKE VARIADIC ARRAY text json json_typeof double precision least svc_is_json svc_json_at svc_json_value svc_json_items ' +
    'svc_key svc_number_key svc_order_key svc_number svc_text svc_formatted'
  ).split(' '),
)
const CONSTANTS = new Set([
  "''",
  "'%'",
  "'\\'",
  "'$'",
  "'array'",
  "'+0 days'",
  "'[0-9][0-9][0-9][0-9]-*'",
  '0',
  '1',
  '0.0',
  '1.0',
  '1000.0',
  '6371',
  ...["'real'", "'%!.15g'", "'%!.16g'", '15', '16', '17'],
])
const TOKEN =
  /\s+|"(?<name>[^"]*)"|(?<constant>'[^']*'|\d+(?:\.\d+)?)|\$[fsr]\d+|j\d+\b|(?<word>[A-Za-z_]+)|<>|[<>=]=?|\|\||[(),.+\-*/[\]]/y

/** Text in SQL that comes neither from a declaration nor from the compiler. */
function foreignPart(sql: string): string | undefined {
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < sql.length) {
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(sql)?.groups
    if (!groups) return sql.slice(at)
    const { name, constant, word } = groups
    if (name !== undefined && !DECLARED.has(name)) return name
    if (constant !== undefined && !CONSTANTS.has(constant)) return constant
    if (word !== undefined && !WORDS.has(word)) return word
  }
  return undefined
}

function compiled(work: () => Condition | undefined): Condition | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof AppError && ['invalid', 'forbidden'].includes(error.code)) return undefined
    throw error
  }
}

test(`${FILTERS} generated and mutated filters produce errors or SQL without their text, which SQLite runs`, async () => {
  await using library = await openSeeded()
  const { db, ann } = library
  const seed = Date.now() % 2 ** 31
  const next = random(seed)
  const make = generator(next)
  const catalog = {
    collections: LIBRARY,
    names: db.names,
    dialect: db.dialect,
    rulesOf: (each: (typeof LIBRARY)[number]) => each.rules,
  }
  const client = createClientConditions(catalog)
  const requestInfo = [
    {
      ...ann,
      body: { staff: ['x', 5, {}], owner: ['zq'], title: { zq: 1 } },
      query: { q: "zq'--" },
      headers: { h: 'ZQ' },
    },
    ROOT,
    NO_REQUEST,
  ]
  const sqls = new Set<string>()
  const counts = { accepted: 0, run: 0 }
  await db.read((tx) => {
    for (let index = 0; index < FILTERS; index++) {
      const text = make.filter()
      const who = make.pick(requestInfo)
      const condition = compiled(() =>
        index % 3 === 0
          ? compileFilter(parseFilter(text), {
              ...catalog,
              collection: shops,
              caller: 'rule',
              authCollection: who.auth?.collection,
              prefix: 'r',
            })
          : client.filter(shops, text, who),
      )
      if (!condition) continue
      counts.accepted++
      sqls.add(condition.sql)
      if (index % EVERY !== 0) continue
      counts.run++
      const rows = () =>
        tx.all(`SELECT b."id" FROM "shops" AS b WHERE ${condition.sql}`, condition.bind(who, tx.now))
      expect({ seed, text, rows: Array.isArray(rows()) }).toEqual({ seed, text, rows: true })
    }
  })
  for (const sql of sqls)
    expect({ seed, sql, foreign: foreignPart(sql) }).toEqual({ seed, sql, foreign: undefined })
  expect([...sqls].some((sql) => /zq/i.test(sql))).toBe(false)
  expect(counts.accepted).toBeGreaterThan(FILTERS / 10)
  expect(counts.run).toBeGreaterThan(FILTERS / EVERY / 10)
}, 120_000)

test('generated sorts, expands and fields produce errors or responses', async () => {
  await using library = await openSeeded()
  const { db, ann, queries } = library
  const make = generator(random(Date.now() % 2 ** 31))
  const catalog = {
    collections: LIBRARY,
    names: db.names,
    dialect: db.dialect,
    rulesOf: (each: (typeof LIBRARY)[number]) => each.rules,
  }
  const client = createClientConditions(catalog)
  await db.read((tx) => {
    const records = tx.list(shops)
    for (let index = 0; index < 5_000; index++) {
      const text = make.mutated(
        Array.from({ length: 1 + (index % 3) }, () => make.pick(['', '-', '+']) + make.pick(NAMES)).join(','),
      )
      const who = make.pick([ann, ROOT])
      const order = compiled(() => client.sort(shops, text, who))
      if (order && 'orderBy' in order) {
        expect({ text, foreign: foreignPart(String(order.orderBy)) }).toEqual({ text, foreign: undefined })
        const where = order.sql === '' ? '' : ` WHERE ${order.sql}`
        tx.all(`SELECT b."id" FROM "shops" AS b${where} ORDER BY ${order.orderBy}`, order.bind(who, tx.now))
      }
      if (index % 10 === 0) expect(queries.expand(tx, shops, records, text, who)).toHaveLength(records.length)
      compiled(() => {
        pickFields(records, text)
        return undefined
      })
    }
  })
}, 60_000)

test('the largest allowed filters run', async () => {
  await using library = await openSeeded()
  const terms = ['stock=5', 'staff.id!=id', 'info.n=5', 'title~"x"', 'owner.name="x"']
  const wide = Array.from({ length: 200 }, (_, index) => terms[index % terms.length]).join('||')
  expect(await library.found(wide)).toBe('abcd')
  const deep = `${'(stock=5&&(title~"x"||'.repeat(15)}stock=5${'))'.repeat(15)}`
  expect(await library.found(deep)).toBe('a')
  const hops = `${'friend.'.repeat(5)}name`
  expect(await library.found(`owner.${hops} = ""`)).toBe('abcd')
  await expect(library.found(`owner.friend.${hops} = ""`)).rejects.toThrow(/more than 6 relations/)
  // Each path has its own joins; SQLite itself would reject the 65th table with an obscure message.
  const paths = LIBRARY_PATHS.flatMap((path) => [`${path}.name ?= "x"`, `${path}.friend.name ?= "x"`])
  await expect(library.found(paths.join('||'))).rejects.toThrow(/too many relations/)
  expect(await library.found(paths.slice(0, 20).join('||'))).toBe('')
})

const LIBRARY_PATHS = ['owner', 'staff'].flatMap((start) =>
  [
    'shops_via_owner.owner',
    'shops_via_owner.staff',
    'shops_via_staff.owner',
    'shops_via_staff.staff',
  ].flatMap((way) => [
    `${start}.${way}`,
    `${start}.${way}.friend`,
    `${start}.friend.${way}`,
    `${start}.friend.${way}.friend`,
  ]),
)
