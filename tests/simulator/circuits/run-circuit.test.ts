import { expect, spyOn, test } from 'bun:test'
import { type Clock, systemClock } from '../../../src/base/index.ts'
import type { Op, Sink } from '../../../src/qasm/index.ts'
import {
  type BranchWalker,
  runBranches,
} from '../../../src/simulator/methods/statevector/branching/branch-walker.ts'
import { Statevector } from '../../../src/simulator/methods/statevector/state/statevector.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import { QubitPlaces } from '../../../src/simulator/reduction/qubit-places.ts'
import { ResultBudget } from '../../../src/simulator/tally/result-budget.ts'
import { TimeBudget } from '../../../src/simulator/timing/time-budget.ts'
import { h, measure, measureAll, reset, ry, x } from '../support/ops.ts'
import { distributionOf } from '../support/reference.ts'
import {
  chiSquare,
  chiSquareLimit,
  engine,
  openWalk,
  programOf,
  runOps,
  runOptions,
  runProgram,
} from '../support/run.ts'

const ghz = (qubits: number): Op[] => [
  h(0),
  ...Array.from({ length: qubits - 1 }, (_, q) => x(q + 1, q)),
  ...measureAll(qubits),
]

function total(counts: Record<string, number> | undefined): number {
  return Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)
}

test('runCircuit() samples a GHZ state: only all zeros and all ones, evenly', async () => {
  const { counts } = await runOps(ghz(12), 12, { shots: 20_000 })
  expect(Object.keys(counts ?? {}).sort()).toEqual(['0'.repeat(12), '1'.repeat(12)])
  expect(Math.abs((counts?.['0'.repeat(12)] ?? 0) - 10_000)).toBeLessThan(300)
})

test('runCircuit() is reproducible for the same seed, and differs for another one', async () => {
  const ops = [h(0), h(1), h(2), ...measureAll(3)]
  const first = await runOps(ops, 3, { seed: 4 })
  expect((await runOps(ops, 3, { seed: 4 })).counts).toEqual(first.counts ?? {})
  expect((await runOps(ops, 3, { seed: 5 })).counts).not.toEqual(first.counts ?? {})
  expect((await runOps(ops, 3, { seed: 4, stream: 1 })).counts).not.toEqual(first.counts ?? {})
})

test('runCircuit() samples random circuits with measurements and resets anywhere with the right distribution', async () => {
  const rng = createRng(77)
  for (let round = 0; round < 25; round++) {
    const qubits = 3
    const ops = Array.from({ length: 12 }, (): Op => {
      const a = Math.floor(rng.next() * qubits)
      const b = (a + 1 + Math.floor(rng.next() * 2)) % qubits
      const choices = [ry(3 * rng.next(), a), h(a), x(a, b), measure(a, Math.floor(rng.next() * 3)), reset(a)]
      return choices[Math.floor(rng.next() * choices.length)] ?? h(a)
    }).concat(measure(0, 0))
    const { counts = {} } = await runOps(ops, qubits, { shots: 4_000, seed: round })
    const distribution = distributionOf(ops, qubits, qubits)
    expect(Object.keys(counts).every((key) => (distribution.get(key) ?? 0) > 0)).toBe(true)
    const { value, freedom } = chiSquare(counts, distribution)
    expect(value).toBeLessThan(chiSquareLimit(freedom))
  }
})

test('runCircuit() returns for every shot the outcome that it would have alone, however shots are grouped', async () => {
  const ops = [h(0), measure(0, 0), h(0), measure(0, 1), h(1), reset(1), h(1), measure(1, 2)]
  const few = await runOps(ops, 3, { shots: 40, memory: 'bits' })
  const many = await runOps(ops, 3, { shots: 400, memory: 'bits' })
  expect(Array.isArray(few.memory) && Array.isArray(many.memory)).toBe(true)
  expect((many.memory as string[]).slice(0, 40)).toEqual(few.memory as string[])
})

