import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { FairQueue } from '../../../src/base/index.ts'

const LIMITS = {
  bounds: { account: 3, all: 5 },
  refuse: (limit: string) => new Error(`too many of ${limit}`),
}

const drain = (queue: FairQueue<string>) => {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next)
  return taken
}

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>()
  for (const item of items) queue.add(item.slice(0, 1), item)
  return queue
}

describe('FairQueue', () => {
  test('callers take turns, and the items of one keep their order', () => {
    const queue = queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
    expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
    expect(queue.size).toBe(0)
  })

  test('a caller whose first item may not start keeps its place', () => {
    const queue = queueOf('a1', 'b1', 'a2', 'c1')
    expect(queue.take((item) => item !== 'a1')).toBe('b1')
    expect(queue.take(() => false)).toBeUndefined()
    expect(drain(queue)).toEqual(['a1', 'c1', 'a2'])
  })

  test('refuses a caller beyond its limit, and everybody beyond that of all', () => {
    const queue = new FairQueue<string>(LIMITS)
    for (const item of ['a1', 'a2', 'a3']) queue.add('a', item)
    expect(() => queue.add('a', 'a4')).toThrow('too many of account')
    for (const item of ['b1', 'b2']) queue.add('b', item)
    expect(() => queue.add('c', 'c1')).toThrow('too many of all')
    expect(queue.take()).toBe('a1')
    queue.add('c', 'c1')
    expect(queue.size).toBe(5)
  })

  test('a removed item frees its place and leaves the others where they are', () => {
    const queue = queueOf('a1', 'a2', 'b1')
    queue.remove('a', 'a1')
    queue.remove('a', 'a1')
    queue.remove('z', 'z1')
    expect(queue.size).toBe(2)
    expect(drain(queue)).toEqual(['a2', 'b1'])
  })

  test('clear() returns what waits', () => {
    const queue = queueOf('a1', 'b1', 'a2')
    expect(queue.clear().sort()).toEqual(['a1', 'a2', 'b1'])
    expect([queue.size, queue.take()]).toEqual([0, undefined])
  })

  test('behaves like a list of items and one of callers, whatever is added, taken and removed', () => {
    const caller = fc.constantFrom('a', 'b', 'c', 'd')
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), caller }),
      fc.record({ kind: fc.constant('take' as const), blocked: fc.option(caller) }),
      fc.record({ kind: fc.constant('remove' as const), place: fc.nat(6) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new FairQueue<string>(LIMITS)
        const model = new ModelQueue()
        steps.forEach((each, number) => {
          if (each.kind === 'add') {
            const item = `${each.caller}${number}`
            if (model.add(item)) queue.add(each.caller, item)
            else expect(() => queue.add(each.caller, item)).toThrow('too many')
          } else if (each.kind === 'take') {
            const mayStart = (item: string) => !item.startsWith(each.blocked ?? '-')
            expect(queue.take(mayStart)).toBe(model.take(mayStart))
          } else {
            const item = model.items[each.place] ?? 'absent'
            queue.remove(item.slice(0, 1), item)
            model.remove(item)
          }
          expect(queue.size).toBe(model.items.length)
        })
      }),
    )
  })
})

/** What `FairQueue` promises, in the plainest way. The name of an item begins with that of its caller. */
class ModelQueue {
  items: string[] = []
  /** Callers with items, in the order of their turns. */
  #turns: string[] = []

  add(item: string): boolean {
    const own = this.#own(item.slice(0, 1))
    if (own.length >= LIMITS.bounds.account || this.items.length >= LIMITS.bounds.all) return false
    if (own.length === 0) this.#turns.push(item.slice(0, 1))
    this.items.push(item)
    return true
  }

  take(mayStart: (item: string) => boolean): string | undefined {
    const caller = this.#turns.find((each) => mayStart(this.#own(each)[0] ?? ''))
    if (caller === undefined) return undefined
    const [item = ''] = this.#own(caller)
    this.#turns = [...this.#turns.filter((each) => each !== caller), caller]
    this.remove(item)
    return item
  }

  remove(item: string): void {
    this.items = this.items.filter((each) => each !== item)
    this.#turns = this.#turns.filter((each) => this.#own(each).length > 0)
  }

  #own(caller: string): string[] {
    return this.items.filter((item) => item.startsWith(caller))
  }
}
