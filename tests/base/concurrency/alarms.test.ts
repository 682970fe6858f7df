import { expect, test } from 'bun:test'
import { Alarms } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

function openAlarms() {
  const clock = new FakeClock()
  const alarms = new Alarms(clock)
  const rung: string[] = []
  const set = (ms: number, name = String(ms)) =>
    alarms.set(ms, () => rung.push(`${name} at ${clock.monotonic()}`))
  return { clock, alarms, rung, set }
}

test('Alarms ring once each, at their time, in whatever order they are set', async () => {
  const { clock, rung, set } = openAlarms()
  for (const ms of [300, 100, 200, 100]) set(ms)
  await clock.advance(1_000)
  expect(rung).toEqual(['100 at 100', '100 at 100', '200 at 200', '300 at 300'])
  expect(clock.sleepers).toBe(0)
})

test('Alarms that are cleared do not ring, and the next one rings at its time', async () => {
  const { clock, rung, set } = openAlarms()
  const cleared = set(100)
  set(250)
  cleared.clear()
  cleared.clear()
  await clock.advance(1_000)
  expect(rung).toEqual(['250 at 250'])
})

test('Alarms may set others when they ring', async () => {
  const { clock, alarms, rung, set } = openAlarms()
  alarms.set(100, () => {
    set(0, 'at once')
    set(50, 'later')
  })
  await clock.advance(1_000)
  expect(rung).toEqual(['at once at 100', 'later at 150'])
})

test('Alarms start no timer for each limit of a thousand tasks', async () => {
  const { clock, rung, set } = openAlarms()
  let most = 0
  for (let task = 0; task < 1_000; task++) {
    const limits = [set(10_000), set(5_000), set(20), set(10_000)]
    await clock.advance(3)
    for (const limit of limits) limit.clear()
    most = Math.max(most, clock.sleepers)
  }
  expect(rung).toEqual([])
  expect(most).toBeLessThanOrEqual(3)
})

test('Alarms.stop() leaves no timer and rings nothing', async () => {
  const { clock, alarms, rung, set } = openAlarms()
  set(100)
  alarms.stop()
  set(200)
  await clock.advance(1_000)
  expect(clock.sleepers).toBe(0)
  expect(rung).toEqual([])
})
