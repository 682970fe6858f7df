import { expect, test } from 'bun:test'
import { Semaphore } from '../../src/server/semaphore.ts'

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
