import { expect, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { readReply } from '../../../../src/devices/monitor/cryostat_gen1/read-reply.ts'
import { EVENTS } from '../../../../src/protocol/index.ts'

const CHANNEL = { path: 'mapper.bf.tmc', unit: 'K' }
const AT = Date.UTC(2026, 0, 31, 9, 5)
const GOOD = { value: '0.0123', status: 'SYNCHRONIZED', outdated: false, date: AT, exception: '' }

const read = (body: unknown) => readReply(JSON.stringify(body), CHANNEL)
const withContent = (content: object) => read({ data: { content } })
const readEntry = (entry: object) => withContent({ latest_valid_value: entry, latest_value: entry })

test.each([
  ['data.content', { content: { latest_valid_value: GOOD } }],
  ['data[path].content', { 'mapper.bf.tmc': { content: { latest_valid_value: GOOD } } }],
  [
    'data[path].content among others',
    { 'mapper.bf': { content: {} }, 'mapper.bf.tmc': { content: { latest_valid_value: GOOD } } },
  ],
  ['the only entry', { 'Mapper.bf.tmc': { content: { latest_valid_value: GOOD } } }],
])('readReply() accepts %s', (_name, data) => {
  expect(read({ data })).toEqual({
    value: 0.0123,
    unit: 'K',
    status: 'SYNCHRONIZED',
    ts: '2026-01-31T09:05:00.000Z',
  })
})

test.each([
  ['0.0123', 0.0123],
  [' -1.5E-6 ', -1.5e-6],
  ['1e3', 1000],
  [4.2, 4.2],
])('readReply() reads %p as a number', (value, expected) => {
  expect(readEntry({ ...GOOD, value })).toMatchObject({ value: expected })
  expect(readEntry({ ...GOOD, value })).not.toHaveProperty('text')
})

test.each([
  ['on', 'on'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['0x10', '0x10'],
  ['1e999', '1e999'],
  [true, 'true'],
])('readReply() reads %p as a text', (value, text) => {
  expect(readEntry({ ...GOOD, value })).toMatchObject({ value: null, text, status: 'SYNCHRONIZED' })
})

test('readReply() returns the latest value when none is valid', () => {
  const latest = { ...GOOD, value: '7', status: 'QUEUED' }
  expect(withContent({ latest_value: latest })).toMatchObject({ value: 7, status: 'QUEUED' })
  const valid = { ...GOOD, value: '' }
  expect(withContent({ latest_valid_value: valid, latest_value: latest })).toMatchObject({ value: 7 })
})

test('readReply() returns a valid value with the current status of the channel', () => {
  const valid = { ...GOOD, outdated: true }
  const latest = { ...GOOD, value: '', status: 'DISCONNECTED', exception: 'Device is not connected' }
  expect(withContent({ latest_valid_value: valid, latest_value: latest })).toEqual({
    value: 0.0123,
    unit: 'K',
    status: 'DISCONNECTED',
    ts: '2026-01-31T09:05:00.000Z',
    outdated: true,
    error: 'Device is not connected',
  })
})

test('readReply() returns no value for an empty one', () => {
  expect(readEntry({ ...GOOD, value: '', status: 'INVALID' })).toEqual({
    value: null,
    unit: 'K',
    status: 'INVALID',
    ts: '2026-01-31T09:05:00.000Z',
  })
})

test.each([
  [
    { ...GOOD, date: null },
    { value: 0.0123, unit: 'K', status: 'SYNCHRONIZED' },
  ],
  [
    { ...GOOD, date: 'today' },
    { value: 0.0123, unit: 'K', status: 'SYNCHRONIZED' },
  ],
  [
    { ...GOOD, date: 1e300 },
    { value: 0.0123, unit: 'K', status: 'SYNCHRONIZED' },
  ],
  [{ value: '1' }, { value: 1, unit: 'K', status: 'UNKNOWN' }],
])('readReply() has defaults for the fields missing in %j', (entry, expected) => {
  expect(readEntry(entry)).toEqual(expected)
})

test.each([
  [{ status: 'ERROR', code: 7, name: 'X', description: 'Not ready' }, 'Not ready'],
  [{ status: 'ERROR', name: 'NOT_READY' }, 'NOT_READY'],
  [{ error: { code: 7, description: 'Bad key' } }, 'Bad key'],
  [{ error: { code: 7, details: 'Deep trouble' } }, 'Deep trouble'],
  [{ error: 'Out of order' }, 'Out of order'],
  [{ error: {} }, 'error without description'],
  [{ error: { description: 'Late' }, data: { content: { latest_value: GOOD } } }, 'Late'],
  [{ data: {} }, 'the response has no value for this channel'],
  [{ data: { a: { content: {} }, b: { content: {} } } }, 'the response has no value for this channel'],
  [{ data: { content: { latest_value: { value: {} } } } }, 'the response has no value for this channel'],
  [{ data: { content: null } }, 'the response has no value for this channel'],
  [{}, 'the response has no value for this channel'],
  [null, 'the response has no value for this channel'],
  [[], 'the response has no value for this channel'],
  ['text', 'the response has no value for this channel'],
])('readReply() reports the error in %j', (body, error) => {
  expect(read(body)).toEqual({ error })
})

test.each(['', '{', '{"data": ', '<html>'])('readReply(%p) is not JSON', (text) => {
  expect(readReply(text, CHANNEL)).toEqual({ error: 'the response is not JSON' })
})

test('readReply() never throws, and its result is valid in the event', () => {
  const declared = EVENTS.find(({ type }) => type === 'CryostatReading')
  const entry = fc.record(
    {
      value: fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null)),
      status: fc.oneof(fc.string(), fc.constant(null)),
      outdated: fc.oneof(fc.boolean(), fc.constant(null)),
      date: fc.oneof(fc.double(), fc.maxSafeInteger(), fc.string()),
      exception: fc.oneof(fc.string(), fc.object()),
    },
    { requiredKeys: [] },
  )
  const content = fc.record({ latest_valid_value: entry, latest_value: entry }, { requiredKeys: [] })
  const body = fc.oneof(fc.record({ data: fc.record({ content }) }), fc.jsonValue())
  fc.assert(
    fc.property(body, (each) => {
      const found = read(each)
      const readings = { a: 'value' in found ? found : { ...found, value: null, unit: '', status: 'ERROR' } }
      expect(declared && v.is(declared.payload, { readings })).toBe(true)
    }),
    { numRuns: 500 },
  )
})

