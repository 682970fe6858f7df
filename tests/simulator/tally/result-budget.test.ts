import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemClock } from '../../../src/base/index.ts'
import { createSimulator } from '../../../src/simulator/index.ts'
import { ResultBudget } from '../../../src/simulator/tally/result-budget.ts'
import { ioOf } from '../../devices/support/jobs.ts'

const TOO_LARGE = { code: 'results_too_large', executed: true }

test('threads that share the numbers of a budget stop at the sum', () => {
  const first = new ResultBudget(100)
  const second = new ResultBudget(100, { shared: first.shared })
  first.spend(30)
  expect(second.spendCounts(60)).toBe(true)
  expect([first.left, second.left, first.taken, second.taken]).toEqual([
    ...[10, 10],
    { counts: 0, others: 30 },
    { counts: 60, others: 0 },
  ])
  expect(() => first.spend(11)).toThrow(expect.objectContaining(TOO_LARGE))
  expect(() => second.spendCounts(1)).toThrow(expect.objectContaining(TOO_LARGE))
})

test('a thread gives back what it has taken for a method that is given up', () => {
  const budget = new ResultBudget(100)
  budget.spend(10)
  const { taken } = budget
  budget.spend(20)
  budget.spendCounts(30)
  budget.giveBack(taken)
  expect([budget.left, budget.taken]).toEqual([90, { counts: 0, others: 10 }])
})

test('lengths beyond every number leave the sum right for the other threads', () => {
  const budget = new ResultBudget(2 ** 23)
  for (let thread = 0; thread < 200; thread++) {
    const other = new ResultBudget(2 ** 23, { shared: budget.shared })
    expect(() => other.spend(1e6 * 70_000 * 44)).toThrow(expect.objectContaining(TOO_LARGE))
  }
  expect(budget.left).toBe(0)
})

test('whether counts are omitted depends on the sum of the lengths, in whatever order and thread they are taken', () => {
  const step = fc.record({
    thread: fc.nat(2),
    isCounts: fc.boolean(),
    length: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const of = (isCounts: boolean) =>
        steps.filter((each) => each.isCounts === isCounts).reduce((sum, { length }) => sum + length, 0)
      const first = new ResultBudget(200, { mayOmitCounts: true })
      const threads = [1, 2].map(() => new ResultBudget(200, { mayOmitCounts: true, shared: first.shared }))
      const run = () => {
        for (const { thread, isCounts, length } of steps) {
          const budget = [first, ...threads][thread] ?? first
          if (isCounts) budget.spendCounts(length)
          else budget.spend(length)
        }
      }
      if (of(false) > 200) expect(run).toThrow(expect.objectContaining(TOO_LARGE))
      else {
        run()
        expect(first.omitsCounts).toBe(of(false) + of(true) > 200)
      }
    }),
  )
})

const COINS = 'OPENQASM 3.0; include "stdgates.inc"; qubit[40] q; bit[40] c; h q; c = measure q;'

/** Runs `circuits` circuits of 40 coins, 200 shots each: 48 characters for each outcome. */
async function run(circuits: number, resultLength: number, memory: 'none' | 'bits' | 'packed_bits') {
  const simulator = await createSimulator({ clock: systemClock, threads: 1 })
  const limits = { executions: 10, declaredQubits: 100, stateQubits: 27, shots: 1_000, resultLength }
  const request = Array.from({ length: circuits }, () => ({ program: COINS, parameterSets: [], shots: 200 }))
  const job = { backend: 'test', circuits: request, limits, method: 'automatic', seed: 1, memory }
  return simulator.run(job, ioOf())
}

test('a job with packed memory whose counts do not fit has none, one with other memory is refused', async () => {
  const [one, two] = await run(2, 12_000, 'packed_bits')
  expect([one?.counts, two?.counts]).toEqual([undefined, undefined])
  expect(Buffer.from(String(two?.memory), 'base64')).toHaveLength(200 * 5)
  const whole = await run(2, 40_000, 'packed_bits')
  expect(whole.map(({ counts = {} }) => Object.keys(counts).length)).toEqual([200, 200])
  for (const memory of ['none', 'bits'] as const)
    await expect(run(2, 12_000, memory)).rejects.toMatchObject(TOO_LARGE)
})
