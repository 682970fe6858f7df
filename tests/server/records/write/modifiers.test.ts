import { describe, expect, test } from 'bun:test'
import { notifications, users } from '../../../../src/db/store/accounts/index.ts'
import { applyModifiers } from '../../../../src/server/records/write/modifiers.ts'

const system = { id: 'a', created: '', updated: '' }
const user = { ...system, qpu_seconds: 10, username: 'ada' }
const notice = { ...system, dismissed_by: ['a', 'b'] }

describe('applyModifiers()', () => {
  for (const [body, result] of [
    [{ 'qpu_seconds+': 5 }, { qpu_seconds: 15 }],
    [{ 'qpu_seconds-': 5 }, { qpu_seconds: 5 }],
    [{ 'qpu_seconds+': '2.5' }, { qpu_seconds: 12.5 }],
    [{ 'qpu_seconds+': 0.1, qpu_seconds: 0.2 }, { qpu_seconds: 0.3 }],
    [{ 'qpu_seconds+': null }, { qpu_seconds: 10 }],
    [{ 'qpu_seconds+': 'many' }, { qpu_seconds: Number.NaN }],
    [{ 'qpu_seconds+': [5] }, { qpu_seconds: Number.NaN }],
    [{ 'qpu_seconds+': { toString: 0 } }, { qpu_seconds: Number.NaN }],
    [{ '+qpu_seconds': 5 }, { '+qpu_seconds': 5 }],
    [{ 'username+': 'x' }, { 'username+': 'x' }],
    [
      { 'nonsense+': 1, other: 2 },
      { 'nonsense+': 1, other: 2 },
    ],
  ] as const) {
    test(`${JSON.stringify(body)} of a number`, () =>
      expect(applyModifiers(users, user, body)).toEqual({ ...result }))
  }

  for (const [body, result] of [
    [{ 'dismissed_by+': 'c' }, ['a', 'b', 'c']],
    [{ 'dismissed_by+': ['b', 'c'] }, ['a', 'b', 'c']],
    [{ '+dismissed_by': ['c', 'b'] }, ['c', 'b', 'a']],
    [{ 'dismissed_by-': 'a' }, ['b']],
    [{ 'dismissed_by-': ['x', 'b'] }, ['a']],
    [{ 'dismissed_by-': [] }, ['a', 'b']],
    [{ dismissed_by: ['z'], 'dismissed_by+': 'y' }, ['z', 'y']],
  ] as const) {
    test(`${JSON.stringify(body)} of a list`, () =>
      expect(applyModifiers(notifications, notice, body)).toEqual({ dismissed_by: [...result] }))
  }

  test('a new record starts without values', () => {
    expect(applyModifiers(users, undefined, { 'qpu_seconds+': 5 })).toEqual({ qpu_seconds: 5 })
  })

  test('a key named __proto__ is an ordinary key', () => {
    const body = JSON.parse('{"__proto__": {"admin": true}}')
    expect(Reflect.get(applyModifiers(users, user, body), 'admin')).toBeUndefined()
  })
})
