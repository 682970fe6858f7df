import { describe, expect, test } from 'bun:test'
import { systemClock, watchEventLoop } from '../../src/base/index.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { until } from '../support/until.ts'

describe('FakeClock', () => {
  test('advance() resolves sleeps in the order of their times, each at its own time', async () => {
    const clock = new FakeClock(0)
    const resolved: [string, number][] = []
    const sleep = (name: string, ms: number) => clock.sleep(ms).then(() => resolved.push([name, clock.now()]))
    void sleep('late', 300)
    void sleep('early', 100).then(() => sleep('after early', 50))
    await clock.advance(299)
    expect(resolved).toEqual([
      ['early', 100],
      ['after early', 150],
    ])
    await clock.advance(1)
    expect(resolved.at(-1)).toEqual(['late', 300])
  })

  test('jump() moves the wall clock only and resolves no sleep', async () => {
    const clock = new FakeClock(0)
    let isAwake = false
    void clock.sleep(10).then(() => {
      isAwake = true
    })
    clock.jump(1_000)
    await clock.advance(9)
    expect([clock.now(), clock.monotonic(), isAwake]).toEqual([1_009, 9, false])
  })
})

describe.each([
  ['systemClock', systemClock],
  ['FakeClock', new FakeClock()],
])('sleep() of %s', (_name, clock) => {
  test('ends with the reason of the signal, also of one that was already aborted', async () => {
    const stop = new AbortController()
    const sleeping = clock.sleep(60_000, stop.signal)
    stop.abort(new Error('no more time'))
    await expect(sleeping).rejects.toThrow('no more time')
    await expect(clock.sleep(60_000, stop.signal)).rejects.toThrow('no more time')
  })

  test('waits longer than the 24.8 days that are the limit of one timer', async () => {
    const stop = new AbortController()
    const sleeping = clock.sleep(2 ** 31 + 1, stop.signal)
    await systemClock.sleep(20)
    stop.abort(new Error('still asleep'))
    await expect(sleeping).rejects.toThrow('still asleep')
  })
})

test('watchEventLoop() observes how long the loop was blocked, until it is stopped', async () => {
  const delays: number[] = []
  const stop = watchEventLoop((ms) => delays.push(ms), 100)
  await until('observations of an idle loop', () => delays.length >= 2)
  const end = performance.now() + 250
  let turns = 0
  while (performance.now() < end) turns += 1
  expect(turns).toBeGreaterThan(0)
  await until('the blocked time to be observed', () => Math.max(...delays) >= 60)
  expect(delays.every((ms) => ms >= 0)).toBe(true)
  stop()
  const count = delays.length
  const later: number[] = []
  const stopLater = watchEventLoop((ms) => later.push(ms), 100)
  await until('observations of a watch that began later', () => later.length >= 2)
  stopLater()
  expect(delays).toHaveLength(count)
})

test('systemClock sleeps no time until a moment that has passed, without a warning of the runtime', async () => {
  const warnings: string[] = []
  const collect = ({ name }: Error) => void warnings.push(name)
  process.on('warning', collect)
  await systemClock.sleep(-5)
  await Bun.sleep(0)
  process.off('warning', collect)
  expect(warnings).toEqual([])
})