test('runCircuit() collapses a qubit that is measured twice', async () => {
  const { counts } = await runOps([h(0), measure(0, 0), measure(0, 1)], 1, { clbits: 2 })
  expect(Object.keys(counts ?? {}).sort()).toEqual(['00', '11'])
})

test('runCircuit() returns the last of several measurements into one bit, and 0 for unmeasured bits', async () => {
  const { counts, unmeasured } = await runOps([x(0), measure(0, 1), measure(1, 1), measure(0, 2)], 2, {
    clbits: 4,
  })
  expect(counts).toEqual({ '0100': 1_000 })
  expect(unmeasured).toEqual([0, 3])
})

test('runCircuit() without measurements returns no counts', async () => {
  expect(await runOps([h(0)], 1)).toMatchObject({ counts: {}, unmeasured: [0] })
})

test('runCircuit() reports each shot as a hexadecimal number in shot order', async () => {
  const { counts, memory } = await runOps([h(0), x(4), ...measureAll(5)], 5, {
    shots: 500,
    memory: 'bits',
  })
  const shots = memory as string[]
  expect(shots.length).toBe(500)
  expect(new Set(shots)).toEqual(new Set(['0x10', '0x11']))
  expect(shots.filter((shot) => shot === '0x11').length).toBe(counts?.['10001'] ?? -1)
})

test('runCircuit() flips bits at the given rate, independently for two bits of one qubit', async () => {
  const { counts } = await runOps([x(0), measure(0, 0), measure(0, 1)], 1, {
    clbits: 2,
    shots: 40_000,
    readoutError: 0.1,
  })
  const expected = new Map([
    ['11', 0.81],
    ['01', 0.09],
    ['10', 0.09],
    ['00', 0.01],
  ])
  expect(chiSquare(counts ?? {}, expected).value).toBeLessThan(chiSquareLimit(3))
})

test('runCircuit() applies a readout error to mid-circuit measurements too, but not to the state', async () => {
  const ops = [x(0), measure(0, 0), h(0), h(0), measure(0, 1)]
  const { counts } = await runOps(ops, 1, { clbits: 2, shots: 40_000, readoutError: 0.2 })
  const expected = new Map([
    ['11', 0.64],
    ['01', 0.16],
    ['10', 0.16],
    ['00', 0.04],
  ])
  expect(chiSquare(counts ?? {}, expected).value).toBeLessThan(chiSquareLimit(3))
})

test('runCircuit() returns IQ points around the outcome of each shot', async () => {
  const { counts, memory } = await runOps([x(1), measure(1, 1)], 2, {
    clbits: 2,
    shots: 300,
    memory: 'points',
  })
  expect(counts).toBeUndefined()
  const points = memory as number[][][]
  expect(points.length).toBe(300)
  expect(points.every(([idle]) => idle?.[0] === 0 && idle[1] === 0)).toBe(true)
  const mean = [0, 1].map((part) => points.reduce((sum, shot) => sum + (shot[1]?.[part] ?? 0), 0) / 300)
  expect(Math.abs((mean[0] ?? 0) - 0.9)).toBeLessThan(0.02)
  expect(Math.abs((mean[1] ?? 0) - 0.85)).toBeLessThan(0.02)
})

test('runCircuit() averages IQ points', async () => {
  const { memory } = await runOps([h(0), measure(0, 0)], 1, {
    shots: 20_000,
    memory: 'mean_point',
  })
  const [[re = 0, im = 0] = []] = memory as number[][]
  expect(Math.abs(re - 0.5)).toBeLessThan(0.02)
  expect(Math.abs(im - 0.45)).toBeLessThan(0.02)
})

