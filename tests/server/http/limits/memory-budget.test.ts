import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  MemoryBudget,
  REQUEST_MEMORY,
  RESPONSE_MEMORY,
} from '../../../../src/server/http/limits/memory-budget.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const MIB = 1024 * 1024
const COLLECTION_MS = 200
const refused = expect.objectContaining({ reason: 'too_many_large_bodies', retryAfter: 5 })

/** A budget with the names of the bodies that are being read, in order of their admission. */
function openBudget(clock = new FakeClock(), limits = REQUEST_MEMORY) {
  const budget = new MemoryBudget(clock, limits)
  const reading: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const send = (name: string, mib: number, account = name) =>
    budget.run(account, mib * MIB, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      reading.push(name)
      ends.set(name, (error) => (error ? reject(error) : resolve()))
      await promise.finally(() => reading.splice(reading.indexOf(name), 1))
    })
  /** Ends a body and waits for the collection of its garbage. */
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error)
    await settle()
    await clock.advance(COLLECTION_MS)
  }
  return { budget, clock, reading, ends, send, end }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Why a body was refused by now. */
const refusalOf = (sent: Promise<unknown>) =>
  Promise.race([
    sent.then(
      () => 'none: it was sent',
      (error: unknown) => error,
    ),
    settle().then(() => 'none: it waits'),
  ])

test('MemoryBudget.run() admits 20 MiB in all; the others follow in order, also after a failure', async () => {
  const { reading, send, end } = openBudget()
  const runs = [send('ada', 10), send('bob', 10), send('cleo', 10), send('dan', 2)]
  await settle()
  expect(reading).toEqual(['ada', 'bob'])
  const failed = runs[1]?.catch((error: Error) => error.message)
  await end('bob', new Error('no'))
  expect(await failed).toBe('no')
  expect(reading).toEqual(['ada', 'cleo'])
  await end('ada')
  expect(reading).toEqual(['cleo', 'dan'])
})

test('MemoryBudget.run() lets no smaller body overtake one that waits for the budget', async () => {
  const { reading, send, end } = openBudget()
  void send('ada', 16)
  void send('bob', 10)
  void send('cleo', 2)
  await settle()
  expect(reading).toEqual(['ada'])
  await end('ada')
  expect(reading).toEqual(['bob', 'cleo'])
})

test('MemoryBudget.run() settles with its work and frees the share after a collection', async () => {
  const { clock, reading, ends, send } = openBudget()
  const first = send('ada', 16)
  void send('bob', 16)
  await settle()
  ends.get('ada')?.()
  await first
  await clock.advance(COLLECTION_MS - 1)
  expect(reading).toEqual([])
  await clock.advance(1)
  expect(reading).toEqual(['bob'])
})

test('MemoryBudget.run() frees a share that is returned during a collection after the next one', async () => {
  const { clock, reading, ends, send } = openBudget()
  void send('ada', 10)
  void send('bob', 10)
  void send('cleo', 20)
  await settle()
  ends.get('ada')?.()
  await clock.advance(COLLECTION_MS / 2)
  ends.get('bob')?.()
  await clock.advance(COLLECTION_MS)
  expect(reading).toEqual([])
  await clock.advance(COLLECTION_MS)
  expect(reading).toEqual(['cleo'])
})

test('MemoryBudget.run() limits an account to half of the budget and admits other accounts', async () => {
  const { reading, send, end } = openBudget()
  for (const name of ['a1', 'a2', 'a3']) void send(name, 5, 'ada')
  void send('b1', 5, 'bob')
  await settle()
  expect(reading).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(reading).toEqual(['a2', 'b1', 'a3'])
})

test('MemoryBudget.run() admits a body above the part of its account while the account has no other', async () => {
  const { reading, send, end } = openBudget()
  void send('a1', 16, 'ada')
  void send('a2', 2, 'ada')
  void send('b1', 4, 'bob')
  await settle()
  expect(reading).toEqual(['a1', 'b1'])
  await end('a1')
  expect(reading).toEqual(['b1', 'a2'])
})

