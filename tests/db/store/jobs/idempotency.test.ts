import { describe, expect, test } from 'bun:test'
import { type KeyedRequest, responseOf, saveResponse } from '../../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../../support/database.ts'

const REQUEST: KeyedRequest = { user: 'u', key: 'k', route: 'POST /api/jobs', bodyHash: 'aa' }
const RESPONSE = { status: 201, response: { id: 'x' } }
const HOUR_MS = 3_600_000

describe('responseOf()', () => {
  test('returns the stored response to the same request only', async () => {
    await using test = await openTestDatabase()
    const find = (request: KeyedRequest) =>
      test.db.write('find', (tx) => tx.read(responseOf(request, tx.now)))
    expect(await find(REQUEST)).toBeUndefined()
    await test.db.write('keep', (tx) => saveResponse(tx, REQUEST, RESPONSE))
    expect(await find(REQUEST)).toEqual(RESPONSE)
    expect(await find({ ...REQUEST, user: 'v' })).toBeUndefined()
    for (const other of [{ bodyHash: 'bb' }, { route: 'POST /api/tokens' }]) {
      await expect(find({ ...REQUEST, ...other })).rejects.toMatchObject({
        code: 'unprocessable',
        reason: 'idempotency_key_reused',
      })
    }
  })

  test('expires a key after 24 h, and then removes it with the next one', async () => {
    await using test = await openTestDatabase()
    await test.db.write('keep', (tx) => saveResponse(tx, REQUEST, RESPONSE))
    await test.clock.advance(23 * HOUR_MS)
    expect(await test.db.write('find', (tx) => tx.read(responseOf(REQUEST, tx.now)))).toEqual(RESPONSE)
    await test.clock.advance(2 * HOUR_MS)
    expect(
      await test.db.write('find', (tx) => tx.read(responseOf({ ...REQUEST, bodyHash: 'bb' }, tx.now))),
    ).toBeUndefined()
    await test.db.write('keep', (tx) => saveResponse(tx, { ...REQUEST, key: 'l' }, RESPONSE))
    expect(await test.db.read((tx) => tx.all('SELECT key FROM idempotency_keys'))).toEqual([{ key: 'l' }])
  })
})
