import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { createEngine } from '../../../src/simulator/kernel/engine.ts'
import { CONTROL } from '../../../src/simulator/kernel/layout.ts'
import { compile } from '../../../src/simulator/methods/statevector/gates/compile.ts'
import { Statevector } from '../../../src/simulator/methods/statevector/state/statevector.ts'
import { TimeBudget } from '../../../src/simulator/timing/time-budget.ts'
import { until } from '../../support/until.ts'
import { h, ry, x } from '../support/ops.ts'

const calls = Array.from({ length: 4_000 }, (_, i) => [h(i % 17), ry(0.1, (i + 1) % 17, i % 17)])
  .flat()
  .flatMap((gate) => compile(gate))

const ghz = [h(0), ...Array.from({ length: 16 }, (_, q) => x(q + 1, q))].flatMap((gate) => compile(gate))

function expectGhz(state: Statevector): void {
  state.applyAll(ghz)
  const { amplitudes } = state
  expect(amplitudes[0]).toBeCloseTo(Math.SQRT1_2, 12)
  expect(amplitudes[2 * (2 ** 17 - 1)]).toBeCloseTo(Math.SQRT1_2, 12)
}

test('Engine.run() that ends early leaves the engine ready for the next circuit', async () => {
  const engine = await createEngine(2)
  for (let round = 0; round < 5; round++) {
    const state = new Statevector(engine, 17)
    const deadline = systemClock.monotonic() + 15
    const timeBudget = new TimeBudget(systemClock, { signal: new AbortController().signal, deadline })
    await expect(state.evolve(calls, timeBudget)).rejects.toMatchObject({ code: 'timed_out' })
    expectGhz(new Statevector(engine, 17))
  }
  engine.stop()
})

test('Engine.run() ends when it is cancelled while threads work', async () => {
  const engine = await createEngine(2)
  const abort = new AbortController()
  const io = { signal: abort.signal, deadline: systemClock.monotonic() + 60_000 }
  const running = new Statevector(engine, 17).evolve(calls, new TimeBudget(systemClock, io))
  setTimeout(() => abort.abort(new Error('cancelled')), 20)
  await expect(running).rejects.toThrow('cancelled')
  engine.stop()
})

test('Engine.run() continues without threads that have ended, and starts others', async () => {
  const engine = await createEngine(3)
  engine.warmUp()
  expectGhz(new Statevector(engine, 17))
  engine.stop()
  expectGhz(new Statevector(engine, 17))
  expectGhz(new Statevector(engine, 17))
  engine.stop()
})

test('Engine.run() uses its threads, also after the memory was replaced', async () => {
  const engine = await createEngine(2)
  for (const qubits of [17, 18]) {
    // Another size of memory each time. A thread may start late on a busy machine, but not always.
    new Statevector(engine, 26)
    engine.release()
    await until('both threads work', () => {
      new Statevector(engine, qubits).applyAll(calls.slice(0, 200))
      return engine.threadsUsed === 2
    })
  }
  engine.stop()
})

test('Engine.run() fails when a thread does not finish its block, and works again with another memory', async () => {
  const engine = await createEngine(2, 20)
  const state = new Statevector(engine, 17)
  Atomics.store(new Int32Array(engine.buffer, 0, 16), CONTROL.active, 1)
  expect(() => state.applyAll(ghz)).toThrow('a thread of the simulator does not respond')
  // A thread of a busy machine may take longer than this limit, too.
  await until('the engine works', () => {
    expectGhz(new Statevector(engine, 17))
    return true
  })
  engine.stop()
})

test('Engine releases the memory of a large state', async () => {
  const engine = await createEngine(1)
  const state = new Statevector(engine, 26)
  expect(engine.buffer.byteLength).toBeGreaterThan(2 ** 30)
  expect(state.qubits).toBe(26)
  engine.release()
  expect(engine.buffer.byteLength).toBeLessThan(2 ** 27)
})
