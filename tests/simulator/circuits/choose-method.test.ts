import { expect, test } from 'bun:test'
import {
  lowerProgram,
  type OpenSink,
  parseProgram,
  runDynamic,
  runOpen,
  type Sink,
} from '../../../src/qasm/index.ts'
import { chooseMethod } from '../../../src/simulator/circuits/choose-method.ts'
import { defineMethod, type Method, type Workload } from '../../../src/simulator/define-method.ts'
import { amplitudeDamping } from '../../../src/simulator/noise/channel.ts'
import { defineNoiseModel, type NoiseModel, onQubit } from '../../../src/simulator/noise/noise-model.ts'
import { QubitPlaces } from '../../../src/simulator/reduction/qubit-places.ts'
import { UNLIMITED } from '../../../src/simulator/timing/time-budget.ts'
import { runOptions, runProgram } from '../support/run.ts'

const limits = {
  stateQubits: 24,
  bytes: 2 ** 30,
  stateCopyBytes: 0,
  threads: 1,
  maxBondDimension: 64,
  work: UNLIMITED,
}
const workload: Workload = {
  usedQubits: Array.from({ length: 30 }, (_, qubit) => qubit),
  createPlaces: () => new QubitPlaces(),
  clbits: 1,
  shots: 10,
  precision: 'double',
  noise: undefined,
  reduced: { qubits: [0], ops: [], terminal: [], canBranch: false },
  walk: () => new Uint8Array(1),
  walkOpen: () => new Int32Array(1),
}

function method(name: string, more: Partial<Method> = {}) {
  return defineMethod({
    name,
    refuse: () => undefined,
    stateQubits: () => 0,
    estimateSeconds: () => 0,
    run: async () => ({}),
    ...more,
  })
}

const first = method('first')
const preferring = method('preferring', { prefers: ({ usedQubits }) => usedQubits.length === 30 })
const small = method('small', { refuse: () => ({ code: 'too_many_qubits', reason: 'needs 30 qubits' }) })
const strict = method('strict', { refuse: () => ({ code: 'not_clifford', reason: 'gate t' }) })

test('chooseMethod() returns the first method that can run the workload, in the order of the list', () => {
  expect(chooseMethod([small, first, strict], 'automatic', workload, limits)).toEqual({ method: first })
})

test('chooseMethod() returns a later method that prefers the workload, unless it refuses it', () => {
  expect(chooseMethod([first, preferring], 'automatic', workload, limits)).toEqual({ method: preferring })
  const refusing = { ...preferring, refuse: strict.refuse }
  expect(chooseMethod([first, refusing], 'automatic', workload, limits)).toEqual({ method: first })
})

test('chooseMethod() takes the requested method only', () => {
  expect(chooseMethod([first, preferring], 'first', workload, limits)).toEqual({ method: first })
  expect(chooseMethod([first, small], 'small', workload, limits)).toEqual({
    refusal: { code: 'too_many_qubits', reason: 'small: needs 30 qubits' },
  })
})

test('chooseMethod() lists the reasons of all methods when none can run the workload', () => {
  expect(chooseMethod([strict, small], 'automatic', workload, limits)).toEqual({
    refusal: { code: 'too_many_qubits', reason: 'strict: gate t; small: needs 30 qubits' },
  })
})

test('programs with feedback run with a method that supports their gates', async () => {
  const noise = defineNoiseModel({
    source: 'test',
    gateNoiseOf: (_, [qubit = 0]) => onQubit(qubit, [amplitudeDamping(0.1)]),
    relaxationOf: () => undefined,
    readoutErrorOf: () => [0, 0],
  })
  const program = (qubits: number, gate: string) => {
    const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit c; h q[0]; c = measure q[0]; if (c) { ${gate} q[${qubits - 1}]; }`
    const parsed = parseProgram(text)
    return {
      ...lowerProgram(parsed, []),
      walk: (sink: Sink) => runDynamic(parsed, [], sink),
      walkOpen: (sink: OpenSink) => runOpen(parsed, [], sink),
    }
  }
  const methodOf = async (qubits: number, gate: string, model?: NoiseModel) => {
    const run = runOptions({ shots: 10, ...(model && { noise: model }) })
    return (await runProgram(program(qubits, gate), run)).provenance['method']
  }
  expect(await methodOf(3, 't')).toBe('statevector')
  expect(await methodOf(40, 't')).toBe('statevector')
  expect(await methodOf(40, 'barrier q; cx q[0], q[30]; for int i in [0:37] { cx q[i], q[i+1]; } s')).toBe(
    'stabilizer',
  )
  expect(await methodOf(40, 'for int i in [0:37] { cx q[i], q[i+1]; } t')).toBe('matrix_product_state')
  expect(await methodOf(3, 's', noise)).toBe('trajectories')
  expect(await methodOf(40, 'for int i in [0:37] { cx q[i], q[i+1]; } s', noise)).toBe('matrix_product_state')
})
