import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BodyMemoryBudget } from '../../../../src/server/http/limits/body-memory-budget.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const MIB = 1024 * 1024
const busy = expect.objectContaining({ reason: 'too_many_large_bodies', retryAfter: 5 })

/** Bodies in a room: which are being held, in order of their entry, and how to end one. */
function openRoom(clock = new FakeClock()) {
  const room = new BodyMemoryBudget(clock)
  const held: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const send = (name: string, mib: number, account = name) =>
    room.run(account, mib * MIB, async () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      held.push(name)
      ends.set(name, (error) => (error ? reject(error) : resolve()))
      await promise.finally(() => held.splice(held.indexOf(name), 1))
    })
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { room, clock, held, send, end }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('BodyRoom.run() holds 20 MiB in all; the others come in order, whatever becomes of those before', async () => {
  const { held, send, end } = openRoom()
  const runs = [send('ada', 10), send('bob', 10), send('cleo', 10), send('dan', 2)]
  await settle()
  expect(held).toEqual(['ada', 'bob'])
  const failed = runs[1]?.catch((error: Error) => error.message)
  await end('bob', new Error('no'))
  expect(await failed).toBe('no')
  expect(held).toEqual(['ada', 'cleo'])
  await end('ada')
  expect(held).toEqual(['cleo', 'dan'])
})

test('BodyRoom.run() gives an account half of it, and nobody waits behind an account that has its share', async () => {
  const { held, send, end } = openRoom()
  for (const name of ['a1', 'a2', 'a3']) void send(name, 5, 'ada')
  void send('b1', 5, 'bob')
  await settle()
  expect(held).toEqual(['a1', 'a2', 'b1'])
  await end('a1')
  expect(held).toEqual(['a2', 'b1', 'a3'])
})

test('BodyRoom.run() takes a body that is larger than the share, beside nothing else of its account', async () => {
  const { held, send, end } = openRoom()
  void send('a1', 16, 'ada')
  void send('a2', 2, 'ada')
  void send('b1', 4, 'bob')
  await settle()
  expect(held).toEqual(['a1', 'b1'])
  await end('a1')
  expect(held).toEqual(['b1', 'a2'])
})

test('BodyRoom.run() sends away who has waited for 20 s, and the next has the room', async () => {
  const { clock, held, send, end } = openRoom()
  void send('ada', 16)
  await settle()
  const late = send('bob', 16).catch((error: unknown) => error)
  await clock.advance(19_999)
  void send('cleo', 16)
  await clock.advance(1)
  expect(await late).toEqual(busy)
  await end('ada')
  expect(held).toEqual(['cleo'])
  await clock.advance(60_000)
  expect(held).toEqual(['cleo'])
})

test('BodyRoom.run() sends away at once who comes when 64 wait', async () => {
  const { send } = openRoom()
  void send('ada', 16)
  for (let at = 0; at < 64; at += 1) send(`b${at}`, 16).catch(() => undefined)
  await expect(send('cleo', 16)).rejects.toEqual(busy)
})

test('BodyRoom.run() never holds more than there is, and everybody has a turn', async () => {
  const body = fc.record({ account: fc.nat(4), mib: fc.integer({ min: 1, max: 16 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(body, { maxLength: 40 }), async (bodies) => {
      const room = new BodyMemoryBudget(new FakeClock())
      const held: typeof bodies = []
      const of = (account?: number) =>
        held.filter((each) => account === undefined || each.account === account).map(({ mib }) => mib)
      const sum = (list: number[]) => list.reduce((total, each) => total + each, 0)
      let done = 0
      await Promise.all(
        bodies.map((each) =>
          room.run(String(each.account), each.mib * MIB, async () => {
            held.push(each)
            expect(sum(of())).toBeLessThanOrEqual(20)
            if (of(each.account).length > 1) expect(sum(of(each.account))).toBeLessThanOrEqual(10)
            await settle()
            held.splice(held.indexOf(each), 1)
            done += 1
          }),
        ),
      )
      expect(done).toBe(bodies.length)
    }),
    { numRuns: 100 },
  )
})