const PLACE = { path: 'mapper.bf.temperatures', unit: 'K' }
const VALUE = { content: { latest_value: GOOD, latest_valid_value: GOOD } }

test.each<[string, Record<string, unknown>, string[]]>([
  ['flat', { 'mapper.bf.temperatures': { content: {} }, 'mapper.bf.temperatures.t50k': VALUE }, ['t50k']],
  ['flat with one channel', { 'mapper.bf.temperatures.t4k': VALUE }, ['t4k']],
  [
    'of groups',
    { 'mapper.bf.temperatures.upper': {}, 'mapper.bf.temperatures.upper.t4k': VALUE },
    ['upper.t4k'],
  ],
  ['with children by key', { children: { t4k: VALUE, tmc: VALUE } }, ['t4k', 'tmc']],
  [
    'with children by name',
    {
      'mapper.bf.temperatures': {
        children: [
          { name: 't4k', ...VALUE },
          { name: 'x', children: [{ name: 'y', ...VALUE }] },
        ],
      },
    },
    ['t4k', 'x.y'],
  ],
])('readReply() names the channels of a group: %s', (_name, data, channels) => {
  const names = channels.map((name) => `mapper.bf.temperatures.${name}`).join(', ')
  expect(readReply(JSON.stringify({ data }), PLACE)).toEqual({
    error: `this is a group; use its channels instead: ${names}`,
    isGroup: true,
  })
})

test('readReply() reads times in s and in ms alike', () => {
  for (const date of [AT, AT / 1_000, AT / 1_000 + 0.0004]) {
    expect(readEntry({ ...GOOD, date })).toMatchObject({ ts: '2026-01-31T09:05:00.000Z' })
  }
})