test('runCircuit() walks a program once per history of outcomes and follows it', async () => {
  let walks = 0
  // Repeats until a fair coin shows 1, at most 3 times; bit 0 is the last throw, bits 1 and 2 count the
  // throws.
  const walk = (sink: Sink) => {
    walks++
    let throws = 0
    let outcome = 0
    while (outcome === 0 && throws < 3) {
      sink.apply({ kind: 'reset', qubit: 0 })
      sink.apply(h(0))
      outcome = sink.measure(0)
      throws++
    }
    return Uint8Array.of(outcome, throws & 1, throws >> 1)
  }
  const { counts } = await runProgram(
    { qubits: 1, clbits: 3, walk, walkOpen: openWalk(walk) },
    runOptions({ shots: 16_000 }),
  )
  const expected = new Map([
    ['011', 1 / 2],
    ['101', 1 / 4],
    ['111', 1 / 8],
    ['110', 1 / 8],
  ])
  expect(Object.keys(counts ?? {}).sort()).toEqual([...expected.keys()].sort())
  expect(chiSquare(counts ?? {}, expected).value).toBeLessThan(chiSquareLimit(3))
  // One of them finds the qubits that the program uses.
  expect(walks).toBe(5)
})

test('runCircuit() measures every qubit of a large state without computing it again for each outcome', async () => {
  const qubits = 16
  const walk = (sink: Sink) => {
    for (let q = 0; q < qubits; q++) sink.apply(h(q))
    return Uint8Array.from({ length: qubits }, (_, q) => sink.measure(q))
  }
  using evolutions = spyOn(engine, 'run')
  const { counts } = await runProgram(
    { qubits, clbits: qubits, walk, walkOpen: openWalk(walk) },
    runOptions({ shots: 1_000, method: 'statevector' }),
  )
  expect(total(counts)).toBe(1_000)
  expect(Object.keys(counts ?? {}).length).toBeGreaterThan(950)
  // One pass through 16 gates, not one for each of about 1,000 outcomes.
  expect(evolutions).toHaveBeenCalledTimes(1)
})

test('runBranches() returns the same outcomes without memory for copies of states', async () => {
  const walk = (walker: BranchWalker) => {
    const bits: number[] = []
    for (let round = 0; round < 6; round++) {
      for (const qubit of [0, 1, 2]) walker.apply(ry(0.7 + round, qubit))
      walker.apply(x(1, 0))
      bits.push(walker.measure(0), walker.measure(1))
      if (bits.at(-1) === 1) walker.apply({ kind: 'reset', qubit: 2 })
    }
    return Uint8Array.from(bits)
  }
  const run = async (stateCopyBytes: number, readoutError: number) => {
    const outcomes = new Map<number, string>()
    await runBranches({
      ...runOptions(),
      state: new Statevector(engine, 3),
      feedback: {
        noise: undefined,
        places: new QubitPlaces([0, 1, 2]),
        assertFits: () => undefined,
      },
      shots: 300,
      readoutErrorOf: () => [readoutError, readoutError],
      stateCopyBytes,
      walk,
      onLeaf: (walker, bits) => {
        const indices = walker.indices()
        walker.shots.forEach((shot, place) => {
          outcomes.set(shot, `${bits.join('')}.${indices[place]}`)
        })
      },
    })
    return [...outcomes].sort(([a], [b]) => a - b)
  }
  for (const error of [0, 0.1]) {
    const roomy = await run(2 ** 30, error)
    expect(roomy.length).toBe(300)
    expect(new Set(roomy.map(([, outcome]) => outcome)).size).toBeGreaterThan(100)
    expect(await run(0, error)).toEqual(roomy)
    expect(await run(3 * 128, error)).toEqual(roomy)
  }
})

test('runCircuit() without classical bits returns no counts', async () => {
  const walk = () => new Uint8Array(0)
  expect(
    await runProgram({ qubits: 1, clbits: 0, walk, walkOpen: openWalk(walk) }, runOptions()),
  ).toMatchObject({
    counts: {},
    unmeasured: [],
  })
})

