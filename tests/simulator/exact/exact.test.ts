import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import {
  createSimulator,
  defineNoiseModel,
  depolarizing,
  EXACT_READOUT,
  type ExecutionResult,
  type NoiseModel,
  onQubit,
} from '../../../src/simulator/index.ts'

const simulator = await createSimulator({ clock: systemClock, threads: 1 })

interface Asked {
  expectationValues?: Record<string, number>[]
  method?: string
  noise?: NoiseModel
  bond?: number
  stateQubits?: number
}

async function exactOf(text: string, asked: Asked = {}): Promise<ExecutionResult> {
  const { expectationValues, method = 'automatic', noise, bond, stateQubits = 20 } = asked
  const program = `OPENQASM 3.0; include "stdgates.inc"; ${text}`
  const limits = { executions: 9, declaredQubits: 200, stateQubits, shots: 10, resultLength: 2 ** 22 }
  const [result] = await simulator.run(
    {
      backend: 'test',
      circuits: [{ program, parameterSets: [], shots: 1, ...(expectationValues && { expectationValues }) }],
      limits: { ...limits, ...(bond !== undefined && { maxBondDimension: bond }) },
      method,
      seed: 1,
      memory: 'none',
      exact: true,
      ...(noise && { noise: { model: noise } }),
    },
    {
      signal: new AbortController().signal,
      deadline: systemClock.monotonic() + 60_000,
      phase: () => undefined,
    },
  )
  return result as ExecutionResult
}

const means = async (text: string, sums: Record<string, number>[], more: Asked = {}) => {
  const { exact, provenance } = await exactOf(text, { ...more, expectationValues: sums })
  return { values: exact?.expectationValues ?? [], provenance }
}

function expectClose(found: Record<string, number> = {}, expected: Record<string, number>): void {
  expect(Object.keys(found)).toEqual(Object.keys(expected))
  for (const [outcome, probability] of Object.entries(expected)) {
    expect(found[outcome]).toBeCloseTo(probability, 12)
  }
}

const noiseOf = (strength: number, misread = 0) =>
  defineNoiseModel({
    source: 'test',
    ...(strength > 0 && {
      gateNoiseOf: (_, qubits) => qubits.flatMap((each) => onQubit(each, [depolarizing(strength, 1)])),
    }),
    readoutErrorOf: () => (misread > 0 ? [misread, misread / 2] : EXACT_READOUT),
  })

test('probabilities and means are those of the state, without shots', async () => {
  const { exact, counts, provenance } = await exactOf(
    'qubit[2] q; bit[2] c; ry(0.8) q[0]; cx q[0], q[1]; c = measure q;',
  )
  expectClose(exact?.probabilities, { '00': Math.cos(0.4) ** 2, '11': Math.sin(0.4) ** 2 })
  expect(counts).toBeUndefined()
  expect(provenance).toMatchObject({ method: 'statevector', exact: true })
  const { values } = await means('qubit[3] q; ry(0.8) q[0]; rx(0.3) q[2];', [
    { IIZ: 1 },
    { IIX: 2, IIZ: -1 },
    { YII: 1, III: 0.25 },
    { YIX: 3, IZI: 1, IXI: 7 },
  ])
  const [x, z, y] = [Math.sin(0.8), Math.cos(0.8), -Math.sin(0.3)]
  for (const [index, value] of [z, 2 * x - z, y + 0.25, 3 * y * x + 1].entries())
    expect(values[index]).toBeCloseTo(value, 12)
})

test('every branch of a measurement, a reset and feedback counts by its probability', async () => {
  const text =
    'qubit[2] q; bit[2] c; ry(0.8) q[0]; c[0] = measure q[0]; h q[0]; reset q[0]; if (c[0]) { rx(0.6) q[1]; }'
  const one = Math.sin(0.4) ** 2
  const { exact } = await exactOf(`${text} c[1] = measure q[1];`)
  expectClose(exact?.probabilities, {
    '00': 1 - one,
    '01': one * Math.cos(0.3) ** 2,
    '11': one * Math.sin(0.3) ** 2,
  })
  const { values } = await means(text, [{ ZI: 1, IZ: 1 }, { YI: 1 }])
  expect(values[0]).toBeCloseTo(1 - one + one * Math.cos(0.6) + 1, 12)
  expect(values[1]).toBeCloseTo(-one * Math.sin(0.6), 12)
})

