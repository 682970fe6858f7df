import { expect, test } from 'bun:test'
import { sign } from 'hono/jwt'
import { SocketTokens } from '../../../src/server/drivers/socket-token.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const DRIVER = 'abcdefghijklmno'

test('a socket token names its driver and lease and fits one PLAIN field', async () => {
  const tokens = new SocketTokens(new FakeClock())
  const token = await tokens.issue(DRIVER, 2 ** 40)
  expect(token.length).toBeLessThanOrEqual(255)
  expect(await tokens.check(token)).toMatchObject({ sub: DRIVER, jti: String(2 ** 40), aud: 'svc-socket' })
})

test('a socket token must be used within 60 s', async () => {
  const clock = new FakeClock()
  const tokens = new SocketTokens(clock)
  const token = await tokens.issue(DRIVER, 1)
  await clock.advance(60_000)
  expect(await tokens.check(token)).toBeDefined()
  await clock.advance(1)
  expect(await tokens.check(token)).toBeUndefined()
})

test('tokens of another server, for another purpose, or altered are refused', async () => {
  const tokens = new SocketTokens(new FakeClock())
  const foreign = await new SocketTokens(new FakeClock()).issue(DRIVER, 1)
  const own = await tokens.issue(DRIVER, 1)
  const exp = Math.floor(new FakeClock().now() / 1000) + 60
  const guessed = await sign({ sub: DRIVER, jti: '1', aud: 'svc-socket', exp }, 'guess', 'HS256')
  for (const token of [foreign, guessed, `${own}x`, own.replace('.', '.x'), '', 'no.token.here']) {
    expect(await tokens.check(token)).toBeUndefined()
  }
})
