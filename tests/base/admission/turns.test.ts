import { expect, test } from 'bun:test'
import { Turns } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** A request that takes `ms` of its turn. */
function requests() {
  const clock = new FakeClock()
  const turns = new Turns(clock, 10)
  const log: string[] = []
  let turn = 0
  const count = () => {
    turn += 1
    setImmediate(count)
  }
  count()
  const request = async (caller: string, ms: number) => {
    const later = turns.enter(caller)
    if (later !== undefined) await later
    log.push(`${caller} ${turn}`)
    await clock.advance(ms)
  }
  return { request, log, turn: () => turn }
}

test('cheap requests start at once', async () => {
  const { request, log } = requests()
  await Promise.all(Array.from({ length: 100 }, () => request('ada', 0)))
  expect(new Set(log)).toEqual(new Set(['ada 1']))
})

test('a request waits from 10 ms of a turn on', async () => {
  let now = 0
  const turns = new Turns({ now: () => now, monotonic: () => now, sleep: async () => undefined }, 10)
  expect(turns.enter('ada')).toBeUndefined()
  now = 9.9
  expect(turns.enter('ada')).toBeUndefined()
  now = 10
  const later = turns.enter('ada')
  expect(later).toBeInstanceOf(Promise)
  await later
  expect(turns.enter('ada')).toBeUndefined()
})

test('expensive requests that arrive together start in turns of their own, and callers take turns', async () => {
  const { request, log, turn } = requests()
  const all = Array.from({ length: 10 }, () => request('ada', 20))
  const start = turn()
  await Promise.resolve()
  const bob = request('bob', 0)
  await Promise.all([...all, bob])
  const turnsOf = (caller: string) =>
    log.filter((line) => line.startsWith(caller)).map((line) => Number(line.split(' ')[1]))
  expect(Math.max(...turnsOf('ada')) - start).toBeGreaterThanOrEqual(5)
  expect(log.findIndex((line) => line.startsWith('bob'))).toBeLessThan(5)
})

test('waiting requests that are cheap start many at a time', async () => {
  const { request, log } = requests()
  const first = request('ada', 20)
  const others = Array.from({ length: 500 }, () => request('ada', 0))
  await Promise.all([first, ...others])
  expect(new Set(log).size).toBeLessThan(30)
})

test('works that one event lets go on start in several turns, though all of them ask before the first one', async () => {
  const { log, turn } = requests()
  const clock = new FakeClock()
  const turns = new Turns(clock, 10)
  const event = Promise.withResolvers<void>()
  const all = Array.from({ length: 6 }, async () => {
    await event.promise
    await turns.wait()
    log.push(String(turn()))
    await clock.advance(20)
  })
  event.resolve()
  await Promise.all(all)
  expect(new Set(log).size).toBeGreaterThanOrEqual(4)
})

test('other work of a turn delays no request by more than that turn', async () => {
  let now = 0
  const turns = new Turns({ now: () => now, monotonic: () => now, sleep: async () => undefined }, 10)
  let turn = 0
  // As the booking of a series, whose commit takes longer than a turn may.
  const commit = () => {
    turn += 1
    now += 15
    setImmediate(commit)
  }
  void turns.enter('ada')
  now = 10
  const waited: number[] = []
  const callers = Array.from({ length: 25 }, (_, number) => `user${number}`)
  setImmediate(commit)
  await Promise.all(callers.map((caller) => turns.enter(caller)?.then(() => waited.push(turn))))
  expect(waited).toEqual(callers.map(() => 1))
})

test('work that has used up its time rests as long as it took, also when nothing waits yet', async () => {
  const clock = new FakeClock()
  const turns = new Turns(clock, 4, 1)
  const log: string[] = []
  const start = async (name: string) => {
    await turns.enter(name)
    log.push(name)
    void clock.advance(5)
  }
  await start('ada')
  await new Promise((resolve) => setImmediate(resolve))
  const other = start('bob')
  await clock.advance(4)
  expect(log).toEqual(['ada'])
  await clock.advance(1)
  await other
})
