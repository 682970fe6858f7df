import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NO_REQUEST, type RequestInfo } from '../../../src/db/filter/index.ts'
import { ALL, idOf, ROOT, shops } from './library.ts'
import { listNow } from './list.ts'
import { openSeeded } from './seed.ts'

let library: Awaited<ReturnType<typeof openSeeded>>

beforeAll(async () => {
  library = await openSeeded()
})

afterAll(() => library[Symbol.asyncDispose]())

type Row = [filter: string, shops: string]

describe('@request', () => {
  const requestInfo: RequestInfo = {
    ...ROOT,
    method: 'PATCH',
    query: { q: 'small' },
    headers: { x_kind: 'large' },
    body: {
      title: 'New',
      stock: '12',
      staff: [idOf('bob'), idOf('cyd')],
      owner: idOf('ann'),
      info: { s: 'x' },
      size: '',
      open: true,
      none: null,
    },
  }
  const cases: Row[] = [
    ['@request.method = "PATCH"', 'abcd'],
    ['@request.context = "default"', 'abcd'],
    ['size = @request.query.q', 'a'],
    ['size = @request.headers.x_kind', 'c'],
    ['size = @request.query.none', 'bd'],
    ['@request.query.q:isset = true', 'abcd'],
    ['@request.query.none:isset = true', ''],
    ['@request.body.title:isset = true && @request.body.rating:isset = false', 'abcd'],
    ['@request.body.none:isset = true', 'abcd'],
    ['@request.body.toString:isset = false', 'abcd'],
    ['stock = @request.body.stock', 'b'],
    ['@request.body.stock > 5', 'abcd'],
    ['@request.body.title:lower = "new"', 'abcd'],
    ['@request.body.staff:length = 2', 'abcd'],
    ['@request.body.size:length = 0', 'abcd'],
    [`@request.body.staff:each = "${idOf('bob')}"`, ''],
    [`@request.body.staff:each ?= "${idOf('bob')}"`, 'abcd'],
    ['@request.body.staff.name ?= "bob"', 'abcd'],
    ['@request.body.staff.name = "bob"', ''],
    ['@request.body.owner.name = "ann"', 'abcd'],
    ['@request.body.owner.friend.name = ""', 'abcd'],
    ['@request.body.owner.nothing = null', 'abcd'],
    ['@request.body.info.s = "x"', 'abcd'],
    ['@request.body.open = true', 'abcd'],
    ['@request.body.unknown = null', 'abcd'],
    ['@request.body.stock:changed = true', 'acd'],
    ['@request.body.owner:changed = false', 'a'],
    ['@request.body.rating:changed = false', 'abcd'],
    ['@request.auth.collectionName = "_superusers"', 'abcd'],
    ['@request.auth.email = "root@lab.org"', 'abcd'],
    ['title ~ @request.query.none', ''],
  ]
  for (const [filter, shopsFound] of cases) {
    test(`${filter} finds ${shopsFound || 'nothing'}`, async () => {
      expect(await library.found(filter, requestInfo)).toBe(shopsFound)
    })
  }

  async function ruled(rule: string, who: RequestInfo): Promise<string> {
    const page = await library.db.read((tx) =>
      listNow(library.queries, tx, shops, { ...ALL, rule, requestInfo: who }),
    )
    return page.items.map(({ id }) => id[0]).join('')
  }

  test('auth fields follow the own row; for guests they are NULL', async () => {
    expect(await ruled('owner = @request.auth.id', library.ann)).toBe('a')
    expect(await ruled('owner = @request.auth.id', NO_REQUEST)).toBe('c')
    expect(await ruled('@request.auth.rank = 3', library.ann)).toBe('abcd')
    expect(await ruled('@request.auth.rank = null', NO_REQUEST)).toBe('abcd')
    expect(await ruled('@request.auth.secret = "s1"', library.ann)).toBe('abcd')
    expect(await ruled('@request.auth.reviews_via_by.shop ?= id', library.ann)).toBe('a')
    expect(await ruled('@request.auth.nothing = null', library.ann)).toBe('abcd')
    expect(await ruled('@request.auth.id != "" && staff.id ?= @request.auth.id', library.ann)).toBe('a')
    expect(await ruled('staff.id != @request.auth.id', library.ann)).toBe('bcd')
    expect(await ruled('@request.auth.emailVisibility = true', library.ann)).toBe('abcd')
  })
})

