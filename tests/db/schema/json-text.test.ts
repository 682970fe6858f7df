import { expect, test } from 'bun:test'
import { pickFields } from '../../../src/db/records/pick-fields.ts'
import {
  encodeJson,
  encodeJsonBytes,
  JsonText,
  jsonTextOf,
  textBytes,
} from '../../../src/db/schema/json-text.ts'

test('encodeJson() inserts texts as they are, JSON.stringify() their values', () => {
  const text = '{ "b" : [1, 2.50, "$&\\u00e4"] }'
  const value = { first: new JsonText(text), list: [1, new JsonText('[ ]')], last: 'x' }
  expect(encodeJson(value)).toBe(`{"first":${text},"list":[1,[ ]],"last":"x"}`)
  expect(JSON.parse(encodeJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
  expect(JSON.stringify(new JsonText(text))).toBe(JSON.stringify(JSON.parse(text)))
  expect(encodeJson({ a: 'x' })).toBe('{"a":"x"}')
  expect(() => encodeJson({ a: 1n })).toThrow(TypeError)
  expect(JSON.stringify([new JsonText('{}')])).toBe('[{}]')
})

test('encodeJsonBytes() is encodeJson() in UTF-8, also of texts that are in UTF-8', () => {
  const text = '{"b":"ä\u2028😀"}'
  const bytes = new TextEncoder().encode(text)
  const value = { first: new JsonText(bytes), second: new JsonText(text), last: 'ö' }
  expect(new TextDecoder().decode(encodeJsonBytes(value))).toBe(encodeJson(value))
  expect(new TextDecoder().decode(encodeJsonBytes({ a: 'ö' }))).toBe('{"a":"ö"}')
  expect(textBytes(value)).toBe(2 * bytes.length)
})

test('pickFields() selects parts of a text', () => {
  const record = {
    payload: new JsonText('{"a":{"b":1,"c":2},"d":"long text"}'),
    name: new JsonText('"long text"'),
  }
  expect(encodeJson(pickFields(record, 'payload.a.b'))).toBe('{"payload":{"a":{"b":1}}}')
  expect(encodeJson(pickFields(record, 'payload'))).toBe(`{"payload":${record.payload.text}}`)
  expect(encodeJson(pickFields(record, 'payload.d:excerpt(4),name:excerpt(4)'))).toBe(
    '{"payload":{"d":"long"},"name":"long"}',
  )
})

test('jsonTextOf() is the text of any value', () => {
  expect([jsonTextOf(new JsonText('[ 1 ]')), jsonTextOf([1])]).toEqual(['[ 1 ]', '[1]'])
})