test('a measurement takes the phase of its qubit from the means, and nothing else', async () => {
  const text = 'qubit[2] q; bit c; h q[0]; cx q[0], q[1];'
  const sums = [{ XX: 1 }, { ZZ: 1 }, { YY: 1 }]
  expect((await means(text, sums)).values.map((each) => Math.round(each * 1e9) / 1e9)).toEqual([1, 1, -1])
  for (const noise of [undefined, noiseOf(1e-12)]) {
    const { values } = await means(`${text} c = measure q[0];`, sums, noise && { noise })
    for (const [index, value] of [0, 1, 0].entries()) expect(values[index]).toBeCloseTo(value, 9)
  }
})

test('noise is exact in its density matrix; the error of a readout mixes outcomes', async () => {
  const noise = noiseOf(0.1, 0.04)
  const { values, provenance } = await means('qubit[1] q; ry(0.8) q[0];', [{ Z: 1 }], { noise })
  expect(values[0]).toBeCloseTo(0.9 * Math.cos(0.8), 12)
  expect(provenance).toMatchObject({ method: 'density_matrix', exact: true, noise: 'test' })
  const { exact } = await exactOf('qubit[1] q; bit c; ry(0.8) q[0]; c = measure q[0];', { noise })
  const one = (1 - 0.9 * Math.cos(0.8)) / 2
  const read = one * 0.98 + (1 - one) * 0.04
  expectClose(exact?.probabilities, { 0: 1 - read, 1: read })
  const misread = noiseOf(0, 0.04)
  const mid = await exactOf(
    'qubit[1] q; bit[2] c; h q[0]; c[0] = measure q[0]; h q[0]; c[1] = measure q[0];',
    {
      noise: misread,
    },
  )
  const first = 0.5 * 0.98 + 0.5 * 0.04
  expect(mid.exact?.probabilities?.['11']).toBeCloseTo(first * first, 12)
})

/** Layers of rotations and entangling gates on neighbors and others, drawn by `seed`. */
function layersOf(seed: number, qubits: number): string {
  let state = seed
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
  return Array.from({ length: 4 * qubits }, () => {
    const one = Math.floor(draw() * qubits)
    const other = (one + 1 + Math.floor(draw() * (qubits - 1))) % qubits
    return `ry(${3 * draw()}) q[${one}]; rz(${3 * draw()}) q[${other}]; cx q[${one}], q[${other}];`
  }).join('')
}

test('chains, density matrices and states have the same means', async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const text = `qubit[5] q; ${layersOf(seed, 5)}`
    const sums = [
      { XYZIX: 0.5, ZIIIZ: -2 },
      { IIYII: 1, YYYYY: 1, IIIII: 3 },
    ]
    const { values } = await means(text, sums)
    const chain = await means(text, sums, { method: 'matrix_product_state' })
    const density = await means(text, sums, { method: 'density_matrix' })
    for (const [index, value] of values.entries()) {
      expect(chain.values[index]).toBeCloseTo(value, 10)
      expect(density.values[index]).toBeCloseTo(value, 10)
    }
  }
})

test('a chain that was truncated states its error and is not exact', async () => {
  const text = `qubit[12] q; ${layersOf(3, 12)}`
  const ghz = `qubit[60] q; h q[0]; for int i in [0:58] { cx q[i], q[i + 1]; }`
  const whole = await means(ghz, [{ ['X'.repeat(60)]: 1, [`Z${'I'.repeat(58)}Z`]: 1 }])
  expect(whole.values[0]).toBeCloseTo(2, 10)
  expect(whole.provenance).toMatchObject({ method: 'matrix_product_state', exact: true, bond: 2 })
  const cut = await means(text, [{ [`Z${'I'.repeat(11)}`]: 1 }], { bond: 32, stateQubits: 8 })
  expect(cut.provenance['exact']).toBe(false)
  expect(cut.provenance['truncation']).toBeGreaterThan(1e-6)
})

test('what has no exact values is refused with the reason', async () => {
  const feedback = 'qubit[2] q; bit c; h q[0]; c = measure q[0]; if (c) { x q[1]; }'
  await expect(exactOf(feedback, { noise: noiseOf(0.1) })).rejects.toThrow(
    'density_matrix: the program has feedback',
  )
  const text = 'qubit[2] q; bit[2] c; h q[0]; c = measure q;'
  await expect(exactOf(text, { method: 'trajectories' })).rejects.toThrow('has no exact values')
  await expect(exactOf(text, { expectationValues: [{ Z: 1 }] })).rejects.toThrow(
    'circuits.0.expectation_values.0 has a label of 1 letters; the program has 2 qubits',
  )
  await expect(exactOf(text, { method: 'matrix_product_state' })).rejects.toThrow('has no probabilities')
  const many = 'qubit[1] q; bit[14] c; for int i in [0:13] { h q[0]; c[i] = measure q[0]; }'
  await expect(exactOf(many)).rejects.toThrow('has more than 4096 branches of outcomes')
})

