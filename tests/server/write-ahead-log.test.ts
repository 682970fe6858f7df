import { expect, test } from 'bun:test'
import { createLog } from '../../src/base/index.ts'
import { createLogWatch } from '../../src/server/write-ahead-log.ts'
import { FakeClock } from '../support/fake-clock.ts'

test('a log beyond 256 MiB is reported once, and again after it was small', async () => {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), now: () => 0 })
  const sizes = [0, 268_435_456, 268_435_457, 300_000_000, 1, 300_000_000]
  let checks = 0
  const watch = createLogWatch({
    clock,
    log,
    files: {
      trimLog: async () => {
        checks += 1
        return sizes[checks - 1] ?? 0
      },
    },
  })
  watch.start()
  for (const _ of sizes) await clock.advance(10_000)
  await watch.stop()
  const found = lines.map((line) => JSON.parse(line))
  expect(found.map(({ level, megabytes }) => [level, megabytes])).toEqual([
    ['warn', 268],
    ['warn', 300],
  ])
})
