/**
 * Compiles 1,000 random circuits (or as many as the argument says) to programs of sequencers, runs them in
 * the emulator and compares every sample, the ends of the sequencers and the bins with the schedule. Exits
 * with 1 at a difference.
 */
import { compileText } from '../../tests/support/scheduler/five-qubits.ts'
import { differencesOf } from '../../tests/support/scheduler/played-samples.ts'
import { randomText } from '../../tests/support/scheduler/random-text.ts'

const CIRCUITS = Number(process.argv[2] ?? 1_000)
/** Of full scale: gains have 16 bits. */
const MAX_DIFFERENCE = 1e-4

let largest = 0
let different = 0
for (let seed = 0; seed < CIRCUITS; seed++) {
  const { sample, problems } = differencesOf(compileText(randomText(seed), 1).circuit.schedule)
  largest = Math.max(largest, sample)
  if (sample <= MAX_DIFFERENCE && problems.length === 0) continue
  different++
  console.log(`seed ${seed}: ${[`samples differ by ${sample}`, ...problems].join('; ').slice(0, 1_000)}`)
}
console.log(`${different} of ${CIRCUITS} circuits differ; largest difference ${largest.toExponential(1)}`)
if (different > 0) process.exitCode = 1
