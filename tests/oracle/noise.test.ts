import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readNoiseFile } from '../../src/devices/noise/read-noise-file.ts'
import { lowerProgram, parseProgram } from '../../src/qasm/index.ts'
import { planDensity } from '../../src/simulator/methods/density_matrix/plan.ts'
import { Statevector } from '../../src/simulator/methods/statevector/state/statevector.ts'
import { type NoiseModel, withNoise } from '../../src/simulator/noise/noise-model.ts'
import type { StateOp } from '../../src/simulator/reduction/reduce-circuit.ts'
import { engine, programOf, runOptions, runProgram } from '../simulator/support/run.ts'
import { openPython } from '../support/python/python.ts'
import { RUNS_WHOLE } from '../support/whole.ts'
import { type Aer, startAer } from './aer.ts'
import { Comparisons } from './comparisons.ts'
import { randomCircuit, toProgram } from './random-circuit.ts'
import { NOISY_GATES, type NoiseContent, randomNoise } from './random-noise.ts'

const CIRCUITS = RUNS_WHOLE ? 100 : 6
const SHOTS = 4_000

setDefaultTimeout(RUNS_WHOLE ? 600_000 : 300_000)

const python = await openPython()
let aer: Aer

function modelOf(content: NoiseContent): NoiseModel {
  const gates = content.gates.map(({ width: _, ...rule }) => rule)
  const model = readNoiseFile({ ...content, gates }, 'random')
  if ('problems' in model) throw new Error(model.problems.join('\n'))
  return model
}

function noisyCircuit(seed: number, pattern: 'none' | 'end') {
  const shape = { seed, qubits: 2 + (seed % 3), length: 10 + (seed % 15), pattern, modifiers: false } as const
  const circuit = randomCircuit({ ...shape, gates: NOISY_GATES })
  const noise = randomNoise(seed, 0.05)
  return {
    circuit,
    noise,
    model: modelOf(noise),
    lowered: lowerProgram(parseProgram(toProgram(circuit)), []),
  }
}

describe.skipIf(!python)('Qiskit Aer agrees on noise', () => {
  beforeAll(() => {
    aer = startAer(python ?? '')
  })

  afterAll(() => aer[Symbol.asyncDispose]())

  test(`in the density matrices of ${CIRCUITS} random circuits to 1e-8`, async () => {
    let farthest = 0
    for (let seed = 0; seed < CIRCUITS; seed++) {
      const { circuit, noise, model, lowered } = noisyCircuit(seed, 'none')
      const theirs = await aer.ask<number[]>({ ask: 'density_matrix', ...circuit, noise })
      const qubits = Array.from({ length: lowered.qubits }, (_, qubit) => qubit)
      const ops = withNoise(lowered.ops ?? [], model).filter(
        (op): op is StateOp => op.kind !== 'barrier' && op.kind !== 'delay',
      )
      const plan = planDensity({ qubits, ops, terminal: [], canBranch: false })
      const rho = new Statevector(engine, 2 * plan.qubits)
      rho.applyAll(plan.calls)
      // Ours has the row in the low bits, theirs in the high ones.
      const size = 2 ** plan.qubits
      for (let row = 0; row < size; row++) {
        for (let column = 0; column < size; column++) {
          const [own, other] = [2 * (column * size + row), 2 * (row * size + column)]
          const re = (rho.amplitudes[own] ?? 0) - (theirs[other] ?? 9)
          const im = (rho.amplitudes[own + 1] ?? 0) - (theirs[other + 1] ?? 9)
          farthest = Math.max(farthest, Math.hypot(re, im))
        }
      }
      expect(farthest, `seed ${seed}`).toBeLessThan(1e-8)
    }
    console.info(`${CIRCUITS} density matrices: largest difference ${farthest.toExponential(1)}`)
  })

  test.each(['trajectories', 'density_matrix', 'matrix_product_state'])(
    `in the counts of %s`,
    async (method) => {
      const comparisons = new Comparisons()
      for (let seed = 0; seed < CIRCUITS; seed++) {
        const { circuit, noise, model, lowered } = noisyCircuit(seed, 'end')
        const theirs = await aer.ask<Record<string, number>>({
          ask: 'counts',
          shots: SHOTS,
          seed,
          ...circuit,
          noise,
        })
        const program = programOf(lowered.ops ?? [], lowered.qubits, lowered.clbits)
        const { counts = {} } = await runProgram(
          program,
          runOptions({ method, seed, shots: SHOTS, noise: model }),
        )
        comparisons.add(`seed ${seed}`, counts, theirs)
      }
      comparisons.assertAllAgree()
    },
  )
})
