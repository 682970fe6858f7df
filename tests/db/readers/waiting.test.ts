import { describe, expect, test } from 'bun:test'
import { Waiting } from '../../../src/db/engine/waiting.ts'
import { COUNTS } from '../../../src/server/admission/limits.ts'

type Kind = 'guest' | 'user' | 'superuser'
interface Job {
  name: string
  reading: { caller: string; kind: Kind }
}

const job = (caller: string, name = caller, kind: Kind = 'user'): Job => ({ name, reading: { caller, kind } })
const add = (waiting: Waiting<Job>, ...jobs: Job[]) => {
  for (const each of jobs) waiting.add(each)
}

describe('Waiting', () => {
  test('callers take turns, however much one of them waits for', () => {
    const waiting = new Waiting<Job>(2)
    add(waiting, job('ann', 'a1'), job('ann', 'a2'), job('ann', 'a3'), job('bob', 'b1'), job('cyd', 'c1'))
    const order: string[] = []
    for (let next = waiting.take(); next; next = waiting.take()) {
      order.push(next.name)
      waiting.release(next)
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  test('one read of a caller runs at a time', () => {
    const waiting = new Waiting<Job>(2)
    const [first, second] = [job('ann', 'a1'), job('ann', 'a2')]
    add(waiting, first, second)
    expect(waiting.take()).toBe(first)
    expect(waiting.take()).toBeUndefined()
    waiting.release(first)
    expect(waiting.take()).toBe(second)
  })

  for (const kind of ['guest', 'superuser'] as const) {
    test(`all ${kind}s together leave a reader to users`, () => {
      const waiting = new Waiting<Job>(2)
      add(waiting, job('one', 'one', kind), job('two', 'two', kind), job('ann'))
      expect(waiting.take()?.name).toBe('one')
      expect(waiting.take()?.name).toBe('ann')
      expect(waiting.take()).toBeUndefined()
      const alone = new Waiting<Job>(1)
      add(alone, job('one', 'one', kind))
      expect(alone.take()?.name).toBe('one')
    })
  }

  test('refuses a caller beyond the limit, and everybody beyond that of all', () => {
    const waiting = new Waiting<Job>(2, COUNTS.waitingReads)
    const { account, all } = COUNTS.waitingReads.bounds
    const callers = all / account
    for (let caller = 0; caller < callers; caller += 1) {
      for (let each = 0; each < account; each += 1) waiting.add(job(`caller ${caller}`))
      const refused = { code: 'limited', reason: 'too_many_reads', retryAfter: 2 }
      expect(() => waiting.add(job(`caller ${caller}`))).toThrow(expect.objectContaining(refused))
    }
    const refused = { code: 'unavailable', reason: 'too_many_reads', retryAfter: 5 }
    expect(() => waiting.add(job('another'))).toThrow(expect.objectContaining(refused))
    const taken = waiting.take()
    expect(taken).toBeDefined()
    waiting.add(job('another'))
    expect(waiting.clear()).toHaveLength(all)
    expect(waiting.take()).toBeUndefined()
  })

  test('a removed job frees its place', () => {
    const waiting = new Waiting<Job>(2)
    const [first, second] = [job('ann', 'a1'), job('ann', 'a2')]
    add(waiting, first, second)
    waiting.remove(first)
    expect(waiting.take()).toBe(second)
  })
})
