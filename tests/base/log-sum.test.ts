import { expect, test } from 'bun:test'
import { createLog, LogSum, withLogFields } from '../../src/base/index.ts'
import { FakeClock } from '../support/fake-clock.ts'

function openSum() {
  const clock = new FakeClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)) })
  const sum = new LogSum({ clock, write: (counts) => log.info('jobs', counts) })
  return { clock, lines, sum }
}

test('LogSum writes one line for each second in which something was counted', async () => {
  const { clock, lines, sum } = openSum()
  await clock.advance(5_000)
  for (let at = 0; at < 300; at++) {
    sum.add('dispatched')
    if (at % 3 === 0) sum.add('ended')
    await clock.advance(5)
  }
  await clock.advance(5_000)
  expect(lines).toMatchObject([
    { level: 'info', message: 'jobs', dispatched: 200, ended: 67 },
    { level: 'info', message: 'jobs', dispatched: 100, ended: 33 },
  ])
  expect(clock.sleepers).toBe(0)
})

test('LogSum has no fields of the request that it counts first', async () => {
  const { clock, lines, sum } = openSum()
  withLogFields({ request: 'a' }, () => sum.add('dispatched'))
  await clock.advance(1_000)
  expect(lines[0]).not.toHaveProperty('request')
})

test('LogSum.stop() writes the rest and leaves no timer', async () => {
  const { clock, lines, sum } = openSum()
  sum.add('ended')
  sum.stop()
  sum.stop()
  await clock.advance(5_000)
  expect(lines).toMatchObject([{ ended: 1 }])
  expect(clock.sleepers).toBe(0)
})
