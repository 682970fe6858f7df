import { describe, expect, test } from 'bun:test'
import { createLog, Loop } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** A loop of 1 s that counts its runs; each waits for `gate`, if there is one. */
function openCase() {
  const clock = new FakeClock()
  const lines: string[] = []
  const state = {
    clock,
    lines,
    runs: 0,
    atOnce: 0,
    mostAtOnce: 0,
    gate: undefined as Promise<void> | undefined,
    fails: false,
    /** Subscribed while the loop runs. */
    wakers: new Set<() => void>(),
  }
  const loop = new Loop({
    name: 'test',
    clock,
    log: createLog({ write: (line) => lines.push(line) }),
    intervalMs: 1_000,
    wakeOnChanges(wake) {
      state.wakers.add(wake)
      return () => state.wakers.delete(wake)
    },
    async runOnce() {
      state.runs += 1
      state.atOnce += 1
      state.mostAtOnce = Math.max(state.mostAtOnce, state.atOnce)
      await state.gate
      state.atOnce -= 1
      if (state.fails) throw new Error('it failed')
    },
  })
  const settle = () => clock.advance(0)
  return Object.assign(state, { loop, settle })
}

describe('Loop', () => {
  test('runs at start, then once in each interval', async () => {
    const it = openCase()
    it.loop.start()
    it.loop.start()
    await it.settle()
    expect(it.runs).toBe(1)
    await it.clock.advance(999)
    expect(it.runs).toBe(1)
    await it.clock.advance(1)
    expect(it.runs).toBe(2)
    await it.loop.stop()
  })

  test('subscribes to changes from start to stop, and again after the next start', async () => {
    const it = openCase()
    expect(it.wakers.size).toBe(0)
    for (const runs of [2, 4]) {
      it.loop.start()
      it.loop.start()
      await it.settle()
      expect(it.wakers.size).toBe(1)
      for (const wake of it.wakers) wake()
      await it.settle()
      expect(it.runs).toBe(runs)
      await it.loop.stop()
      await it.loop.stop()
      expect(it.wakers.size).toBe(0)
    }
  })

  test('a stop ends the signal of the run and waits for the run; the next run has a signal of its own', async () => {
    const ended: boolean[] = []
    const loop = new Loop({
      name: 'test',
      clock: new FakeClock(),
      log: createLog({ write: () => undefined }),
      intervalMs: 1_000,
      async runOnce(signal) {
        ended.push(signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        ended.push(signal.aborted)
      },
    })
    for (let starts = 0; starts < 2; starts += 1) {
      loop.start()
      await loop.stop()
    }
    expect(ended).toEqual([false, true, false, true])
  })

  test('runs at once when it is woken, and the interval starts again', async () => {
    const it = openCase()
    it.loop.start()
    await it.clock.advance(600)
    it.loop.wake()
    await it.settle()
    expect(it.runs).toBe(2)
    await it.clock.advance(999)
    expect(it.runs).toBe(2)
    await it.loop.stop()
  })

  test('turns any number of wakes during a run into one more run, and never runs twice at once', async () => {
    const it = openCase()
    const gate = Promise.withResolvers<void>()
    it.gate = gate.promise
    it.loop.start()
    for (let round = 0; round < 5; round += 1) it.loop.wake()
    await it.settle()
    expect(it.runs).toBe(1)
    gate.resolve()
    await it.settle()
    expect([it.runs, it.mostAtOnce]).toEqual([2, 1])
    await it.loop.stop()
  })

  test('backs off after failures, even when it is woken, and logs the first one and the recovery', async () => {
    const it = openCase()
    it.fails = true
    it.loop.start()
    await it.settle()
    const runsAt: number[] = []
    for (let ms = 0; ms < 3_000; ms += 50) {
      const before = it.runs
      it.loop.wake()
      await it.clock.advance(50)
      if (it.runs > before) runsAt.push(ms + 50)
    }
    expect(runsAt).toEqual([250, 750, 1_750])
    expect(it.lines).toHaveLength(1)
    expect(it.lines[0]).toContain('"message":"loop run failed","loop":"test","error":"Error: it failed')
    expect(it.loop.healthProblem()).toBe('fails: it failed')
    it.fails = false
    await it.clock.advance(750)
    expect(it.runs).toBe(5)
    expect(it.lines).toHaveLength(2)
    expect(it.lines[1]).toContain('"message":"loop runs again","loop":"test","failed":4')
    expect(it.loop.healthProblem()).toBeUndefined()
    await it.loop.stop()
    expect(it.loop.healthProblem()).toBe('is stopped')
  })

  test('keeps its interval when that is longer than the back-off', async () => {
    const it = openCase()
    it.fails = true
    it.loop.start()
    await it.settle()
    await it.clock.advance(999)
    expect(it.runs).toBe(1)
    await it.clock.advance(1)
    expect(it.runs).toBe(2)
    await it.loop.stop()
  })

  test('healthProblem() reports a run that does not end', async () => {
    const it = openCase()
    const gate = Promise.withResolvers<void>()
    it.gate = gate.promise
    it.loop.start()
    await it.clock.advance(60_000)
    expect(it.loop.healthProblem()).toBeUndefined()
    await it.clock.advance(5_000)
    expect(it.loop.healthProblem()).toBe('has been stuck for 65 s')
    gate.resolve()
    await it.settle()
    expect(it.loop.healthProblem()).toBeUndefined()
    await it.loop.stop()
  })

  test('stop() waits for the run, can be called twice, and start() begins again', async () => {
    const it = openCase()
    const gate = Promise.withResolvers<void>()
    it.gate = gate.promise
    it.loop.start()
    let isStopped = false
    const stopped = Promise.all([it.loop.stop(), it.loop.stop()]).then(() => {
      isStopped = true
    })
    await it.settle()
    expect(isStopped).toBe(false)
    gate.resolve()
    await stopped
    await it.clock.advance(5_000)
    expect(it.runs).toBe(1)
    it.loop.start()
    await it.settle()
    expect(it.runs).toBe(2)
    await it.loop.stop()
  })
})

test('Loop calls a function for the pause before each run', async () => {
  const clock = new FakeClock()
  let pauseMs = 1_000
  let runs = 0
  const runOnce = () => {
    runs += 1
  }
  const loop = new Loop({ name: 'test', clock, log: createLog(), intervalMs: () => pauseMs, runOnce })
  loop.start()
  await clock.advance(0)
  pauseMs = 5_000
  await clock.advance(1_000)
  expect(runs).toBe(2)
  await clock.advance(4_999)
  expect(runs).toBe(2)
  await clock.advance(1)
  expect(runs).toBe(3)
  await loop.stop()
})

test('Loop that is woken again and again keeps one timer', async () => {
  const it = openCase()
  it.loop.start()
  for (let runs = 1; runs <= 500; runs++) {
    it.loop.wake()
    await it.clock.advance(10)
    expect(it.clock.sleepers).toBe(1)
  }
  const { runs } = it
  await it.clock.advance(999)
  expect(it.runs).toBe(runs)
  await it.clock.advance(1)
  expect(it.runs).toBe(runs + 1)
  await it.loop.stop()
  expect(it.clock.sleepers).toBe(0)
})
