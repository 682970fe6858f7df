import { expect, test } from 'bun:test'
import { Lanes } from '../../../src/server/webhooks/lanes.ts'

/** Begins attempts until one is refused; returns how many began. */
function fill(
  lanes: Lanes,
  webhookOf: (n: number) => { id: string; user: string },
  isStrained = false,
): number {
  for (let n = 0; ; n += 1) if (!lanes.enter(webhookOf(n), `${isStrained}${n}`, isStrained)) return n
}

test('one webhook has at most 4 attempts, and one that is strained 1', () => {
  expect(fill(new Lanes(), () => ({ id: 'hook', user: 'ada' }))).toBe(4)
  expect(fill(new Lanes(), () => ({ id: 'hook', user: 'ada' }), true)).toBe(1)
})

test('the webhooks of one user have at most 4 attempts together', () => {
  expect(fill(new Lanes(), (n) => ({ id: `hook${n}`, user: 'ada' }))).toBe(4)
  expect(fill(new Lanes(), (n) => ({ id: `hook${n}`, user: 'ada' }), true)).toBe(4)
})

test('there are at most 32 attempts, and 16 to strained receivers beside them', () => {
  const lanes = new Lanes()
  expect(fill(lanes, (n) => ({ id: `a${n}`, user: `u${n}` }), true)).toBe(16)
  expect([lanes.free(true), lanes.free(false)]).toEqual([0, 32])
  expect(fill(lanes, (n) => ({ id: `b${n}`, user: `v${n}` }))).toBe(32)
  expect(lanes.size).toBe(48)
})

test('a delivery is not attempted twice at the same time, and an end makes room for another', () => {
  const lanes = new Lanes()
  const webhook = { id: 'hook', user: 'ada' }
  const leave = lanes.enter(webhook, 'one', true)
  expect(lanes.enter({ id: 'other', user: 'bob' }, 'one', true)).toBeUndefined()
  expect(lanes.enter(webhook, 'two', true)).toBeUndefined()
  leave?.()
  expect(lanes.enter(webhook, 'two', true)).toBeDefined()
})
