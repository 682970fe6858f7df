import { superusers } from '../../../src/db/collections/superusers.ts'
import { NO_REQUEST, type RequestInfo } from '../../../src/db/filter/index.ts'
import type { Database, Schema } from '../../../src/db/index.ts'
import { createRecordQueries, type RecordQueries } from '../../../src/db/query/query.ts'
import type { AnyCollection, RecordOf } from '../../../src/db/schema/collection.ts'
import { defineCollection } from '../../../src/db/schema/collection.ts'
import {
  bool,
  date,
  email,
  integer,
  json,
  number,
  optionalChoice,
  relation,
  relations,
  seconds,
  text,
} from '../../../src/db/schema/fields/index.ts'
import { openTestDatabase, type TestDatabase } from '../../support/database.ts'

const OPEN = { list: '', view: '', create: '', update: '', remove: '' }

/** Accounts with every kind of hidden field. */
export const authors = defineCollection({
  name: 'authors',
  type: 'auth',
  fields: {
    email: email(),
    emailVisibility: bool(),
    name: text(),
    rank: number(),
    secret: text({ hidden: true }),
    hash: text({ internal: true }),
    friend: relation('authors'),
  },
  rules: OPEN,
})

/** Every kind of field. */
export const shops = defineCollection({
  name: 'shops',
  fields: {
    title: text(),
    owner: relation('authors'),
    staff: relations('authors'),
    stock: integer(),
    rating: number(),
    open: bool(),
    opened: date(),
    size: optionalChoice(['small', 'large']),
    info: json(),
    balance: seconds({ column: 'balance_ms' }),
  },
  rules: OPEN,
})

/** Only the author sees them in lists. */
export const reviews = defineCollection({
  name: 'reviews',
  fields: {
    shop: relation('shops', { cascade: true }),
    by: relation('authors'),
    stars: number(),
    text: text(),
  },
  rules: { ...OPEN, list: 'by = @request.auth.id', view: 'by = @request.auth.id || stars = 5' },
})

/** Only superusers see them. */
export const vaults = defineCollection({
  name: 'vaults',
  fields: { owner: relation('authors'), code: text() },
  rules: { list: null, view: null, create: null, update: null, remove: null },
})

/** One per author. */
export const passports = defineCollection({
  name: 'passports',
  fields: { author: relation('authors'), number: text(), visited: relations('shops') },
  rules: OPEN,
  indexes: [{ on: ['author'], unique: true }],
})

export const LIBRARY: readonly AnyCollection[] = [authors, shops, reviews, vaults, passports, superusers]

export interface TestLibrary extends AsyncDisposable {
  test: TestDatabase
  db: Database
  queries: RecordQueries
}

/** An empty library, in a database that `open` opens. */
export async function openLibrary(
  open: (options: { schema: Schema }) => Promise<TestDatabase> = openTestDatabase,
): Promise<TestLibrary> {
  const test = await open({ schema: { collections: LIBRARY, migrations: [] } })
  const { db } = test
  return {
    test,
    db,
    queries: createRecordQueries({ db, collections: LIBRARY }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

/** A request of an account. */
export function as<C extends AnyCollection>(
  collection: C,
  record: RecordOf<C>,
  more: Partial<RequestInfo> = {},
): RequestInfo {
  return { ...NO_REQUEST, ...more, auth: { collection, collectionId: 'pbc_1', record } }
}

/** A request of a superuser. */
export const ROOT: RequestInfo = as(superusers, {
  id: 'superuser000000',
  created: '',
  updated: '',
  email: 'root@lab.org',
  emailVisibility: false,
  mail_alerts: false,
  verified: true,
  password: '',
  tokenKey: '',
})

/** The id of a record with a short name in tests. */
export function idOf(name: string): string {
  return name.padEnd(15, '0')
}

/** All records, in one page. */
export const ALL = { page: 1, perPage: 1000, skipTotal: false } as const