describe('clients', () => {
  test('use no hidden or internal fields, at any position of a path', async () => {
    for (const filter of ['owner.secret = "s1"', 'owner.hash = ""', 'owner.secret:lower = "x"']) {
      await expect(library.found(filter, library.ann)).rejects.toThrow(/secret|hash/)
    }
    expect(await library.found('owner.secret = "s1"', ROOT)).toBe('a')
    await expect(library.found('owner.hash = ""', ROOT)).rejects.toThrow(/no field "hash"/)
  })

  test('may not use the request or other collections, not even inside a text', async () => {
    for (const filter of ['@request.auth.id = ""', '@collection.vaults.code = ""', 'title = "@request."']) {
      await expect(library.found(filter, library.ann)).rejects.toMatchObject({ code: 'forbidden' })
    }
    await expect(library.found('', library.ann, '@request.auth.id')).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('cannot join records that they may not list', async () => {
    await expect(library.found('owner.vaults_via_owner.code = "42"', library.ann)).rejects.toMatchObject({
      code: 'invalid',
    })
    expect(await library.found('owner.vaults_via_owner.code = "42"', ROOT)).toBe('a')
  })

  test('join only the rows that the list rule shows them', async () => {
    expect(await library.found('reviews_via_shop.stars ?= 3', library.ann)).toBe('')
    expect(await library.found('reviews_via_shop.stars ?= 5', library.ann)).toBe('a')
    // The condition applies to the whole query, so an alternative does not add rows back.
    expect(await library.found('reviews_via_shop.stars ?= 5 || 1 = 1', library.ann)).toBe('ad')
    // All visible ones: the other review of the shop does not count.
    expect(await library.found('reviews_via_shop.stars = 5', library.ann)).toBe('a')
    expect(await library.found('', library.ann, 'reviews_via_shop.stars')).toBe('da')
  })

  test('compare every related record that the caller may list, and find nothing without one', async () => {
    const found = (filter: string) => library.found(filter, library.ann)
    // Of a's reviews with 5 and 3 stars ann sees hers with 5; those of b and c are others'; d has none.
    expect(await found('reviews_via_shop.stars = 5')).toBe('a')
    expect(await found('reviews_via_shop.stars ?= 5')).toBe('a')
    expect(await found('reviews_via_shop.stars = 3')).toBe('')
    expect(await found('reviews_via_shop.stars ?= 3')).toBe('')
    expect(await found('reviews_via_shop.stars != 4')).toBe('ad')
    expect(await found('reviews_via_shop.stars ?!= 4')).toBe('ad')
    expect(await library.found('reviews_via_shop.stars = 5')).toBe('b')
    expect(await library.found('reviews_via_shop.stars ?= 5')).toBe('ab')
  })

  test('find e-mails only when these are visible, and cannot sort by those of others', async () => {
    expect(await library.found('owner.email ~ "x.org"', library.ann)).toBe('a')
    expect(await library.found('owner.email = "bob@x.org"', library.ann)).toBe('')
    expect(await library.found('owner.email != "ann@x.org"', library.ann)).toBe('')
    expect(await library.found('staff.email != "bob@x.org"', library.ann)).toBe('a')
    expect(await library.found('owner.email ~ "x.org"', ROOT)).toBe('ab')
    expect(await library.found('', library.ann, 'owner.email,title')).toBe('cdba')
  })

  test('cannot widen the rule by an alternative', async () => {
    const page = await library.db.read((tx) =>
      listNow(library.queries, tx, shops, {
        ...ALL,
        rule: 'owner.name = "bob"',
        requestInfo: library.ann,
        filter: '1 = 2 || 1 = 1',
      }),
    )
    expect(page.items.map(({ id }) => id[0]).join('')).toBe('b')
  })
})

describe('sort', () => {
  const cases: [sort: string, shops: string][] = [
    ['', 'abcd'],
    ['title', 'cadb'],
    ['-title', 'bdac'],
    ['+stock', 'cdab'],
    ['-stock,title', 'bacd'],
    [' title:lower , id', 'cdab'],
    ['owner.name', 'cabd'],
    ['-owner.name', 'dbac'],
    ['info.n,-title', 'bdca'],
    ['-@rowid', 'dcba'],
    ['balance,-id', 'dbac'],
  ]
  for (const [sort, shopsFound] of cases) {
    test(`"${sort}" returns ${shopsFound}`, async () =>
      expect(await library.found('', ROOT, sort)).toBe(shopsFound))
  }

  test('@random returns every record', async () => {
    expect([...(await library.found('', ROOT, '@random'))].sort().join('')).toBe('abcd')
  })

  const bad = [
    'nothing',
    'title,,id',
    ',',
    'true',
    '"x"',
    '5',
    'title desc',
    '@now',
    '@request.method',
    'a.b',
    '-',
    `${'a'.repeat(256)}`,
    'id,id,id,id,id,id,id,id,id',
    'title;DROP',
    'info."x',
    'secret',
  ]
  for (const sort of bad) {
    test(`"${sort.slice(0, 20)}" is rejected`, async () => {
      await expect(library.found('', ROOT, sort)).rejects.toMatchObject({
        code: 'invalid',
        reason: 'bad_filter',
      })
    })
  }
})
