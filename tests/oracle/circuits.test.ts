import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessDevice } from '../../src/devices/index.ts'
import { openProcess, payloadOf, runJob } from '../devices/support/jobs.ts'
import { stateOf } from '../devices/support/programs.ts'
import { chiSquare, chiSquareLimit } from '../simulator/support/run.ts'
import { openPython } from '../support/python/python.ts'
import { RUNS_WHOLE } from '../support/whole.ts'
import { type Aer, startAer } from './aer.ts'
import { Comparisons } from './comparisons.ts'
import { type Pattern, type RandomCircuit, randomCircuit, toProgram } from './random-circuit.ts'

/** All circuits of the tables in docs/explanation/simulation.md, or some of each kind. */
const CIRCUITS = RUNS_WHOLE ? 500 : 40
const EXPORTS = RUNS_WHOLE ? 200 : 24
/** The published circuits of more qubits take Aer minutes. */
const FILE_QUBITS = RUNS_WHOLE ? 27 : 16
/** For circuits with resets Aer computes the state for each shot again. */
const FEW_SHOTS = 500
const SHOTS = 4_000
/** Programs with control flow whose exact probabilities are compared. */
const PROGRAMS = RUNS_WHOLE ? 300 : 20
/** Rounding errors of both sides. */
const TOLERANCE = 1e-9
/** Draws those programs; `SEED` repeats the ones of a run that failed. */
const FIRST = Number(process.env['SEED'] ?? Math.floor(2 ** 31 * Math.random()))

setDefaultTimeout(RUNS_WHOLE ? 1_200_000 : 300_000)

const python = await openPython()
const folder = join(import.meta.dir, '../circuits')

let aer: Aer
let device: ProcessDevice

async function countsOf(program: string, seed: number, shots = SHOTS): Promise<Record<string, number>> {
  const results = await runJob(device, payloadOf([program], { shots, seed }))
  return results.counts ?? {}
}

/** Largest difference between two states, up to a common phase. */
function distance(ours: Float64Array, theirs: readonly number[]): number {
  let [re, im] = [0, 0]
  for (let at = 0; at < ours.length; at += 2) {
    const [a, b, c, d] = [ours[at] ?? 0, ours[at + 1] ?? 0, theirs[at] ?? 0, theirs[at + 1] ?? 0]
    re += a * c + b * d
    im += a * d - b * c
  }
  const size = Math.hypot(re, im)
  let most = 0
  for (let at = 0; at < ours.length; at += 2) {
    const [a, b] = [ours[at] ?? 0, ours[at + 1] ?? 0]
    const turnedRe = (a * re - b * im) / size
    const turnedIm = (a * im + b * re) / size
    most = Math.max(most, Math.hypot(turnedRe - (theirs[at] ?? 0), turnedIm - (theirs[at + 1] ?? 0)))
  }
  return most
}

const PATTERNS: readonly Pattern[] = ['end', 'some', 'middle', 'feedback']

function circuitOf(seed: number): RandomCircuit {
  const pattern = PATTERNS[seed % PATTERNS.length] ?? 'end'
  return randomCircuit({ seed, qubits: 1 + (seed % 7), length: 5 + (seed % 40), pattern })
}

