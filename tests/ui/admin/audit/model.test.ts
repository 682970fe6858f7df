import { expect, test } from 'bun:test'
import { addPart, startCheck } from '../../../../ui/admin/audit/model.ts'

const part = {
  entries: 10,
  erased: 1,
  first_broken_entry: null,
  head: 'h',
  has_expected_head: false,
  last: 20,
}

test('the parts of a check add up to one outcome', () => {
  const first = addPart(startCheck(''), { ...part, next: 10 })
  expect(first).toMatchObject({ state: 'running', entries: 10, reached: 10 })
  const done = addPart(first, { ...part, head: 'last', next: null })
  expect(done).toMatchObject({ state: 'intact', entries: 20, erased: 2, head: 'last', reached: 20 })
})

test('a broken entry ends the check, and a head that no part has means that entries were cut off', () => {
  expect(addPart(startCheck(''), { ...part, first_broken_entry: 4, next: 10 })).toMatchObject({
    state: 'broken',
    broken: 4,
  })
  const first = addPart(startCheck('expected'), { ...part, next: 10 })
  expect(addPart(first, { ...part, next: null }).state).toBe('cut')
  expect(addPart(first, { ...part, has_expected_head: true, next: null }).state).toBe('intact')
  const found = addPart(startCheck('expected'), { ...part, has_expected_head: true, next: 10 })
  expect(addPart(found, { ...part, next: null }).state).toBe('intact')
})
