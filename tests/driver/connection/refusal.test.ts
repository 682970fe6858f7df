import { expect, test } from 'bun:test'
import { AppError } from '../../../src/base/index.ts'
import { ConnectRefusal, planRetry, type Retry, refusalOf } from '../../../src/driver/connection/refusal.ts'

const unreachable = new AppError('unavailable', 'cannot reach the server')

const CASES: [string, unknown, Retry, Retry][] = [
  ['no response', unreachable, 'backoff', 'backoff'],
  [
    'a certificate that is not trusted',
    new AppError('unavailable', 'x', { reason: 'untrusted_certificate' }),
    'stop',
    { pauseMs: 30_000 },
  ],
  ['an internal error', new TypeError('x'), 'backoff', 'backoff'],
  ['401', new ConnectRefusal(401, 'x'), 'stop', 'stop'],
  ['403', new ConnectRefusal(403, 'x'), { pauseMs: 4_000 }, { pauseMs: 4_000 }],
  ['409', new ConnectRefusal(409, 'x'), { pauseMs: 2_000 }, { pauseMs: 2_000 }],
  ['404', new ConnectRefusal(404, 'x'), 'stop', { pauseMs: 30_000 }],
  ['a redirect', new ConnectRefusal(301, 'x'), 'stop', { pauseMs: 30_000 }],
  ['an unacceptable response', new ConnectRefusal(0, 'x'), 'stop', { pauseMs: 30_000 }],
  ['429', new ConnectRefusal(429, 'x'), 'backoff', 'backoff'],
  ['429 with a time', new ConnectRefusal(429, 'x', 3), { pauseMs: 3_000 }, { pauseMs: 3_000 }],
  [
    '429 with a very long time',
    new ConnectRefusal(429, 'x', 86_400),
    { pauseMs: 60_000 },
    { pauseMs: 60_000 },
  ],
  ['503', new ConnectRefusal(503, 'x'), 'backoff', 'backoff'],
  ['500', new ConnectRefusal(500, 'x'), 'backoff', 'backoff'],
]

test.each(CASES)('planRetry() after %s', (_, error, first, later) => {
  expect(planRetry(error, false)).toEqual(first)
  expect(planRetry(error, true)).toEqual(later)
})

test('refusalOf() quotes the server', () => {
  const text = JSON.stringify({ status: 403, message: 'Driver north is disabled', data: {} })
  const refusal = refusalOf('connect was', { status: 403, text, retryAfter: undefined })
  expect(refusal.message).toBe('connect was refused (403): Driver north is disabled')
  expect(refusal.code).toBe('forbidden')
})

test.each(['', '<html>', '[]', '{"message":7}'])('refusalOf() has no message for %s', (text) => {
  expect(refusalOf('connect was', { status: 502, text, retryAfter: 1 })).toMatchObject({
    message: 'connect was refused (502)',
    retryAfter: 1,
  })
})
