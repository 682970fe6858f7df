import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { errorCodesOf, statusesOf } from '../../../src/server/http/error-codes.ts'
import { defineRoute } from '../../../src/server/http/route.ts'
import { openTestServer } from '../../support/server/server.ts'

/** Reasons that no response has as its code. */
const NOT_IN_RESPONSES = {
  'the command line and the start': [
    ...[
      'bad_config',
      'backup_needed',
      'database_behind',
      'database_foreign',
      'database_in_use',
      'database_not_empty',
      'root_ca_differs',
      'folder_in_use',
      'folder_unusable',
      'log_lost',
      'no_database',
      'untrusted_certificate',
    ],
    ...[
      'database_newer',
      'database_other_version',
      'migration_changed',
      'migration_failed',
      'migration_missing',
    ],
    ...['not_a_backup', 'not_a_database'],
  ],
  'the outcome of a backup or a delivery': ['interrupted', 'timeout'],
  'the end of the process': ['database_lost'],
  'hidden as internal': ['commit_refused', 'database_damaged', 'database_unreadable', 'database_unsupported'],
  'logged only': ['unknown_job'],
}

/** Every reason that the source gives to an error, directly or by a local function. */
async function reasonsInSource(): Promise<Set<string>> {
  const reasons = new Set<string>()
  for await (const file of new Bun.Glob('src/{base,db,driver,server}/**/*.ts').scan('.')) {
    const text = readFileSync(file, 'utf8')
    for (const [, reason = ''] of text.matchAll(/\breason: '([a-z_]+)'/g)) reasons.add(reason)
    // Functions such as `conflict(reason, message)`, which make the errors of their file.
    for (const [, name] of text.matchAll(/function (\w+)\(reason: string,/g))
      for (const [, reason = ''] of text.matchAll(new RegExp(`\\b${name}\\('([a-z_]+)'`, 'g')))
        reasons.add(reason)
  }
  return reasons
}

test('every reason in the source is declared by a route, or reaches no response', async () => {
  await using server = await openTestServer()
  const declared = new Set(server.server.routes.flatMap((route) => Object.keys(errorCodesOf(route))))
  const others = new Set(Object.values(NOT_IN_RESPONSES).flat())
  const reasons = await reasonsInSource()
  expect(reasons.size).toBeGreaterThan(80)
  expect([...reasons].filter((reason) => !declared.has(reason) && !others.has(reason))).toEqual([])
  expect([...others].filter((reason) => declared.has(reason) || !reasons.has(reason))).toEqual([])
})

const common = { run: async () => undefined, summary: 'An item' } as const

test('a code has the same status on every route', async () => {
  await using server = await openTestServer()
  const statuses = new Map<string, number>()
  for (const route of server.server.routes)
    for (const [code, status] of Object.entries(errorCodesOf(route))) {
      expect([code, statuses.get(code) ?? status]).toEqual([code, status])
      statuses.set(code, status)
    }
})

test('errorCodesOf() derives the codes of the checks from access, scope and body', () => {
  const read = defineRoute('GET /api/items', { ...common, access: 'public' })
  expect(Object.keys(errorCodesOf(read))).not.toContain('unauthorized')
  expect(errorCodesOf(read)).toMatchObject({
    bad_parameter: 400,
    limited: 429,
    internal: 500,
    restoring: 503,
  })
  expect(statusesOf(read)).not.toContain(404)
  const one = { ...common, access: 'public' } as const
  expect(statusesOf(defineRoute('GET /api/items/:id', one))).toContain(404)
  expect(statusesOf(defineRoute('GET /api/items/:id', { ...one, statuses: [403] }))).not.toContain(404)
  const body = v.object({ name: v.string() })
  const write = defineRoute('POST /api/items', {
    ...common,
    access: 'superuser',
    body,
    errors: { not_pending: 409 },
  })
  expect(statusesOf(write)).toEqual([200, 400, 401, 403, 409, 413, 415, 429, 431, 500, 503, 507])
  expect(errorCodesOf(write)).toMatchObject({
    ...{ invalid: 400, unauthorized: 401, forbidden: 403, insufficient_scope: 403, conflict: 409 },
    ...{ not_pending: 409, too_large: 413, unsupported_coding: 415, too_many_large_bodies: 503 },
  })
  const statuses = Object.values(errorCodesOf(write))
  expect(statuses).toEqual(statuses.toSorted((one, other) => one - other))
})
