import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NO_REQUEST } from '../../../src/db/filter/index.ts'
import { COLLECTIONS, type Database } from '../../../src/db/index.ts'
import { readPaging } from '../../../src/db/query/paging.ts'
import { createRecordQueries } from '../../../src/db/query/query.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { ALL, authors, idOf, ROOT, shops } from '../filter/library.ts'
import { listNow } from '../filter/list.ts'
import { openSeeded } from '../filter/seed.ts'

let library: Awaited<ReturnType<typeof openSeeded>>

beforeAll(async () => {
  library = await openSeeded()
})

afterAll(() => library[Symbol.asyncDispose]())

describe('list()', () => {
  const page = (request: object) =>
    library.db.read((tx) =>
      listNow(library.queries, tx, shops, { ...ALL, rule: '', requestInfo: ROOT, ...request }),
    )

  test('returns pages, counts all of them and echoes page and size', async () => {
    const second = await page({ page: 2, perPage: 3 })
    expect({ ...second, items: second.items.map(({ id }) => id[0]) }).toEqual({
      page: 2,
      perPage: 3,
      totalItems: 4,
      totalPages: 2,
      items: ['d'],
    })
    expect(await page({ page: 9, perPage: 3 })).toMatchObject({ page: 9, totalItems: 4, items: [] })
    expect(await page({ skipTotal: true })).toMatchObject({ totalItems: -1, totalPages: -1 })
  })

  test('returns whole records', async () => {
    const { items } = await page({ filter: 'stock = 5' })
    expect(items).toEqual(await library.db.read((tx) => tx.list(shops, { where: { id: idOf('a') } })))
    expect(items[0]).toMatchObject({ balance: 1.25, open: true, staff: [idOf('ann'), idOf('bob')] })
  })

  test('a rule for superusers only is forbidden to others, any other rule just hides', async () => {
    await expect(page({ rule: null, requestInfo: NO_REQUEST })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Only superusers can perform this action',
    })
    expect((await page({ rule: null })).totalItems).toBe(4)
    expect((await page({ rule: '@request.auth.id != ""', requestInfo: NO_REQUEST })).items).toEqual([])
    expect((await page({ rule: '@request.auth.id != ""' })).totalItems).toBe(4)
  })

  test('counts a row once even if several joined rows match', async () => {
    expect(await page({ filter: 'reviews_via_shop.stars ?> 0 && staff.rank ?> 0' })).toMatchObject({
      totalItems: 2,
    })
  })

  test('an invalid rule is an error of the program, not of the caller', async () => {
    await expect(page({ rule: 'nothing = 1', requestInfo: NO_REQUEST })).rejects.toThrow(TypeError)
  })

  test.skipIf(onlySqlite('its messages'))(
    'an expression that SQLite cannot evaluate is a bad filter',
    async () => {
      const long = await page({
        filter: 'title ~ @request.query.q',
        requestInfo: { ...ROOT, query: { q: 'x'.repeat(60_000) } },
      }).catch((error: unknown) => error)
      expect(long).toMatchObject({ code: 'invalid', reason: 'bad_filter' })
    },
  )
})

describe('view()', () => {
  const view = (id: string, rule: string | null, requestInfo = library.ann) =>
    library.db.read((tx) => library.queries.view(tx, shops, idOf(id), { rule, requestInfo }))

  test('returns the record when the rule shows it', async () => {
    expect(await view('a', 'owner = @request.auth.id')).toMatchObject({ title: 'Alpha_1' })
    expect(await view('b', 'owner = @request.auth.id')).toBeUndefined()
    expect(await view('x', '')).toBeUndefined()
    await expect(view('a', null)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await view('b', 'owner = @request.auth.id', ROOT)).toMatchObject({ title: 'beta%' })
  })
})

