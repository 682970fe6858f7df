import { expect, test } from 'bun:test'
import { errorOf } from '../../../src/db/postgres/failure.ts'

const refusal = (code: string) => ({ code, message: 'terminating connection', detail: '', table: '' })

test('errorOf() tells the end of a session, also of one that was frozen in a transaction, from errors', () => {
  for (const code of ['25P03', '57P01', '57P02', '08006', 'SVC01', 'ERR_POSTGRES_CONNECTION_CLOSED'])
    expect(errorOf(refusal(code), { role: 'lab' })).toBe('lost')
  for (const code of ['25P02', '57014', '23505', '53100'])
    expect(errorOf(refusal(code), { role: 'lab' })).not.toBe('lost')
})

test('errorOf() names the right that a role lacks, and the remedy', () => {
  expect(
    errorOf({ ...refusal('42501'), message: 'permission denied for table shares' }, { role: 'lab' }),
  ).toMatchObject({
    code: 'unavailable',
    reason: 'database_refused',
    message: expect.stringMatching(/permission denied for table shares; grant it to the role lab/),
  })
})
