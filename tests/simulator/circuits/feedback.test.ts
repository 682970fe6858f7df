import { expect, spyOn, test } from 'bun:test'
import {
  lowerProgram,
  type OpenSink,
  type Program,
  parseProgram,
  runDynamic,
  runOpen,
  type Sink,
} from '../../../src/qasm/index.ts'
import { amplitudeDamping, pauliChannel } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, type NoiseModel, onQubit } from '../../../src/simulator/noise/noise-model.ts'
import { EXACT_READOUT } from '../../../src/simulator/readout/readout.ts'
import { chiSquare, chiSquareLimit, engine, runOptions, runProgram } from '../support/run.ts'

type Options = Parameters<typeof runOptions>[0]

function run(text: string, options: Options = {}) {
  const program = parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${text}`)
  return runProgram(boundTo(program), runOptions(options))
}

function boundTo(program: Program) {
  return {
    ...lowerProgram(program, []),
    walk: (sink: Sink) => runDynamic(program, [], sink),
    walkOpen: (sink: OpenSink) => runOpen(program, [], sink),
  }
}

/** Six fair coins in `m`, from qubits 0 to 5. */
const COINS = 'bit[6] m; for int i in [0:5] { h q[i]; m[i] = measure q[i]; }'
/** Entangles the first 30 qubits: too many for a statevector. */
const CHAIN = 'for int i in [0:28] { cx q[i], q[i+1]; }'

/** Programs in which a step that is not Clifford follows one outcome in 64, or fewer. */
const RARE: [string, string][] = [
  ['if', 'if (m == 63) { t q[2]; }'],
  ['else', 'if (m != 21) { x q[2]; } else { rx(0.3) q[2]; }'],
  ['switch', 'switch (uint[6](m)) { case 1 { x q[1]; } case 37 { ry(0.4) q[1]; } default { z q[1]; } }'],
  ['while', 'while (m == 63) { h q[0]; ry(0.2) q[0]; m[0] = measure q[0]; }'],
  ['subroutine', 'def odd(qubit a) { t a; } if (m == 5) { odd(q[3]); }'],
  ['an angle that depends on outcomes', 'if (m == 7) { rz(0.1) q[4]; }'],
]

for (const [name, steps] of RARE) {
  test(`a rare step that is not Clifford changes the method, not the distribution: ${name}`, async () => {
    // Definitions come before statements with other qubits.
    const text = `${steps.startsWith('def') ? steps.slice(0, steps.indexOf('if')) : ''} qubit[30] q; bit[2] c; ${COINS} ${CHAIN} ${steps.startsWith('def') ? steps.slice(steps.indexOf('if')) : steps} h q[4]; c[0] = measure q[2]; c[1] = measure q[4];`
    const automatic = await run(text, { shots: 600 })
    expect(automatic.provenance['method']).toBe('matrix_product_state')
    const chosen = await run(text, { shots: 600, method: 'matrix_product_state' })
    expect(automatic.counts).toEqual(chosen.counts as Record<string, number>)
    await expect(run(text, { shots: 600, method: 'stabilizer' })).rejects.toMatchObject({
      code: 'not_clifford',
    })
  })
}

test('rare noise that is not made of Pauli operators changes the method too', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (name, [qubit = 0]) => (name === 'y' ? onQubit(qubit, [amplitudeDamping(0.1)]) : []),
    relaxationOf: () => undefined,
    readoutErrorOf: () => EXACT_READOUT,
  })
  const text = `qubit[30] q; bit[2] c; ${COINS} ${CHAIN} if (m == 63) { y q[2]; } c[0] = measure q[2];`
  expect((await run(text, { noise, shots: 500 })).provenance['method']).toBe('matrix_product_state')
})

test('the results of a method that is given up are not counted', async () => {
  const text = `qubit[30] q; bit[2] c; ${COINS} ${CHAIN} if (m == 63) { t q[2]; } c[0] = measure q[2];`
  const options = runOptions({ shots: 500, memory: 'bits' })
  const program = parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${text}`)
  const { counts = {}, memory } = await runProgram(boundTo(program), options)
  expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(500)
  expect(memory).toHaveLength(500)
  const keys = Object.keys(counts).reduce((sum, key) => sum + key.length + 8, 0)
  // Results contain the counts of their first circuit twice.
  const { counts: ofCounts, others } = options.resultBudget.taken
  expect(ofCounts + others).toBeLessThanOrEqual(2 * keys + 500 * (2 + 5))
})

const used4 = (declared: number) => `qubit[${declared}] q; bit[${declared}] c; h q[${declared - 2}];
  c[0] = measure q[${declared - 2}];
  if (c[0]) { h q[${declared - 1}]; cx q[${declared - 1}], q[${declared - 3}]; }
  reset q[0]; barrier q; c = measure q;`

const PAULI = defineNoiseModel({
  source: 'test',
  gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [pauliChannel(new Map([['Z', 0.1]]))]),
  relaxationOf: () => undefined,
  readoutErrorOf: () => EXACT_READOUT,
})

