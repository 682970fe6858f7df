import { describe, expect, test } from 'bun:test'
import { RateLimitedError, ServerError, SvcClient } from '../../../clients/js/src/index.ts'

/** A client of a server that responds with these statuses, then with 200; counts the requests. */
function clientOf(statuses: readonly number[], retries = {}) {
  const seen = { requests: 0, keys: new Set<string | null>() }
  const fetch = async (_: string, init: RequestInit) => {
    seen.keys.add(new Headers(init.headers).get('Idempotency-Key'))
    const status = statuses[seen.requests] ?? 200
    seen.requests += 1
    const body =
      status === 200 ? { id: 'job', status: 'pending' } : { status, message: 'Try again', code: '' }
    return Response.json(body, { status, headers: { 'Retry-After': '0.001' } })
  }
  return { seen, svc: new SvcClient({ baseUrl: 'http://127.0.0.1:1', apiToken: 'token', fetch, retries }) }
}

const bell = { circuits: ['OPENQASM 3.0; qubit q;'] }

describe('a request', () => {
  test('that is limited is repeated until it succeeds: a limit is no failure', async () => {
    const { seen, svc } = clientOf(Array(20).fill(429))
    await svc.submitJob(bell)
    expect([seen.requests, seen.keys.size]).toEqual([21, 1])
  })

  test('that is limited for too long ends with the class of the limit', async () => {
    const { svc } = clientOf(Array(1_000_000).fill(429), { withinMs: 20 })
    expect(await svc.submitJob(bell).catch((error: unknown) => error)).toBeInstanceOf(RateLimitedError)
  })

  test.each([
    [503, 5],
    [500, 5],
  ])('that fails with %i is tried %i times, a submission with one key', async (status, tries) => {
    const { seen, svc } = clientOf(Array(9).fill(status))
    expect(await svc.submitJob(bell).catch((error: unknown) => error)).toBeInstanceOf(ServerError)
    expect([seen.requests, seen.keys.size]).toEqual([tries, 1])
  })

  test('that may have been carried out is not repeated without a key', async () => {
    const { seen, svc } = clientOf([500, 500])
    await expect(svc.tokens.create({ name: 'laptop' })).rejects.toThrow('Try again')
    expect(seen.requests).toBe(1)
  })
})
