import { expect, test } from 'bun:test'
import { processorMsOf, threadNumber, withProcessorLimit } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

test('processorMsOf() grows while a process works, and is unknown for one that does not exist', async () => {
  const child = Bun.spawn([process.execPath, '-e', 'for (;;) {}'], { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    await until('it has worked', () => (processorMsOf(child.pid) ?? 0) > 200)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
  expect(processorMsOf(2 ** 30)).toBeUndefined()
})

test('a thread knows its number, by which its processor time is found', () => {
  const thread = threadNumber()
  expect(thread).toBe(process.pid)
  expect(processorMsOf({ thread: thread ?? 0 })).toBeGreaterThan(0)
})

test('withProcessorLimit() counts processor time, and the time that passes only where it is much longer', async () => {
  const limited = (usedMs: () => number | undefined) => {
    const clock = new FakeClock()
    const never = new Promise<string>(() => undefined)
    const limit = {
      clock,
      usedMs,
      maxMs: 1_000,
      maxWallMs: 5_000,
      onExceeded: (which: string) => new Error(which),
    }
    const refusal = withProcessorLimit(never, limit).catch((error: Error) => error.message)
    return { refusal, pass: async (ms: number) => clock.advance(ms) }
  }
  let used = 500
  const busy = limited(() => used)
  await busy.pass(1_000)
  used = 1_600
  await busy.pass(1_000)
  expect(await busy.refusal).toBe('processor')
  const starved = limited(() => 100)
  for (let second = 0; second < 5; second += 1) await starved.pass(1_000)
  expect(await starved.refusal).toBe('wall')
  const unknown = limited(() => undefined)
  await unknown.pass(1_000)
  expect(await unknown.refusal).toBe('processor')
  const done = {
    clock: new FakeClock(),
    usedMs: () => 0,
    maxMs: 1,
    maxWallMs: 1,
    onExceeded: () => new Error(),
  }
  expect(await withProcessorLimit(Promise.resolve('done'), done)).toBe('done')
})