const METHODS: [string, NoiseModel | undefined][] = [
  ['statevector', undefined],
  ['trajectories', PAULI],
  ['stabilizer', undefined],
  ['stabilizer', PAULI],
  ['matrix_product_state', undefined],
  ['matrix_product_state', PAULI],
]

for (const [method, noise] of METHODS) {
  test(`qubits that a program does not change cost nothing: ${method}${noise ? ' with noise' : ''}`, async () => {
    using reserve = spyOn(engine, 'reserve')
    for (const declared of [4, 20, 200]) {
      const { counts = {} } = await run(used4(declared), { method, shots: 600, ...(noise && { noise }) })
      const key = (high: string) => `${high}${'0'.repeat(declared - 3)}`
      const expected = new Map([
        [key('000'), 1 / 2],
        [key('010'), 1 / 4],
        [key('111'), 1 / 4],
      ])
      expect(Object.keys(counts).sort()).toEqual([...expected.keys()].sort())
      expect(chiSquare(counts, expected).value).toBeLessThan(chiSquareLimit(2))
    }
    // Three of the qubits change.
    for (const [qubits] of reserve.mock.calls) expect(qubits).toBeLessThanOrEqual(3)
  })
}

for (const [method, noise] of METHODS) {
  test(`a rare branch may change further qubits: ${method}${noise ? ' with noise' : ''}`, async () => {
    const text = `qubit[60] q; bit[3] c; ${COINS} c[0] = measure q[50];
      if (m == 63) { h q[50]; cx q[50], q[8]; c[1] = measure q[50]; c[2] = measure q[8]; }
      if (m == 62) { x q[40]; c[1] = measure q[40]; }`
    const { counts = {} } = await run(text, { method, shots: noise ? 2_000 : 3_000, ...(noise && { noise }) })
    const shares = new Map<string, number>()
    for (let m = 0; m < 64; m++) {
      const bits = m.toString(2).padStart(6, '0')
      // Registers are declared in the order c, m: the first is rightmost.
      if (m === 63) for (const c of ['000', '110']) shares.set(bits + c, 1 / 128)
      else shares.set(bits + (m === 62 ? '010' : '000'), 1 / 64)
    }
    expect(Object.keys(counts).sort()).toEqual([...shares.keys()].sort())
    expect(chiSquare(counts, shares).value).toBeLessThan(chiSquareLimit(shares.size - 1))
  })
}

test('a branch that needs more qubits than a statevector has is run by another method', async () => {
  const text = `qubit[30] q; bit[2] c; ${COINS} if (m == 63) { ${CHAIN} } t q[0]; c[1] = measure q[29];`
  const limited = { shots: 500, stateQubits: 12 }
  expect((await run(text, limited)).provenance['method']).toBe('matrix_product_state')
  await expect(run(text, { ...limited, method: 'statevector' })).rejects.toMatchObject({
    code: 'too_many_qubits',
  })
})

test('a qubit that the noise model does not cover is refused when a program changes it, not when it declares it', async () => {
  const noise = { ...PAULI, qubits: 10 }
  const text = (index: number) =>
    `qubit[60] q; bit[1] c; ${COINS} if (m == 63) { h q[${index}]; } c[0] = measure q[${index}];`
  expect((await run(text(9), { noise })).counts).toBeDefined()
  await expect(run(text(10), { noise })).rejects.toMatchObject({ code: 'too_many_qubits' })
})

/** Teleports the qubit 0 along `hops` pairs, with corrections. */
function ladderOf(hops: number): string {
  const hop = 'h q[2*i+1]; cx q[2*i+1], q[2*i+2]; cx q[2*i], q[2*i+1]; h q[2*i];'
  const read = 'a[i] = measure q[2*i]; b[i] = measure q[2*i+1];'
  const correct = 'if (b[i]) { x q[2*i+2]; } if (a[i] == 0) { } else { z q[2*i+2]; }'
  return `for int i in [0:${hops - 1}] { ${hop} ${read} ${correct} }`
}

test.each(['stabilizer', 'matrix_product_state'])(
  'corrections of teleported qubits act in every shot: %s',
  async (method) => {
    const hops = 4
    const text = `qubit[${2 * hops + 1}] q; bit[${hops}] a; bit[${hops}] b; output bit c; h q[0]; s q[0]; ${ladderOf(hops)} sdg q[${2 * hops}]; h q[${2 * hops}]; x q[${2 * hops}]; c = measure q[${2 * hops}];`
    expect((await run(text, { method, shots: 200 })).counts).toEqual({ 1: 200 })
  },
)

test('shots walk a program together until outcomes decide what comes next', async () => {
  const text = `qubit[40] q; bit[40] m; bit c; h q; m = measure q; if (m[3]) { z q[5]; } c = measure q[7]; if (c) { h q[1]; } m[1] = measure q[1];`
  const bound = boundTo(parseProgram(`OPENQASM 3.0; include "stdgates.inc"; ${text}`))
  const walkOpen = spyOn(bound, 'walkOpen')
  const { counts = {} } = await runProgram(bound, runOptions({ shots: 1_000, method: 'stabilizer' }))
  expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(1_000)
  // All shots up to the gate that only some of them execute, then both parts.
  expect(walkOpen).toHaveBeenCalledTimes(3)
})
