import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { collectionPage, type Field } from '../../../../ui/admin/collections/model.ts'
import {
  bodyOf,
  changesOf,
  controlOf,
  firstProblem,
  fromInput,
  hasForm,
  toInput,
} from '../../../../ui/admin/drawer/form.ts'
import { openTestServer } from '../../../support/server/server.ts'
import { qpus, slots, users } from '../names.ts'

const ZONE = 'Europe/Stockholm'
const row = {
  id: 'slot1',
  user: 'anna',
  qpu: '',
  guests: ['ben'],
  kind: 'own',
  start: '2026-11-22 08:00:00.000Z',
  notes: { a: 1, b: [2] },
  created: '2026-11-01 00:00:00.000Z',
}

function field(name: string): Field {
  const found = slots.fields.find((each) => each.name === name)
  if (!found) throw new Error(`No field ${name}`)
  return found
}

describe('changes of a form', () => {
  test('untouched and restored controls are no change', () => {
    const draft = Object.fromEntries(
      slots.fields.map((each) => [each.name, toInput(each, row[each.name as 'id'], ZONE)]),
    )
    expect(changesOf(slots, row, draft, ZONE)).toEqual([])
    expect(changesOf(slots, row, {}, ZONE)).toEqual([])
    expect(changesOf(slots, row, { notes: '{"b": [2], "a": 1}' }, ZONE)).toEqual([])
  })

  test('only changed fields are sent, in their stored form', () => {
    const draft = { start: '2026-11-22T10:00', guests: ['ben', 'cleo'], qpu: '', notes: '' }
    const changes = changesOf(slots, row, draft, ZONE)
    expect(bodyOf(changes)).toEqual({
      start: '2026-11-22 09:00:00.000Z',
      guests: ['ben', 'cleo'],
      notes: null,
    })
    expect(changes.find((each) => each.field.name === 'start')?.before).toBe(row.start)
  })

  test('fields of the server have no control, and a password is sent twice or not at all', () => {
    expect(controlOf(field('created'), true)).toBe('fixed')
    expect(controlOf(field('id'), false)).toBe('fixed')
    expect(controlOf(field('id'), true)).toBe('text')
    expect(qpus.fields.map((each) => controlOf(each, false))).toEqual([
      'fixed',
      'text',
      'fixed',
      'number',
      'json',
    ])
    expect(changesOf(slots, row, { created: 'x' }, ZONE)).toEqual([])
    expect(bodyOf(changesOf(users, undefined, { password: 'secret', email: 'a@b.cd' }, ZONE))).toEqual({
      password: 'secret',
      passwordConfirm: 'secret',
      email: 'a@b.cd',
    })
    expect(changesOf(users, { id: 'u' }, { password: '' }, ZONE)).toEqual([])
  })

  test('a form offers what the server accepts, in a new record and in a change of one', async () => {
    await using server = await openTestServer()
    const { body } = await server.admin.get('/api/collections?perPage=100')
    const all = v.parse(collectionPage, body).items
    const offered = (name: string, isNew: boolean) =>
      all
        .find((each) => each.name === name)
        ?.fields.filter((each) => controlOf(each, isNew) !== 'fixed')
        .map((each) => each.name)
    expect(offered('quantum_jobs', true)).toEqual(['user_id', 'qpu_target', 'payload'])
    expect(offered('quantum_jobs', false)).toEqual(['status'])
    expect(offered('qpu_time_requests', true)).not.toContain('granted_seconds')
    expect(offered('qpu_time_requests', false)).toContain('granted_seconds')
    expect(all.filter((each) => !hasForm(each)).map(({ name }) => name)).toEqual(['webhooks'])
    const granted = all
      .find(({ name }) => name === 'qpu_time_requests')
      ?.fields.find(({ name }) => name === 'granted_seconds')
    expect(granted && fromInput(granted, '60', ZONE)).toEqual({ value: 60 })
  })

  test('what has no value is refused here, with its field', () => {
    const changes = changesOf(qpus, { id: 'q', num_qubits: 5 }, { num_qubits: '2.5', config: '{"a":' }, ZONE)
    expect(firstProblem(changes)).toEqual({ field: 'num_qubits', problem: 'Only whole numbers fit here.' })
    expect(bodyOf(changes)).toEqual({})
  })

  test.each([
    ['Unexpected token x in JSON at position 3 (line 1 column 4)', 'This is not JSON: see line 1, column 4.'],
    ['JSON Parse error: Unexpected EOF', 'This is not JSON.'],
  ])('text that is no JSON is refused without the words of a browser: %s', (message, problem) => {
    using _ = spyOn(JSON, 'parse').mockImplementation(() => {
      throw new SyntaxError(message)
    })
    const changes = changesOf(slots, { id: 'x' }, { notes: '{"a":' }, ZONE)
    expect(firstProblem(changes)).toEqual({ field: 'notes', problem })
  })

  test('every JSON value survives its control', () => {
    const notes = field('notes')
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const input = toInput(notes, value, ZONE)
        const before = { id: 'x', notes: value }
        expect(changesOf(slots, before, { notes: input }, ZONE)).toEqual([])
        const parsed = fromInput(notes, input, ZONE)
        expect(JSON.stringify('value' in parsed ? parsed.value : 'none')).toBe(JSON.stringify(value))
      }),
    )
  })
})
