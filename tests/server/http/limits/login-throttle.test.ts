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
  // Ten, four in the first 15 minutes, and one in each 16 minutes that have passed.
  expect(checked).toBe(36)
})

test('the wait for the next attempt grows to 16 minutes, and ends when it was said to', async () => {
  const clock = new FakeClock()
  const throttle = new LoginThrottle(() => 3, clock)
  const waits: number[] = []
  const allowed: number[] = []
  const start = clock.now()
  while (allowed.length < 11) {
    const wait = await throttle.run(ATTEMPT, fails).catch((error: AppError) => error.retryAfter)
    if (wait === undefined) allowed.push((clock.now() - start) / 60_000)
    else waits.push(wait / 60)
    if (wait !== undefined) await clock.advance(wait * 1_000)
  }
  expect(allowed).toEqual([0, 0, 0, 1, 2, 4, 8, 16, 32, 48, 64])
  expect(waits).toEqual([1, 1, 2, 4, 8, 16, 16, 16])
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
  await expect(throttle.run(ATTEMPT, succeeds)).rejects.toMatchObject({ code: 'limited', retryAfter: 60 })
})

test('a rate of 0 is no limit', async () => {
  const throttle = new LoginThrottle(() => 0, new FakeClock())
  for (let at = 0; at < 1_000; at += 1) expect(await throttle.run(ATTEMPT, fails)).toBeUndefined()
})
