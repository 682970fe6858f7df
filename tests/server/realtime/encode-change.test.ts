import { expect, test } from 'bun:test'
import { encodeChange, OMITTED } from '../../../src/server/realtime/encode-change.ts'

const MIB = 1024 * 1024
const LIMIT = { maxBytes: MIB }

function read(data: Uint8Array): { record: Record<string, unknown>; omitted?: string[] } {
  const text = new TextDecoder().decode(data)
  expect(text).toMatch(/^data:[^\n]*\n\n$/)
  return JSON.parse(text.slice('data:'.length))
}

test('encodeChange() includes a record of 1 MiB completely', () => {
  const record = { id: 'a', text: 'line\nbreak', none: undefined, payload: 'x'.repeat(1_000_000) }
  const { none: _, ...whole } = record
  expect(read(encodeChange('create', record, LIMIT))).toEqual({ action: 'create', record: whole } as never)
})

test('encodeChange() omits the largest values of a larger record and lists their names', () => {
  const half = 'x'.repeat(MIB / 2)
  const record = { id: 'a', payload: { text: half }, results: [half, half], status: 'done' }
  expect(read(encodeChange('update', record, LIMIT))).toEqual({
    action: 'update',
    record: { id: 'a', payload: { text: half }, status: 'done' },
    omitted: ['results'],
  } as never)
})

test('encodeChange() counts bytes, not characters', () => {
  const record = { id: 'a', payload: 'ä'.repeat(MIB - 100) }
  const data = encodeChange('update', record, LIMIT)
  expect(data.byteLength).toBeLessThan(1_000)
  expect(read(data).omitted).toEqual(['payload'])
})

test('encodeChange() lists values that are replaced by OMITTED, and writes shared values once', () => {
  const payload = { text: 'a' }
  const texts = new WeakMap<object, string>([[payload, '{"text":"shared"}']])
  const data = encodeChange('update', { id: 'a', payload, results: OMITTED }, { ...LIMIT, texts })
  expect(read(data)).toEqual({
    action: 'update',
    record: { id: 'a', payload: { text: 'shared' } },
    omitted: ['results'],
  } as never)
})