test('MemoryBudget.run() refuses a body after 20 s; the next one receives the share', async () => {
  const { clock, reading, send, end } = openBudget()
  void send('ada', 16)
  await settle()
  const late = send('bob', 16)
  await clock.advance(19_999)
  void send('cleo', 16)
  expect(await refusalOf(late)).toBe('none: it waits')
  await clock.advance(1)
  expect(await refusalOf(late)).toEqual(refused)
  await end('ada')
  expect(reading).toEqual(['cleo'])
  await clock.advance(60_000)
  expect(reading).toEqual(['cleo'])
})

test('MemoryBudget.run() refuses a body at once when 64 are waiting', async () => {
  const { send } = openBudget()
  void send('ada', 16)
  for (let at = 0; at < 64; at += 1) send(`b${at}`, 16).catch(() => undefined)
  expect(await refusalOf(send('cleo', 16))).toEqual(refused)
})

test('MemoryBudget.run() never exceeds the budget and admits every body', async () => {
  const body = fc.record({ account: fc.nat(4), mib: fc.integer({ min: 1, max: 16 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 40 }), async (bodies) => {
      const clock = new FakeClock()
      const budget = new MemoryBudget(clock, REQUEST_MEMORY)
      const reading: typeof bodies = []
      const of = (account?: number) =>
        reading.filter((each) => account === undefined || each.account === account).map(({ mib }) => mib)
      const sum = (list: number[]) => list.reduce((total, each) => total + each, 0)
      let done = 0
      const all = bodies.map((each) =>
        budget.run(String(each.account), each.mib * MIB, async () => {
          reading.push(each)
          expect(sum(of())).toBeLessThanOrEqual(20)
          if (of(each.account).length > 1) expect(sum(of(each.account))).toBeLessThanOrEqual(10)
          await settle()
          reading.splice(reading.indexOf(each), 1)
          done += 1
        }),
      )
      for (let waits = 0; waits < 100 && done < bodies.length; waits += 1) await clock.advance(COLLECTION_MS)
      await Promise.all(all)
      expect(done).toBe(bodies.length)
    }),
    { numRuns: 100 },
  )
})

test('MemoryBudget.run() sends 16 large responses at once, 4 of one account; 16 more of it wait', async () => {
  const { reading, send } = openBudget(new FakeClock(), RESPONSE_MEMORY)
  const refusal = expect.objectContaining({ reason: 'too_many_large_responses', retryAfter: 5 })
  for (let each = 0; each < 20; each += 1) void send(`ada ${each}`, 2, 'ada')
  await settle()
  expect(reading).toEqual(['ada 0', 'ada 1', 'ada 2', 'ada 3'])
  expect(await refusalOf(send('ada 20', 2, 'ada'))).toEqual(refusal)
  for (let each = 0; each < 14; each += 1) void send(`bob ${each}`, 2, `bob ${each}`)
  await settle()
  expect(reading.length).toBe(16)
})

test('MemoryBudget.run() gives the share of a sent response to the next one without a collection', async () => {
  const { reading, ends, send } = openBudget(new FakeClock(), RESPONSE_MEMORY)
  for (let each = 0; each < 5; each += 1) void send(`ada ${each}`, 2, 'ada')
  await settle()
  ends.get('ada 0')?.()
  await settle()
  expect(reading).toEqual(['ada 1', 'ada 2', 'ada 3', 'ada 4'])
})

test('MemoryBudget.take() stops waiting when the receiver has gone', async () => {
  const budget = new MemoryBudget(new FakeClock(), RESPONSE_MEMORY)
  await budget.take('ada', 8 * MIB)
  const stop = new AbortController()
  const waiting = Array.from({ length: 16 }, () => budget.take('ada', 2 * MIB, stop.signal))
  stop.abort()
  const ends = await Promise.allSettled(waiting)
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
  // Nobody waits any more, so this one is not refused at once.
  expect(await refusalOf(budget.take('ada', 2 * MIB))).toBe('none: it waits')
})
