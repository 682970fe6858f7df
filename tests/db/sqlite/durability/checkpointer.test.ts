import { expect, test } from 'bun:test'
import { createCheckpointer } from '../../../../src/db/sqlite/durability/checkpointer.ts'
import type { LogPosition } from '../../../../src/db/sqlite/durability/log-file.ts'

const at = (frame: number, salt = 1n): LogPosition => ({
  ...{ pageSize: 4_096, salt, frame, page: 1, pages: 1 },
  ...{ before: [0, 0], checksum: [frame, 0] },
})

/** A checkpointer whose thread answers when the test says. */
function openCheckpointer() {
  const passes: PromiseWithResolvers<{ log: number; checkpointed: number }>[] = []
  const failures: unknown[] = []
  const state = { begun: 0, isClosed: false }
  const checkpointer = createCheckpointer(
    {
      checkpoint() {
        state.begun += 1
        const pass = Promise.withResolvers<{ log: number; checkpointed: number }>()
        passes.push(pass)
        return pass.promise
      },
      close: async () => {
        state.isClosed = true
      },
    },
    (error) => failures.push(error),
  )
  const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
  return {
    ...{ checkpointer, failures, state, settled },
    async pass(log: number, checkpointed = log) {
      passes.shift()?.resolve({ log, checkpointed })
      await settled()
    },
    async fail(error: Error) {
      passes.shift()?.reject(error)
      await settled()
    },
  }
}

test('begins when the log has grown by 4,000 frames, one at a time, and ends without a pause if nothing was written', async () => {
  const { checkpointer, state, pass } = openCheckpointer()
  checkpointer.grown(at(3_999))
  expect(state.begun).toBe(0)
  checkpointer.grown(at(4_000))
  expect(state.begun).toBe(1)
  const ends = checkpointer.run()
  await pass(4_000)
  expect(await ends).toBe(true)
  expect([state.begun, checkpointer.isRunning, checkpointer.pause]).toEqual([1, false, undefined])
  // The log started again.
  checkpointer.grown(at(3_999, 2n))
  expect(state.begun).toBe(1)
  checkpointer.grown(at(4_000, 2n))
  expect(state.begun).toBe(2)
})

test('copies again what was written meanwhile, the last part while writes wait', async () => {
  const { checkpointer, state, pass } = openCheckpointer()
  checkpointer.grown(at(4_000))
  checkpointer.grown(at(4_900))
  await pass(4_000)
  expect([state.begun, checkpointer.pause]).toEqual([2, undefined])
  checkpointer.grown(at(4_950))
  await pass(4_900)
  expect(state.begun).toBe(3)
  expect(checkpointer.pause).toBeInstanceOf(Promise)
  await pass(4_950)
  expect([checkpointer.isRunning, checkpointer.pause]).toEqual([false, undefined])
})

test('bounds the log: after four passes writes wait, however much is left', async () => {
  const { checkpointer, pass } = openCheckpointer()
  let written = 4_000
  checkpointer.grown(at(written))
  for (let number = 1; number <= 4; number += 1) {
    expect(checkpointer.pause).toBeUndefined()
    const log = written
    written += 5_000
    checkpointer.grown(at(written))
    await pass(log)
  }
  expect(checkpointer.pause).toBeInstanceOf(Promise)
  await pass(written)
  expect(checkpointer.pause).toBeUndefined()
})

test('does not pause for a reader that keeps the log, and tries again after another 4,000 frames', async () => {
  const { checkpointer, state, pass } = openCheckpointer()
  checkpointer.grown(at(4_000))
  checkpointer.grown(at(4_100))
  const ends = checkpointer.run()
  await pass(4_000, 400)
  expect(await ends).toBe(false)
  expect(checkpointer.pause).toBeUndefined()
  checkpointer.grown(at(8_099))
  expect(state.begun).toBe(1)
  checkpointer.grown(at(8_100))
  expect(state.begun).toBe(2)
})

test('a failed pass lets writes go on', async () => {
  const { checkpointer, failures, pass, fail } = openCheckpointer()
  checkpointer.grown(at(4_000))
  checkpointer.grown(at(4_100))
  await pass(4_000)
  expect(checkpointer.pause).toBeInstanceOf(Promise)
  const ends = checkpointer.run()
  const error = new Error('the disk is full')
  await fail(error)
  expect(await ends).toBe(false)
  expect([failures, checkpointer.pause, checkpointer.isRunning]).toEqual([[error], undefined, false])
})

test('close() waits for the checkpoint that runs', async () => {
  const { checkpointer, state, settled, pass } = openCheckpointer()
  checkpointer.grown(at(4_000))
  const closed = checkpointer.close()
  await settled()
  expect(state.isClosed).toBe(false)
  await pass(4_000)
  await closed
  expect(state.isClosed).toBe(true)
})