describe.skipIf(!python)('Qiskit Aer agrees', () => {
  beforeAll(async () => {
    aer = startAer(python ?? '')
    device = await openProcess('aer_sim')
  })

  afterAll(() => aer[Symbol.asyncDispose]())

  test(`on the states of ${CIRCUITS} random circuits to 1e-10`, async () => {
    let farthest = 0
    for (let seed = 0; seed < CIRCUITS; seed++) {
      const shape = { seed, qubits: 1 + (seed % 8), length: 5 + (seed % 60), pattern: 'none' } as const
      const circuit = randomCircuit(shape)
      const theirs = await aer.ask<number[]>({ ask: 'statevector', ...circuit })
      const apart = distance(Float64Array.from(stateOf(toProgram(circuit)).amplitudes), theirs)
      if (apart > 1e-10) throw new Error(`seed ${seed} differs by ${apart}:\n${toProgram(circuit)}`)
      farthest = Math.max(farthest, apart)
    }
    console.info(`${CIRCUITS} states: largest difference ${farthest.toExponential(1)}`)
  })

  test(`on the counts of ${CIRCUITS} random circuits with every pattern of measurement`, async () => {
    const comparisons = new Comparisons()
    for (let seed = 0; seed < CIRCUITS; seed++) {
      const circuit = circuitOf(seed)
      const theirs = await aer.ask<Record<string, number>>({ ask: 'counts', shots: SHOTS, seed, ...circuit })
      comparisons.add(`seed ${seed}`, await countsOf(toProgram(circuit), seed), theirs)
    }
    comparisons.assertAllAgree()
  })

  test(`on ${EXPORTS} circuits in the output of Qiskit's exporters`, async () => {
    const comparisons = new Comparisons()
    for (let seed = 0; seed < EXPORTS; seed++) {
      const shape = { qubits: 1 + (seed % 6), depth: 1 + (seed % 9), operands: 1 + (seed % 4) }
      const kinds = { conditional: seed % 3 === 0, reset: seed % 5 === 0 }
      const exported = await aer.ask<{
        version2: string | null
        version3: string
        counts: Record<string, number>
      }>({ ask: 'export', ...shape, ...kinds, seed, shots: SHOTS })
      comparisons.add(`qasm3 of seed ${seed}`, await countsOf(exported.version3, seed), exported.counts)
      if (exported.version2 !== null) {
        comparisons.add(`qasm2 of seed ${seed}`, await countsOf(exported.version2, seed), exported.counts)
      }
    }
    comparisons.assertAllAgree()
  })

  test(`on the published circuits of up to ${FILE_QUBITS} qubits`, async () => {
    const comparisons = new Comparisons()
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.qasm'))) {
      const qubits = Number(/_n(\d+)/.exec(file)?.[1])
      if (qubits > FILE_QUBITS || file === UNREADABLE) continue
      const path = join(folder, file)
      const shots = qubits > 16 ? FEW_SHOTS : SHOTS
      const theirs = await aer.ask<Record<string, number>>({ ask: 'file', path, shots, seed: 1 })
      comparisons.add(file, await countsOf(await Bun.file(path).text(), 1, shots), theirs)
    }
    comparisons.assertAllAgree()
  })

  test(`${PROGRAMS} random ones have the probabilities of Qiskit's branches, and of the counts of Aer`, async () => {
    let farthest = 0
    for (let seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      const circuit = randomCircuit({
        seed,
        qubits: 1 + (seed % 5),
        length: 5 + (seed % 26),
        pattern: 'feedback',
      })
      const program = toProgram(circuit)
      const results = await runJob(device, payloadOf([program], { exact: true }))
      const ours = new Map(Object.entries(results.circuit_results[0]?.probabilities ?? {}))
      const { probabilities, counts } = await aer.ask<{
        probabilities: Record<string, number>
        counts: Record<string, number>
      }>({ ask: 'probabilities', shots: SHOTS, seed: seed % 2 ** 31, ...circuit })
      const outcomes = new Set([...ours.keys(), ...Object.keys(probabilities)])
      const apart = [...outcomes].map((key) => Math.abs((ours.get(key) ?? 0) - (probabilities[key] ?? 0)))
      farthest = Math.max(farthest, ...apart)
      expect(farthest, `SEED=${seed}, difference from Qiskit\n${program}`).toBeLessThan(TOLERANCE)
      const { value, freedom } = chiSquare(counts, ours)
      // As improbable as once in a million programs.
      expect(value, `SEED=${seed}, counts of Aer\n${program}`).toBeLessThan(1.6 * chiSquareLimit(freedom) + 4)
    }
    console.info(`SEED=${FIRST}: ${PROGRAMS} programs, largest difference ${farthest.toExponential(1)}`)
  })
})

/** Measures registers that it does not declare: Qiskit refuses it, svc warns. */
const UNREADABLE = 'vqe_uccsd_n6.qasm'
