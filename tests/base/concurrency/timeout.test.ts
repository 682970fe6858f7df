import { describe, expect, test } from 'bun:test'
import { withTimeout } from '../../../src/base/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** A wait of 100 ms for a promise under the test's control. */
function openCase(signal?: AbortSignal) {
  const clock = new FakeClock()
  const work = Promise.withResolvers<string>()
  const state = { stopped: undefined as AbortSignal | undefined, timeouts: 0 }
  const result = withTimeout(
    (stopped) => {
      state.stopped = stopped
      return work.promise
    },
    {
      ...{ clock, ms: 100, ...(signal && { signal }) },
      onTimeout: () => {
        state.timeouts += 1
        return 'late'
      },
    },
  )
  return Object.assign(state, { clock, work, result })
}

describe('withTimeout()', () => {
  test('settles as the work does and cancels its timer', async () => {
    const it = openCase()
    await it.clock.advance(99)
    it.work.resolve('done')
    expect(await it.result).toBe('done')
    expect(it.stopped?.aborted).toBe(true)
    await it.clock.advance(1_000)
    expect(it.timeouts).toBe(0)
    expect(it.clock.sleepers).toBe(0)
    const failing = openCase()
    failing.work.reject(new Error('it failed'))
    expect(failing.result).rejects.toThrow('it failed')
    await failing.clock.advance(0)
    expect(failing.clock.sleepers).toBe(0)
  })

  test('settles with onTimeout() when the time is up, aborts the work and ignores its late result', async () => {
    const it = openCase()
    await it.clock.advance(100)
    expect(await it.result).toBe('late')
    expect(it.stopped?.aborted).toBe(true)
    it.work.reject(new Error('ignored'))
    await it.clock.advance(0)
    const clock = new FakeClock()
    const failing = withTimeout(new Promise<string>(() => undefined), {
      ...{ clock, ms: 5 },
      onTimeout: () => {
        throw new Error('no response within 5 ms')
      },
    })
    failing.catch(() => undefined)
    await clock.advance(5)
    expect(failing).rejects.toThrow('no response within 5 ms')
  })

  test('rejects with the reason of its signal, also of one that was already aborted', async () => {
    const stop = new AbortController()
    const it = openCase(stop.signal)
    it.result.catch(() => undefined)
    stop.abort(new Error('the server stops'))
    expect(it.result).rejects.toThrow('the server stops')
    await it.clock.advance(0)
    expect([it.stopped?.aborted, it.clock.sleepers]).toEqual([true, 0])
    const late = openCase(stop.signal)
    expect(late.result).rejects.toThrow('the server stops')
  })

  test('cancels its timer when the work throws at once', async () => {
    const clock = new FakeClock()
    const failing = withTimeout(
      () => {
        throw new Error('not even started')
      },
      { clock, ms: 5, onTimeout: () => undefined },
    )
    expect(failing).rejects.toThrow('not even started')
    await clock.advance(10)
    expect(clock.sleepers).toBe(0)
  })
})
