import { expect, test } from 'bun:test'
import { Semaphore } from '../../../src/base/concurrency/semaphore.ts'

const never = new Promise<never>(() => undefined)

test('Semaphore.run() runs a limited number at once, the others in order, whatever their outcome', async () => {
  const turns = new Semaphore(2)
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

test('Semaphore.run() lets callers take turns, and refuses those of which too many wait', async () => {
  const refuse = (limit: string) => new Error(`too many of ${limit}`)
  const semaphore = new Semaphore(1, { perCaller: 2, all: 3, refuse })
  const started: string[] = []
  const run = (name: string) =>
    semaphore.run(
      async () => {
        started.push(name)
      },
      name.slice(0, 1),
    )
  const ends = await Promise.allSettled(['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map(run))
  expect(ends.map((end) => (end.status === 'fulfilled' ? 'ran' : String(end.reason)))).toEqual([
    ...['ran', 'ran', 'ran', 'Error: too many of caller', 'ran', 'Error: too many of all'],
  ])
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})