test('a loop that waits for an outcome has exact values; what is left out is stated', async () => {
  const loop =
    'h q[0]; c[0] = measure q[0]; while (c[0]) { ry(1.2) q[0]; h q[0]; x q[1]; c[0] = measure q[0]; }'
  for (const text of [
    `qubit[2] q; bit[2] c; ${loop} c[1] = measure q[1];`,
    'qubit q; bit c; while (!c) { h q; c = measure q; }',
    'qubit[2] q; bit[2] c; for int i in [0:1] { while (!c[i]) { h q[i]; c[i] = measure q[i]; } }',
  ]) {
    const { exact, provenance } = await exactOf(text)
    const all = Object.values(exact?.probabilities ?? {}).reduce((sum, each) => sum + each, 0)
    const dropped = Number(provenance['dropped'])
    expect(dropped).toBeGreaterThan(0)
    expect(dropped).toBeLessThan(1e-12)
    expect(1 - all).toBeLessThan(dropped + 1e-14)
  }
  const { values } = await means('qubit q; bit c; while (!c) { h q; c = measure q; }', [{ Z: 1 }])
  expect(values[0]).toBeCloseTo(-1, 12)
  // Leaves with a probability of 1e-4 in each round: thousands of branches count.
  const long = 'qubit q; bit c; while (!c) { reset q; ry(0.02) q; c = measure q; }'
  await expect(exactOf(long)).rejects.toThrow('has more than 4096 branches of outcomes')
})

test('a long loop is walked once, and has the values of the turns that it may take', async () => {
  for (const { round, angle } of [0.62, 0.7, 1.13].map((angle, round) => ({ round, angle }))) {
    const turn = `ry(${angle}) q[0]; turns += 1; d[0] = ~d[0]; c[0] = measure q[0];`
    const loop = [
      `while (!c[0]) { ${turn} }`,
      `for int i in [1:900] { ${turn} if (c[0]) { break; } }`,
      `if (!c[0]) { int own; for int i in {1, 2} { while (!c[0]) { own += 1; switch (own) { case 0 { } default { ${turn} } } } } }`,
    ][round]
    const text = `qubit[2] q; bit[1] c; bit[2] d; int turns; ${loop} rx(turns * 0.02) q[1]; d[1] = measure q[1];`
    let read = 0
    const readoutErrorOf = () => {
      read++
      return EXACT_READOUT
    }
    const { exact, provenance } = await exactOf(text, {
      noise: defineNoiseModel({ source: 'test', readoutErrorOf }),
    })
    const expected: Record<string, number> = {}
    for (let turns = 1, weight = 1; weight > 1e-17; turns++, weight *= Math.cos(angle / 2) ** 2) {
      const one = Math.sin(turns / 100) ** 2
      for (const [outcome, share] of [1 - one, one].entries()) {
        const key = `${outcome}${turns % 2}1`
        expected[key] = (expected[key] ?? 0) + weight * Math.sin(angle / 2) ** 2 * share
      }
    }
    const sorted = Object.entries(expected).sort(([one], [other]) => (one < other ? -1 : 1))
    expectClose(exact?.probabilities, Object.fromEntries(sorted))
    expect(Number(provenance['dropped'])).toBeLessThan(1e-12)
    const turns = (-2 * Math.log(1e-16)) / (angle / 2) ** 2
    expect(read).toBeLessThan(4 * turns)
  }
})

test('a loop whose branches multiply by readout errors is refused after the first of them', async () => {
  let read = 0
  const readoutErrorOf = (): [number, number] => {
    read++
    return [0.01, 0.02]
  }
  const noise = defineNoiseModel({ source: 'test', readoutErrorOf })
  const misread = 'qubit q; bit c; h q; c = measure q; while (c) { reset q; h q; c = measure q; }'
  await expect(exactOf(misread, { noise })).rejects.toThrow('has more than 4096 branches of outcomes')
  expect(read).toBeLessThan(50_000)
  expect(
    (await exactOf('qubit[2] q; bit c; h q[0]; c = measure q[0];')).provenance['dropped'],
  ).toBeUndefined()
})

test('a program without measurements has one outcome; unmeasured qubits do not matter', async () => {
  expectClose((await exactOf('qubit[2] q; bit[2] c; h q[0];')).exact?.probabilities, { '00': 1 })
  expectClose((await exactOf('qubit[2] q; bit[2] c; h q; c[1] = measure q[0];')).exact?.probabilities, {
    '00': 0.5,
    '10': 0.5,
  })
})
