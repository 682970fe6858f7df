import { expect, test } from 'bun:test'
import { AppError } from '../../../../src/base/index.ts'
import { LoginThrottle } from '../../../../src/server/http/limits/login-throttle.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const HOUR_MS = 3_600_000
const ATTEMPT = { account: 'users ada', address: '198.51.100.1', isKnown: async () => false }
const fails = async () => undefined
const succeeds = async () => true

test('failures with rests of more than a minute count as those without', async () => {
  const clock = new FakeClock()
  const throttle = new LoginThrottle(() => 10, clock)
  let checked = 0
  const wrong = async () => {
    checked += 1
    return undefined
  }
  const end = clock.now() + 6 * HOUR_MS
  while (clock.now() < end) {
    await throttle.run(ATTEMPT, wrong).catch((error: unknown) => expect(error).toBeInstanceOf(AppError))
    await clock.advance(61_000)
  }
  // Ten, and one in each of 24 quarters of an hour that have passed.
  expect(checked).toBe(33)
})

test('a success clears the count of its account and address, and what throws counts for nobody', async () => {
  const throttle = new LoginThrottle(() => 2, new FakeClock())
  for (let round = 0; round < 5; round += 1) {
    expect(await throttle.run(ATTEMPT, fails)).toBeUndefined()
    expect(await throttle.run(ATTEMPT, succeeds)).toBe(true)
  }
  for (let round = 0; round < 50; round += 1) {
    const broken = throttle.run(ATTEMPT, async () => Promise.reject(new Error('no disk')))
    await expect(broken).rejects.toThrow('no disk')
  }
  expect([await throttle.run(ATTEMPT, fails), await throttle.run(ATTEMPT, fails)]).toEqual([
    undefined,
    undefined,
  ])
  await expect(throttle.run(ATTEMPT, succeeds)).rejects.toMatchObject({ code: 'limited', retryAfter: 900 })
})

test('a rate of 0 is no limit', async () => {
  const throttle = new LoginThrottle(() => 0, new FakeClock())
  for (let at = 0; at < 1_000; at += 1) expect(await throttle.run(ATTEMPT, fails)).toBeUndefined()
})
