import { expect, test } from 'bun:test'
import { createLogFlush } from '../../../../src/db/sqlite/durability/log-flush.ts'

const SMALL = 10
const LARGE = 2_000

/** A flush whose disk does what the test says, and the order in which commits were reported to be on disk. */
function openFlush() {
  const calls: string[] = []
  const waiting: ((error: Error | null) => void)[] = []
  const reported: string[] = []
  const state = { isDiskBusy: false, error: undefined as Error | undefined, now: 0, flushMs: 1 }
  const flush = createLogFlush(7, {
    now: () => state.now,
    isDiskBusy: () => state.isDiskBusy,
    flushes: {
      now: () => {
        calls.push('now')
        state.now += state.flushMs
        if (state.error) throw state.error
      },
      inThread: (_, done) => {
        calls.push('thread')
        waiting.push(done)
      },
    },
  })
  return {
    ...{ calls, reported, state, flush },
    commit(name: string, frames: number) {
      const flushed = flush.flush(frames)
      if (flushed === undefined) reported.push(name)
      else
        flushed.then(
          () => reported.push(name),
          (error: { reason: string }) => reported.push(`${name} ${error.reason}`),
        )
    },
    async diskIsDone(error: Error | null = null) {
      waiting.shift()?.(error)
      await Bun.sleep(0)
    },
  }
}

test('a small commit is flushed at once, a large one by a thread', async () => {
  const { commit, calls, reported, flush, diskIsDone } = openFlush()
  commit('small', SMALL)
  expect([calls, reported, flush.running]).toEqual([['now'], ['small'], undefined])
  commit('large', LARGE)
  await Bun.sleep(0)
  expect([calls, reported]).toEqual([['now', 'thread'], ['small']])
  expect(flush.running).toBeInstanceOf(Promise)
  await diskIsDone()
  expect(reported).toEqual(['small', 'large'])
  expect(flush.running).toBeUndefined()
})

test('commits during the flush of a large one wait for it, and for a flush that begins after them', async () => {
  const { commit, calls, reported, diskIsDone } = openFlush()
  commit('large', LARGE)
  commit('second', SMALL)
  commit('third', SMALL)
  await Bun.sleep(0)
  expect([calls, reported]).toEqual([['thread'], []])
  await diskIsDone()
  expect([calls, reported]).toEqual([
    ['thread', 'now'],
    ['large', 'second', 'third'],
  ])
  commit('large', LARGE)
  commit('larger', LARGE)
  await diskIsDone()
  expect(reported).toEqual(['large', 'second', 'third', 'large'])
  await diskIsDone()
  expect(reported.at(-1)).toBe('larger')
})

test('small commits go to the thread too while a checkpoint keeps the disk busy', async () => {
  const { commit, calls, reported, state, diskIsDone } = openFlush()
  state.isDiskBusy = true
  commit('small', SMALL)
  await Bun.sleep(0)
  expect([calls, reported]).toEqual([['thread'], []])
  await diskIsDone()
  expect(reported).toEqual(['small'])
})

test('small commits go to the thread while the disk is slow', async () => {
  const { commit, calls, state, diskIsDone } = openFlush()
  state.flushMs = 20
  commit('first', SMALL)
  commit('second', SMALL)
  state.now += 20
  await diskIsDone()
  commit('third', SMALL)
  expect(calls).toEqual(['now', 'thread', 'thread'])
  state.now += 1
  await diskIsDone()
  commit('fourth', SMALL)
  expect(calls).toEqual(['now', 'thread', 'thread', 'now'])
})

test('after a flush that failed, no commit is on disk any more', async () => {
  const { commit, reported, diskIsDone } = openFlush()
  commit('large', LARGE)
  commit('second', SMALL)
  await diskIsDone(new Error('EIO'))
  expect(reported).toEqual(['large storage_unflushed', 'second storage_unflushed'])
  expect(() => commit('third', SMALL)).toThrow(expect.objectContaining({ reason: 'storage_unflushed' }))
  commit('fourth', LARGE)
  await diskIsDone()
  expect(reported.at(-1)).toBe('fourth storage_unflushed')
})

test('a small flush that failed is reported, once and for all', () => {
  const { commit, state } = openFlush()
  state.error = new Error('EIO')
  const refused = expect.objectContaining({ reason: 'storage_unflushed' })
  expect(() => commit('first', SMALL)).toThrow(refused)
  state.error = undefined
  expect(() => commit('second', SMALL)).toThrow(refused)
})
