import { expect, test } from 'bun:test'
import { encodeChange, MAX_WHOLE_BYTES } from '../../../src/server/realtime/encode-change.ts'

function read(data: Uint8Array): { record: Record<string, unknown>; omitted?: string[] } {
  const text = new TextDecoder().decode(data)
  expect(text).toMatch(/^data:[^\n]*\n\n$/)
  return JSON.parse(text.slice('data:'.length))
}

test('encodeChange() includes a record of 1 MiB completely', () => {
  const record = { id: 'a', text: 'line\nbreak', none: undefined, payload: 'x'.repeat(1_000_000) }
  const { none: _, ...whole } = record
  expect(read(encodeChange('create', record))).toEqual({ action: 'create', record: whole } as never)
})

test('encodeChange() omits the largest values of a larger record and lists their names', () => {
  const half = 'x'.repeat(MAX_WHOLE_BYTES / 2)
  const record = { id: 'a', payload: { text: half }, results: [half, half], status: 'done' }
  expect(read(encodeChange('update', record))).toEqual({
    action: 'update',
    record: { id: 'a', payload: { text: half }, status: 'done' },
    omitted: ['results'],
  } as never)
})

test('encodeChange() counts bytes, not characters', () => {
  const record = { id: 'a', payload: 'ä'.repeat(MAX_WHOLE_BYTES - 100) }
  const data = encodeChange('update', record)
  expect(data.byteLength).toBeLessThan(1_000)
  expect(read(data).omitted).toEqual(['payload'])
})
