import { expect, spyOn, test } from 'bun:test'
import { connect } from 'node:net'
import { MAX_PIPELINED, PipeliningLimit } from '../../../../src/server/http/limits/pipelining.ts'
import { openTestServer } from '../../../support/server/server.ts'

test('PipeliningLimit refuses the requests of one connection beyond its part of a turn', async () => {
  const limit = new PipeliningLimit()
  // The first requests of a turn are not counted by connection.
  for (let at = 0; at < MAX_PIPELINED; at += 1) expect(limit.allows(() => 'greedy')).toBe(true)
  for (let at = 0; at < MAX_PIPELINED; at += 1) expect(limit.allows(() => 'greedy')).toBe(true)
  expect(limit.allows(() => 'greedy')).toBe(false)
  expect(limit.allows(() => 'other')).toBe(true)
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(resolve)
  await promise
  expect(limit.allows(() => 'greedy')).toBe(true)
})

test('PipeliningLimit awaits the end of a turn once, and only of one with many requests', async () => {
  const limit = new PipeliningLimit()
  const awaited = spyOn(globalThis, 'setImmediate')
  for (let at = 1; at < MAX_PIPELINED / 2; at += 1) limit.allows(() => 'some')
  expect(awaited).toHaveBeenCalledTimes(0)
  for (let at = 0; at < MAX_PIPELINED; at += 1) limit.allows(() => 'some')
  expect(awaited).toHaveBeenCalledTimes(1)
  awaited.mockRestore()
})

/** Sends `count` requests in one packet; resolves with the number of responses once the connection ends. */
function pipeline(port: number, count: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const socket = connect({ host: '127.0.0.1', port })
  const last = 'GET /api/health HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n'
  let received = ''
  socket.on('connect', () =>
    socket.write('GET /api/health HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(count - 1) + last),
  )
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => undefined)
  socket.on('close', () => resolve(received.split('HTTP/1.1 ').length - 1))
  return promise
}

test('a connection that sends too many requests at once is closed, another is not', async () => {
  await using test = await openTestServer()
  const port = Number(new URL(test.url).port)
  // The runtime closes a connection on which a request arrives while an earlier response is not ready.
  expect(await pipeline(port, 20)).toBeGreaterThanOrEqual(1)
  expect(await pipeline(port, 5_000)).toBeLessThanOrEqual(2 * MAX_PIPELINED + 1)
  expect((await fetch(`${test.url}/api/health`)).status).toBe(200)
})