test('runCircuit() uses outcomes with readout error for feedback', async () => {
  const walk = (sink: Sink) => {
    const first = sink.measure(0)
    if (first === 1) sink.apply(x(0))
    return Uint8Array.of(first, sink.measure(0))
  }
  const options = runOptions({ shots: 40_000, readoutError: 0.3 })
  const { counts } = await runProgram({ qubits: 1, clbits: 2, walk, walkOpen: openWalk(walk) }, options)
  const expected = new Map([
    ['00', 0.49],
    ['10', 0.21],
    ['11', 0.21],
    ['01', 0.09],
  ])
  expect(chiSquare(counts ?? {}, expected).value).toBeLessThan(chiSquareLimit(3))
  expect(total(counts)).toBe(40_000)
})

/** Limits of a job that has `ms` left and is cancelled when `signal` aborts. */
function timeBudgetFor(ms: number, signal = new AbortController().signal): TimeBudget {
  return new TimeBudget(systemClock, { signal, deadline: systemClock.monotonic() + ms })
}

/** Gates that no plan can omit, then measurements. */
const longCircuit = (qubits: number, gates: number): Op[] => [
  ...Array.from({ length: gates }, (_, i) => ry(0.1, (i + 1) % qubits, i % qubits)),
  ...Array.from({ length: qubits - 1 }, (_, q) => x(q + 1, q)),
  ...measureAll(qubits),
]

test('runCircuit() refuses, before it starts, a circuit that cannot end in time', async () => {
  const options = { ...runOptions(), timeBudget: timeBudgetFor(5_000) }
  const running = runProgram(programOf(longCircuit(25, 8_000), 25), options)
  await expect(running).rejects.toMatchObject({ code: 'too_long' })
})

test('runCircuit() ends at its deadline', async () => {
  // Each shot becomes a separate branch, which the estimate does not include.
  const coins = Array.from({ length: 40 }, (): Op[] => [h(0), measure(0, 0), x(1, 0), h(1), measure(1, 1)])
  // A clock of which each reading takes 1 ms.
  let readings = 0
  const clock: Clock = { ...systemClock, monotonic: () => readings++ }
  const timeBudget = new TimeBudget(clock, { signal: new AbortController().signal, deadline: 40 })
  const options = { ...runOptions({ shots: 100_000 }), timeBudget }
  const running = runProgram(programOf([h(9), ...coins.flat(), h(0), measure(0)], 10, 2), options)
  await expect(running).rejects.toMatchObject({
    code: 'timed_out',
    message: expect.stringContaining('job timed out after 0.04 s during evolution'),
  })
  // Nothing runs after the reading at the deadline.
  expect(readings).toBe(41)
})

test('runCircuit() ends when it is cancelled', async () => {
  const abort = new AbortController()
  const options = { ...runOptions(), timeBudget: timeBudgetFor(60_000, abort.signal) }
  const running = runProgram(programOf(longCircuit(19, 10_000), 19), options)
  setTimeout(() => abort.abort(new Error('cancelled')), 30)
  await expect(running).rejects.toThrow('cancelled')
})

test('runCircuit() ends when its results become too large', async () => {
  const running = runOps([h(0), measure(0, 0)], 1, { shots: 900_000, memory: 'points' })
  await expect(running).rejects.toMatchObject({ code: 'results_too_large' })
})

test('runCircuit() ends as soon as its counts are too large; those of the first circuit count twice', async () => {
  const ops = [...Array.from({ length: 100 }, (_, qubit) => h(qubit)), ...measureAll(100)]
  for (const [stream, copies] of [
    [0, 2],
    [1, 1],
  ] as const) {
    const resultBudget = new ResultBudget(500 * 108)
    const options = { ...runOptions({ shots: 20_000, stream }), resultBudget }
    await expect(runProgram(programOf(ops, 100), options)).rejects.toMatchObject({
      code: 'results_too_large',
    })
    // One outcome too many.
    expect(resultBudget.taken.counts).toBe((500 + copies) * 108)
  }
})

test('runCircuit() runs a very long circuit with mid-circuit measurements', async () => {
  const gates = Array.from({ length: 300_001 }, () => x(1, 0))
  const { counts } = await runOps([h(0), ...gates, measure(1, 1), h(1), measure(0, 0)], 2)
  expect(Object.keys(counts ?? {}).sort()).toEqual(['00', '11'])
})
