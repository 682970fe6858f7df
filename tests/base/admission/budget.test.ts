import { expect, test } from 'bun:test'
import { Budget } from '../../../src/base/index.ts'

const never = new Promise<never>(() => undefined)

test('Budget.run() runs a limited number at once, the others in order, whatever their outcome', async () => {
  const turns = new Budget({ all: 2 })
  const started: number[] = []
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<string>())
  const runs = works.map(({ promise }, at) =>
    turns.run(() => {
      started.push(at)
      return promise
    }),
  )
  expect(started).toEqual([0, 1])
  works[1]?.reject(new Error('no'))
  await expect(runs[1]).rejects.toThrow('no')
  expect(started).toEqual([0, 1, 2])
  for (const at of [0, 2, 3, 4]) works[at]?.resolve(`done ${at}`)
  const outcomes = await Promise.allSettled(runs)
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true])
  expect(started).toEqual([0, 1, 2, 3, 4])
  // All permits were returned.
  void turns.run(() => never)
  expect(await turns.run(async () => 'at once')).toBe('at once')
})

test('Budget.run() lets callers take turns, and refuses those of which too many wait', async () => {
  const refuse = (limit: string) => new Error(`too many of ${limit}`)
  const budget = new Budget({ all: 1 }, { bounds: { account: 2, all: 3 }, refuse })
  const started: string[] = []
  const run = (name: string) =>
    budget.run(
      async () => {
        started.push(name)
      },
      name.slice(0, 1),
    )
  const ends = await Promise.allSettled(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(run))
  expect(ends.map((end) => (end.status === 'fulfilled' ? 'ran' : String(end.reason)))).toEqual([
    ...['ran', 'ran', 'ran', 'Error: too many of account', 'ran', 'Error: too many of all'],
  ])
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('Budget.exceeded() names the bound of the account first, then that of all; what is given back is free', () => {
  const budget = new Budget({ account: 2, all: 3 })
  const release = budget.take('ada', 2)
  expect([budget.exceeded('ada'), budget.exceeded('bob'), budget.exceeded('bob', 2)]).toEqual([
    'account',
    undefined,
    'all',
  ])
  budget.take('bob')
  expect([budget.exceeded('bob'), budget.used, budget.usedBy('ada')]).toEqual(['all', 3, 2])
  release()
  expect([budget.exceeded('ada', 2), budget.used, budget.usedBy('ada')]).toEqual([undefined, 1, 0])
})

test('a single amount above a bound is admitted while nothing else is in use', () => {
  const budget = new Budget({ account: 2, all: 3 })
  expect(budget.exceeded('ada', 9)).toBeUndefined()
  budget.take('bob')
  expect(budget.exceeded('ada', 9)).toBe('all')
})

test('Budget.wait() ends with its signal, and what it was in the way of starts', async () => {
  const budget = new Budget({ account: 3, all: 3 })
  budget.take('ada', 2)
  const stop = new AbortController()
  const large = budget.wait('bob', 3, stop.signal)
  let isStarted = false
  const small = budget.wait('cleo', 1).then(() => (isStarted = true))
  await Promise.resolve()
  expect(isStarted).toBe(false)
  stop.abort(new Error('left'))
  await expect(large).rejects.toThrow('left')
  await small
  expect(budget.used).toBe(3)
})
