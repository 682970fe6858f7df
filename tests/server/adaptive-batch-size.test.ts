import { expect, test } from 'bun:test'
import { AdaptiveBatchSize } from '../../src/server/adaptive-batch-size.ts'
import { FakeClock } from '../support/fake-clock.ts'

/** Runs `steps` steps of the largest allowed size, whose every row takes `msPerRow`; returns their sizes. */
async function run(
  pace: AdaptiveBatchSize,
  clock: FakeClock,
  msPerRow: number,
  steps: number,
): Promise<number[]> {
  const sizes: number[] = []
  for (let step = 0; step < steps; step += 1) {
    const times: Promise<void>[] = []
    sizes.push(
      pace.run((rows) => {
        // Moves the clock at once; the promise only lets sleepers run.
        times.push(clock.advance(rows * msPerRow))
        return rows
      }),
    )
    await Promise.all(times)
  }
  return sizes
}

test('AdaptiveBatchSize finds the size at which a step takes at most 2.5 ms, from 1 to 500 rows', async () => {
  const clock = new FakeClock()
  const pace = new AdaptiveBatchSize(clock)
  const slow = await run(pace, clock, 0.1, 20)
  expect(slow[0]).toBe(100)
  expect(slow.slice(3).every((rows) => rows >= 10 && rows <= 25)).toBe(true)
  const fast = await run(pace, clock, 0.0001, 30)
  expect(fast.at(-1)).toBe(500)
  expect((await run(pace, clock, 1_000, 12)).at(-1)).toBe(1)
})
