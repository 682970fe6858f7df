import { expect, test } from 'bun:test'
import { EventParser } from '../../../src/server/drivers/event-parser.ts'
import { parseEvent } from '../../../src/server/drivers/parse-event.ts'

const failed = { status: 'failed', job: 'abcdefghijklmno', attempt: 1, epoch: 1, execution_ms: 5 }

function resultOf(length: number): Uint8Array {
  const message = 'x'.repeat(100)
  const payload = { ...failed, error: { class: 'user', message }, more: 'x'.repeat(length) }
  return new TextEncoder().encode(
    JSON.stringify({ type: 'JobResult', id: 'r', ts: '2026-01-31T09:05:00.000Z', payload }),
  )
}

test.each([
  ['small', 1_000, false],
  ['large', 100_000, true],
] as const)(
  'parse() of a %s event gives others a turn meanwhile only in the thread',
  async (_, length, expected) => {
    const parser = new EventParser()
    try {
      // Starts the thread.
      await parser.parse(resultOf(100_000))
      const body = resultOf(length)
      let isParsed = false
      const parsed = parser.parse(body).then((event) => {
        isParsed = true
        return event
      })
      // Without a turn of the event loop, no message of a thread arrives.
      for (let step = 0; step < 100; step += 1) await Promise.resolve()
      expect(isParsed).toBe(!expected)
      expect(await parsed).toEqual(parseEvent(body))
    } finally {
      parser.stop()
    }
  },
)

test('parse() rejects when the parser has been stopped, also while an event is parsed', async () => {
  const parser = new EventParser()
  const pending = Promise.allSettled([1, 2].map(() => parser.parse(resultOf(1_000_000))))
  parser.stop()
  parser.stop()
  const ends = await pending
  expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual(
    Array(2).fill('Error: The server is stopping'),
  )
  await expect(parser.parse(resultOf(1_000_000))).rejects.toThrow('stopping')
})