describe('test()', () => {
  test('tests stored records', async () => {
    const { ann, queries, db } = library
    const own = queries.test(shops, {
      rule: 'owner = @request.auth.id',
      requestInfo: ann,
      filter: 'stock > 1',
    })
    const hidden = queries.test(shops, { rule: null, requestInfo: ann })
    const found = await db.read((tx) => ['a', 'b', 'x'].map((id) => own.stored(tx, idOf(id), ann)))
    expect(found).toEqual([true, false, false])
    expect(await db.read((tx) => hidden.stored(tx, idOf('a'), ann))).toBe(false)
  })

  test('is valid for the kind of account that it was compiled for', async () => {
    const { ann, queries, db } = library
    const root = queries.test(shops, { rule: null, requestInfo: ROOT })
    const own = queries.test(shops, { rule: 'owner = @request.auth.id', requestInfo: ann })
    await db.read((tx) => {
      expect(() => root.stored(tx, idOf('a'), ann)).toThrow(TypeError)
      expect(() => own.values(tx, {}, NO_REQUEST)).toThrow(TypeError)
    })
  })

  test('tests values that are not stored, with the types of their columns', async () => {
    const { ann, queries, db } = library
    const isAllowed = (rule: string, values: Record<string, unknown>, body = values) => {
      const requestInfo = { ...ann, body }
      return db.read((tx) => queries.test(shops, { rule, requestInfo }).values(tx, values, requestInfo))
    }
    const mine = {
      owner: idOf('ann'),
      staff: [idOf('ann'), idOf('bob')],
      stock: '7',
      balance: 2.5,
      info: { a: 1 },
    }
    const rules: [rule: string, values: Record<string, unknown>, expected: boolean][] = [
      ['owner = @request.auth.id', mine, true],
      ['owner = @request.auth.id', {}, false],
      ['owner = "" || owner = @request.auth.id', {}, true],
      ['stock = 7 && stock > "6"', mine, true],
      ['balance = 2.5', mine, true],
      ['info.a = 1 && info.b = null', mine, true],
      ['info = null', {}, true],
      ['staff.rank ?= 10 && staff:length = 2', mine, true],
      ['staff.rank > 5', mine, false],
      ['owner.name = "ann"', mine, true],
      ['@request.body.stock:isset = true', mine, true],
      ['@request.body.stock:isset = true', {}, false],
      ['open = false && title = "" && created = "" && size = ""', {}, true],
      ['stock = 0', { stock: 'many' }, true],
      ['title ~ "x"', { title: { x: 1 } }, true],
      ['id = "given"', { id: 'given' }, true],
      ['reviews_via_shop.id = ""', { id: idOf('a') }, false],
      ['@collection.shops.title ?= "Alpha_1"', {}, true],
      ['__proto__ = 1 || id = ""', JSON.parse('{"__proto__": {"owner": "x"}}'), true],
    ]
    for (const [rule, values, expected] of rules) {
      if (rule.startsWith('__proto__')) await expect(isAllowed(rule, values)).rejects.toThrow(TypeError)
      else expect([rule, await isAllowed(rule, values)]).toEqual([rule, expected])
    }
  })

  test('a removed record has the same result as while it was stored', async () => {
    const { ann, queries, db } = library
    await using copy = await openSeeded()
    const record = await copy.db.read((tx) => tx.find(shops, idOf('a')))
    await copy.db.write('remove', (tx) => tx.remove(shops, idOf('a')))
    const own = queries.test(shops, {
      rule: 'owner = @request.auth.id && rating = 1.5 && open = true',
      requestInfo: ann,
    })
    expect(await copy.db.read((tx) => own.values(tx, { ...record }, ann))).toBe(true)
    expect(await copy.db.read((tx) => own.stored(tx, idOf('a'), ann))).toBe(false)
    expect(await db.read((tx) => own.stored(tx, idOf('a'), ann))).toBe(true)
  })
})

describe('expand()', () => {
  async function expanded(names: string, text: string, requestInfo = library.ann) {
    const found = await library.db.read((tx) => {
      const records = [...names].flatMap((name) => tx.find(shops, idOf(name)) ?? [])
      return library.queries.expand(tx, shops, records, text, requestInfo)
    })
    return found.map(short)
  }

  /** Records as the first letters of their ids, or the stars of reviews. */
  function short(each: { record: Record<string, unknown>; expand?: object }): unknown {
    const own = 'stars' in each.record ? each.record['stars'] : String(each.record['id'])[0]
    if (!each.expand) return own
    const related = Object.entries(each.expand).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(short) : short(value),
    ])
    return [own, Object.fromEntries(related)]
  }

  test('returns an object for a single relation and arrays for others, in stored order', async () => {
    expect(await expanded('ab', 'owner, staff')).toEqual([
      ['a', { owner: 'a', staff: ['a', 'b'] }],
      ['b', { owner: 'b', staff: ['b'] }],
    ])
    expect(await expanded('c', 'owner')).toEqual([['c', {}]])
  })

  test('follows back relations; a unique one is an object', async () => {
    expect(await expanded('a', 'owner.passports_via_author,passports_via_visited.visited')).toEqual([
      [
        'a',
        {
          owner: ['a', { passports_via_author: expect.anything() }],
          passports_via_visited: [expect.anything()],
        },
      ],
    ])
    expect(await expanded('a', 'reviews_via_shop', ROOT)).toEqual([['a', { reviews_via_shop: [5, 3] }]])
  })

  test('shows only what the view rule shows', async () => {
    expect(await expanded('ab', 'reviews_via_shop')).toEqual([
      ['a', { reviews_via_shop: [5] }],
      ['b', { reviews_via_shop: [5] }],
    ])
    expect(await expanded('c', 'reviews_via_shop')).toEqual([['c', {}]])
  })

  test('omits unknown names, fields without relation and what only superusers may view', async () => {
    for (const text of [
      '',
      'nothing',
      'title',
      'a.b.c',
      '__proto__',
      'vaults_via_owner',
      'x'.repeat(5_000),
    ]) {
      expect(await expanded('a', text)).toEqual(['a'])
    }
    expect(await expanded('a', 'owner.vaults_via_owner')).toEqual([['a', { owner: 'a' }]])
    expect(await expanded('a', 'owner.vaults_via_owner', ROOT)).toEqual([
      ['a', { owner: ['a', { vaults_via_owner: [expect.anything()] }] }],
    ])
  })

  test('follows six levels', async () => {
    const found = await library.db.read((tx) =>
      library.queries.expand(
        tx,
        authors,
        [...tx.list(authors)],
        Array.from({ length: 9 }, () => 'reviews_via_by.by').join('.'),
        ROOT,
      ),
    )
    const depth = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Math.max(0, ...Object.entries(value).map(([key, each]) => (key === 'expand' ? 1 : 0) + depth(each)))
        : 0
    expect(depth(found)).toBe(6)
  })
})

