import { expect, test } from 'bun:test'
import { type Clock, systemClock } from '../../../src/base/index.ts'
import { createSimulator, SimulationError } from '../../../src/simulator/index.ts'
import { amplitudeDamping } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, onQubit } from '../../../src/simulator/noise/noise-model.ts'
import { TimeBudget } from '../../../src/simulator/timing/time-budget.ts'

/** A clock of which each reading takes 1 ms. */
function tickingClock() {
  let readings = 0
  const clock: Clock = { ...systemClock, monotonic: () => readings++ }
  return { clock, readings: () => readings }
}

const LIMITS = {
  executions: 10,
  declaredQubits: 70_000,
  stateQubits: 27,
  shots: 1_000_000,
  resultLength: 2 ** 25,
}

interface Options {
  shots?: number
  method?: string
  memory?: 'none' | 'packed_bits' | 'mean_point'
  deadline?: number
  noisy?: boolean
}

/** Runs a program; each reading of the clock takes 1 ms of the `deadline`. Returns how it ends. */
async function endOf(program: string, options: Options = {}) {
  const { shots = 100, method = 'automatic', memory = 'none', deadline = 60 } = options
  const { clock, readings } = tickingClock()
  const simulator = await createSimulator({ clock, threads: 1 })
  const phases: string[] = []
  const model = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [amplitudeDamping(1e-9)]),
    readoutErrorOf: () => [0, 0],
  })
  const circuits = [{ program, parameterSets: [], shots }]
  const error: unknown = await simulator
    .run(
      {
        ...{ backend: 'test', circuits, limits: LIMITS, method, seed: 1, memory },
        ...(options.noisy && { noise: { model } }),
      },
      { signal: new AbortController().signal, deadline, phase: (name) => phases.push(name) },
    )
    .then(
      () => 'completed',
      (reason: unknown) => reason,
    )
  return { error, readings: readings(), phases }
}

const V3 = 'OPENQASM 3.0; include "stdgates.inc";'
const lines = (count: number, line: string) => line.repeat(count)

/** Programs of which one part takes many times the time of the others, counted in readings of the clock. */
const CASES: [part: string, program: () => string, Options?][] = [
  ['reading', () => `${V3} int v = 0; ${lines(2_000, 'v = v + 1;\n')}`],
  ['reading', () => `OPENQASM 2.0; include "qelib1.inc"; qreg q[2]; ${lines(90_000, 'h q[0];')}`],
  [
    'lowering',
    () => `${V3} int v = 0; bit c; qubit q; for int i in [0:1000000000] { v += i; } c = measure q;`,
  ],
  ['lowering', () => `${V3} qubit[2] q; bit c; for int i in [0:200000] { h q[0]; } c = measure q[0];`],
  ['lowering', () => `${V3} bit[30000] a; bit[30000] b; for int i in [0:20000] { a = a ^ b; }`],
  [
    'interpretation',
    () =>
      `${V3} qubit q; bit m; int v; h q; m = measure q; if (m) x q; for int i in [0:100000000] { v += i; }`,
  ],
  [
    'interpretation',
    () =>
      `${V3} qubit[2] q; bit m; int v; m = measure q[1]; while (!m) { v = (3 * v + 1) % 7; v += 1; m = measure q[1]; }`,
  ],
  [
    'planning',
    () => `${V3} qubit[2] q; bit[2] c; ${lines(4_000, 'h q[0]; cx q[0], q[1];\n')} c = measure q;`,
    { noisy: true },
  ],
  [
    'evolution',
    () =>
      `${V3} qubit[18] q; bit[18] c; for int j in [0:60] { for int i in [0:16] { ry(0.1) q[i]; cx q[i], q[i+1]; } } c = measure q;`,
  ],
  [
    'evolution',
    () => `${V3} qubit[1000] q; bit[1000] c; for int i in [0:999] { rx(0.3) q[i]; } c = measure q;`,
    { method: 'matrix_product_state' },
  ],
  [
    'evolution',
    () =>
      `${V3} qubit[40] q; bit[40] c; for int j in [0:10] { for int i in [0:38] { ry(0.4) q[i]; cx q[i], q[i+1]; } } c = measure q;`,
    { method: 'matrix_product_state' },
  ],
  [
    'evolution',
    () => `${V3} qubit[1500] q; bit[1500] c; h q; for int i in [0:1498] { cx q[i], q[i+1]; } c = measure q;`,
    { method: 'stabilizer' },
  ],
  [
    'sampling',
    () => `${V3} qubit[500] q; bit[500] c; h q; c = measure q;`,
    { method: 'stabilizer', shots: 100_000 },
  ],
  [
    'sampling',
    () => `${V3} qubit[2] q; bit[2] c; h q; c = measure q;`,
    { shots: 100_000, memory: 'mean_point' },
  ],
  [
    'sampling',
    () => `${V3} qubit[60] q; bit[60] c; h q; c = measure q;`,
    { method: 'matrix_product_state', shots: 2_000 },
  ],
]

/** Readings that only account for a part, between two that compare with the deadline. */
const BETWEEN_CHECKS = 8

/** Deadlines in readings of the clock: at one of them the part runs. */
const DEADLINES = [10, 20, 30, 45, 70, 120, 160, 200, 400, 800, 1_500, 3_000, 6_000]

for (const [index, [part, program, options]] of CASES.entries()) {
  test(`the time limit ends the ${part} of a job, and the error names it (${index})`, async () => {
    const named = new Set<string | undefined>()
    for (const deadline of DEADLINES) {
      const { error, readings } = await endOf(program(), { ...options, deadline })
      if (error === 'completed') break
      // Refused by an estimate, before it starts.
      if (error instanceof SimulationError && error.code === 'too_long') continue
      expect(error).toMatchObject({ code: 'timed_out', executed: true })
      const [, during] = /during ([a-z]+)(?: of circuit 0)? \(/.exec(String(error)) ?? []
      // The part that takes the time is named with it, and little runs after the deadline.
      if (during === part) expect(String(error)).toMatch(new RegExp(`[ (]${part} [0-9.]+ s`))
      expect(readings).toBeLessThanOrEqual(deadline + BETWEEN_CHECKS)
      named.add(during)
      if (during === part) break
    }
    expect(named).toContain(part)
  })
}

test('a part that runs for long is reported, so that a driver can name it', async () => {
  const program = `${V3} int v = 0; bit c; qubit q; for int i in [0:1000000000] { v += i; } c = measure q;`
  const { phases } = await endOf(program, { deadline: 1_000 })
  expect(phases).toEqual(['circuit 0', 'lowering of circuit 0'])
})

test('TimeBudget adds up the time of each part', () => {
  let now = 0
  const clock: Clock = { ...systemClock, monotonic: () => now }
  const budget = new TimeBudget(clock, { signal: new AbortController().signal, deadline: 10_000 })
  now = 1_000
  budget.enter('lower', 'circuit 3')
  now = 4_000
  budget.enter('evolve')
  now = 5_000
  // An interpreter counts the time since the last reading for itself.
  budget.check('interpret')
  now = 7_000
  expect(budget.seconds).toEqual({ read: 1, lower: 3, interpret: 1, evolve: 2 })
  const before = budget.seconds
  now = 10_000
  expect(() => budget.check()).toThrow(
    'job timed out after 10 s during evolution of circuit 3 (reading 1 s, lowering 3 s, interpretation 1 s, evolution 5 s)',
  )
  expect(budget.secondsSince(before)).toEqual({ evolve: 3 })
})
