/**
 * Compiles 1,000 random circuits (or as many as the argument says) to programs of sequencers, runs them in
 * the emulator and compares every sample, the ends of the sequencers and the bins with the schedule. Two
 * thirds decouple qubits that wait. Exits with 1 at a difference.
 */
import { compileText, FIVE_QUBITS } from '../../tests/support/scheduler/five-qubits.ts'
import { differencesOf } from '../../tests/support/scheduler/played-samples.ts'
import { decouplingOf, randomText } from '../../tests/support/scheduler/random-text.ts'

const CIRCUITS = Number(process.argv[2] ?? 1_000)
/** A part of full scale: gains have 16 bits. */
const MAX_DIFFERENCE = 1e-4

let largest = 0
let different = 0
let windows = 0
for (let seed = 0; seed < CIRCUITS; seed++) {
  const { circuit } = compileText(randomText(seed), 1, FIVE_QUBITS, decouplingOf(seed))
  const { sample, problems } = differencesOf(circuit.schedule)
  windows += circuit.decoupling?.windows ?? 0
  largest = Math.max(largest, sample)
  if (sample <= MAX_DIFFERENCE && problems.length === 0) continue
  different++
  console.log(`seed ${seed}: ${[`samples differ by ${sample}`, ...problems].join('; ').slice(0, 1_000)}`)
}
const summary = `${different} of ${CIRCUITS} circuits differ, with ${windows} waits decoupled`
console.log(`${summary}; largest difference ${largest.toExponential(1)}`)
if (different > 0) process.exitCode = 1
