import { expect, test } from 'bun:test'
import { isJsonLargerThan, setDecoded, unreadText } from '../../../src/db/schema/unread-json.ts'

function recordOf(text: string) {
  const record: Record<string, unknown> = {}
  let parsed = 0
  setDecoded(record, 'payload', text, (stored) => {
    parsed += 1
    return JSON.parse(String(stored))
  })
  return { record, parsed: () => parsed }
}

const LARGE = JSON.stringify({ text: 'ä'.repeat(70_000) })

test('a large value is parsed once, when it is first used', () => {
  const { record, parsed } = recordOf(LARGE)
  expect(isJsonLargerThan(record, 'payload', 100_000)).toBe(true)
  expect(isJsonLargerThan(record, 'payload', 200_000)).toBe(false)
  expect(parsed()).toBe(0)
  expect({ ...record }).toEqual({ payload: JSON.parse(LARGE) })
  expect(JSON.stringify(record)).toBe(`{"payload":${LARGE}}`)
  expect(parsed()).toBe(1)
  expect(isJsonLargerThan(record, 'payload', 100_000)).toBe(true)
})

test('a small value is parsed at once', () => {
  expect(recordOf('{"a":1}').parsed()).toBe(1)
})

test('an unread value can be replaced', () => {
  const { record, parsed } = recordOf(LARGE)
  record['payload'] = { short: true }
  expect([record['payload'], isJsonLargerThan(record, 'payload', 20), parsed()]).toEqual([
    { short: true },
    false,
    0,
  ])
})

test('the size of a value in memory is the size of its JSON text', () => {
  const values = [null, true, 1.5, 'ä"\n', [], {}, [1, [2, null]], { ä: { b: ['c', {}] } }]
  for (const value of values) {
    const bytes = Buffer.byteLength(JSON.stringify(value))
    const sizes = [bytes - 1, bytes].map((limit) => isJsonLargerThan({ value }, 'value', limit))
    expect([value, ...sizes]).toEqual([value, true, false])
  }
})

test('the text of an unread value is available until it is read', () => {
  const { record, parsed } = recordOf(LARGE)
  expect([unreadText(record, 'payload')?.text, unreadText(record, 'other'), parsed()]).toEqual([
    LARGE,
    undefined,
    0,
  ])
  expect(record['payload']).toEqual(JSON.parse(LARGE))
  expect(unreadText(record, 'payload')).toBeUndefined()
})
