import { expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { awaitSignal } from '../../../src/db/postgres/bridge/await-signal.ts'

/** Notifies for a signal that was seen already, then sets the next one. */
const LATE = `
const { workerData } = require('node:worker_threads')
const signal = new Int32Array(workerData)
while (Atomics.notify(signal, 0) === 0);
Atomics.wait(signal, 1, 0, 50)
Atomics.store(signal, 2, 1)
Atomics.store(signal, 0, 1)
Atomics.notify(signal, 0)
`

test('a late notification of the signal before does not end the wait for the next one', async () => {
  const signal = new Int32Array(new SharedArrayBuffer(12))
  const worker = new Worker(LATE, { eval: true, workerData: signal.buffer })
  await new Promise((resolve) => worker.once('online', resolve))
  expect(awaitSignal(signal, 30_000)).toBe(true)
  expect(Atomics.load(signal, 2)).toBe(1)
  await worker.terminate()
})

test('a signal that does not come ends the wait', () => {
  const signal = new Int32Array(new SharedArrayBuffer(4))
  expect(awaitSignal(signal, 1)).toBe(false)
  Atomics.store(signal, 0, 1)
  expect(awaitSignal(signal, 1)).toBe(true)
  expect(awaitSignal(signal, 1)).toBe(false)
})