describe('filters', () => {
  test('of subscriptions must not follow back relations, except those of superusers', async () => {
    const { queries, ann } = library
    const filter = 'reviews_via_shop.stars ?= 5'
    expect(() => queries.test(shops, { rule: '', requestInfo: ann, filter })).toThrow(
      /A subscription cannot filter/,
    )
    const query = queries.test(shops, { rule: '', requestInfo: ROOT, filter })
    expect(await library.db.read((tx) => query.stored(tx, idOf('a'), ROOT))).toBe(true)
    const listed = queries.test(shops, { rule: '', requestInfo: ann, filter: 'staff.rank ?> 5' })
    expect(await library.db.read((tx) => listed.stored(tx, idOf('b'), ann))).toBe(true)
  })
})

describe('readPaging()', () => {
  test('has defaults and limits', () => {
    expect(readPaging({})).toEqual({ page: 1, perPage: 30, skipTotal: false })
    expect(readPaging({ page: '-3', perPage: '0', skipTotal: 'T' })).toEqual({
      page: 1,
      perPage: 30,
      skipTotal: true,
    })
    expect(readPaging({ page: '7', perPage: '5000', skipTotal: 'False' })).toEqual({
      page: 7,
      perPage: 1000,
      skipTotal: false,
    })
  })
  for (const query of [
    { page: 'x' },
    { page: '1.5' },
    { perPage: '1e3' },
    { perPage: 'NaN' },
    { skipTotal: 'yes' },
  ]) {
    test(`rejects ${JSON.stringify(query)}`, () => {
      expect(() => readPaging(query)).toThrow(/must be/)
    })
  }
  test('a page far beyond the end is not an error', async () => {
    const paging = readPaging({ page: '9'.repeat(40) })
    const { items } = await library.db.read((tx) =>
      listNow(library.queries, tx, shops, { ...paging, rule: '', requestInfo: ROOT }),
    )
    expect(items).toEqual([])
  })
})

describe.skipIf(onlySqlite('its plans'))('indexes', () => {
  async function plan(
    db: Database,
    collection: (typeof COLLECTIONS)[number],
    filter: string,
    rule: string,
  ): Promise<string> {
    const queries = createRecordQueries({ db })
    const seen: string[] = []
    await db.read((tx) => {
      const spy: typeof tx = {
        ...tx,
        all: (sql, params) => {
          seen.push(...tx.explain(sql, params))
          return tx.all(sql, params)
        },
      }
      const record = { id: idOf('me'), created: '', updated: '' }
      const requestInfo = { ...NO_REQUEST, auth: { collection: users, collectionId: '', record } }
      listNow(queries, spy, collection, { ...ALL, skipTotal: true, rule, filter, requestInfo })
    })
    return seen.join('; ')
  }

  const cases: [collection: string, filter: string, step: RegExp][] = [
    ['time_slots', '', /SEARCH b USING .*INDEX time_slots_booked_by_start_time \(booked_by=\?\)/],
    [
      'time_slots',
      'qpu.name ~ "x"',
      /SEARCH b USING .*INDEX time_slots_booked_by_start_time \(booked_by=\?\)/,
    ],
    [
      'qpu_time_requests',
      'status = "pending"',
      /INDEX qpu_time_requests_user_status \(user=\? AND status=\?\)/,
    ],
    ['users', '', /SEARCH b USING .*INDEX sqlite_autoindex_users_1 \(id=\?\)/],
    ['quantum_jobs', 'status = "running"', /INDEX quantum_jobs_status_qpu_unique \(status=\?\)/],
    ['quantum_jobs', 'user_id = "x"', /SEARCH b USING .*INDEX quantum_jobs_user_id/],
    ['events', 'type = "x" && ts > "2026"', /INDEX events_type_ts \(type=\? AND ts>\?\)/],
  ]
  for (const [name, filter, step] of cases) {
    test(`${name} ${filter || 'under its rule'} is searched, not scanned`, async () => {
      await using test = await openTestDatabase()
      const collection = COLLECTIONS.find((each) => each.name === name)
      if (!collection) throw new Error(name)
      expect(await plan(test.db, collection, filter, collection.rules.list ?? '')).toMatch(step)
    })
  }
})
