import { expect, test } from 'bun:test'
import { FakeClock } from '../../support/fake-clock.ts'
import { closeRow, faultRuns } from '../../support/faults/fault-runs.ts'
import { openTestServer } from '../../support/server/server.ts'

// Row H11 of docs/reference/faults.md, with the limits of the product.
const ATTEMPTS = faultRuns(1_000)
const PATH = '/api/collections/users/auth-with-password'

test('of many guesses of one password ten are checked, regardless of headers', async () => {
  await using server = await openTestServer({ clock: new FakeClock() })
  const { email: identity, password } = await server.createUser()
  const counts = new Map<number, number>()
  let guess = 0
  const guessOn = async () => {
    while (guess < ATTEMPTS) {
      guess += 1
      const headers = {
        'x-forwarded-for': `10.0.${guess >> 8}.${guess & 255}`,
        'x-api-token': `svc_${guess}`,
      }
      const body = { identity, password: `guess ${guess}` }
      const { status } = await server.guest.call('POST', PATH, body, headers)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 32 }, guessOn))
  closeRow('H11 at once', { tries: ATTEMPTS, ...Object.fromEntries(counts) })
  expect(counts).toEqual(
    new Map([
      [400, 10],
      [429, ATTEMPTS - 10],
    ]),
  )
  expect((await server.guest.post(PATH, { identity, password })).status).toBe(429)
}, 120_000)

test('guessing for six hours with the required waits allows about forty attempts', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const { email: identity } = await server.createUser()
  const end = clock.now() + 6 * 3_600_000
  let looked = 0
  let longest = 0
  while (clock.now() < end) {
    const response = await server.guest.post(PATH, { identity, password: 'a guess' })
    const waitMs = Number(response.headers.get('retry-after') ?? 0) * 1_000
    if (response.status === 400) looked += 1
    longest = Math.max(longest, waitMs)
    if (waitMs > 0) await clock.advance(waitMs)
  }
  closeRow('H11 six hours', { guesses: looked, 'longest wait in s': longest / 1_000 })
  expect(longest).toBe(15 * 60_000)
  expect(looked).toBeLessThan(45)
}, 60_000)
