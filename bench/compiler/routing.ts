/**
 * Routes 200 random circuits of 3 to 12 qubits on four couplings and compares the exact probabilities of
 * their outcomes with those of the circuit itself; with `--qiskit`, also the number of SWAPs with that of
 * Qiskit's `transpile` at level 1. Exits with 1 when a goal is missed.
 */
import { join } from 'node:path'
import { decompose } from '../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../src/devices/compiler/decompose/native.ts'
import { place } from '../../src/devices/compiler/levels.ts'
import { COUPLINGS, type CouplingName } from '../../tests/devices/compiler/support/couplings.ts'
import { outcomeProbabilities, totalVariation } from '../../tests/devices/compiler/support/exact.ts'
import { randomCircuit } from '../../tests/devices/compiler/support/random-circuit.ts'
import { openPython } from '../../tests/support/python/python.ts'
import { startPython } from '../../tests/support/python/python-process.ts'

const CIRCUITS = 200
const MAX_VARIATION = 1e-9
const MAX_RATIO = 1.1
const QISKIT_SEED = 42

const interpreter = process.argv.includes('--qiskit') ? await openPython() : undefined
const qiskit = interpreter ? startPython(interpreter, join(import.meta.dir, 'qiskit_swaps.py')) : undefined
let isMet = true

for (const [name, coupling] of Object.entries(COUPLINGS) as [CouplingName, (typeof COUPLINGS)['line']][]) {
  const figures = { variation: 0, swaps: 0, ms: 0, ratios: [] as number[], theirs: 0 }
  for (let seed = 0; seed < CIRCUITS / 4; seed++) {
    const { qubits, ops } = randomCircuit(seed, 3 + (seed % 10))
    const steps = decompose(ops)
    const started = performance.now()
    const routed = place({ steps, qubits, fixed: new Map(), coupling }, 0)
    figures.ms += performance.now() - started
    figures.swaps += routed.swaps
    const variation = totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(routed.steps)))
    figures.variation = Math.max(figures.variation, variation)
    if (!qiskit) continue
    const pairs = steps.flatMap((step) => (step.kind === 'cz' ? [step.qubits] : []))
    const ask = {
      ask: 'swaps',
      qubits,
      pairs,
      edges: coupling.edges,
      size: coupling.qubits,
      seed: QISKIT_SEED,
    }
    const theirs = await qiskit.ask<number>(ask)
    figures.theirs += theirs
    if (theirs > 0) figures.ratios.push(routed.swaps / theirs)
    else if (routed.swaps > 0) figures.ratios.push(Number.POSITIVE_INFINITY)
  }
  const median = figures.ratios.sort((one, other) => one - other)[Math.floor(figures.ratios.length / 2)]
  isMet &&= figures.variation <= MAX_VARIATION && (median ?? 0) <= MAX_RATIO
  const beside = median === undefined ? '' : `, Qiskit ${figures.theirs}, median ratio ${median.toFixed(3)}`
  const time = (figures.ms / (CIRCUITS / 4)).toFixed(1)
  console.log(
    `${name}: variation ${figures.variation.toExponential(1)}, SWAPs ${figures.swaps}${beside}, ${time} ms a circuit`,
  )
}
if (qiskit) console.log(`${await qiskit.ask<string>({ ask: 'version' })}, seed_transpiler ${QISKIT_SEED}`)
await qiskit?.[Symbol.asyncDispose]()
if (!isMet) process.exitCode = 1
