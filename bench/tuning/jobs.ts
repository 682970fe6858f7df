/**
 * Jobs through `scheduler_a` on simulated chips that were calibrated from a design file: `bun
 * bench/tuning/jobs.ts [--chips 2] [--seed 1] [--shots 4000]`. Chips of both handednesses take turns.
 * A Bell pair is judged beside what readout leaves of 00 and 11. The budget of a state of five qubits is what
 * readout of all at once, the measured error of a CZ gate, and decay during the circuit leave of it. "frame −
 * readout" compares three gates that end in 0 with a qubit at rest. "read at once" is by how much more often
 * than alone an idle qubit is found in 1 when all are read together. Exits 1 when a figure is missed.
 */
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { openBench } from '../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'
import { jobFigures } from '../../tests/support/tuning/job-figures.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    chips: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    shots: { type: 'string', default: '4000' },
  },
})
const QUBITS = 5
const HEAD = ['Bell, raw', 'Bell', 'GHZ-5', 'budget', 'frame − readout', 'read at once']

printHead(['seed', 'hand', 'calibration', ...HEAD, 'met'])
let [isMissed, seed] = [false, Number(flags.seed)]
for (let chip = 0; chip < Number(flags.chips); seed++) {
  using folder = temporaryFolder()
  const deviceFile = designFile({ columns: QUBITS, rows: 1 })
  const bench = await openBench({ folder: folder.path, deviceFile, seed, isObserved: false })
  const { hand } = bench.truth
  if (hand !== (chip % 2 === 0 ? 1 : -1)) continue
  const findings = await bench.calibrate()
  const jobs = { qubits: QUBITS, shots: Number(flags.shots), findings }
  const { isMet, pair, bell, chain, budget, frame, moved } = await jobFigures(bench, folder.path, jobs)
  const figures = [pair, bell, chain, budget, frame, moved].map((each) => each.toFixed(3))
  printRow([String(seed), String(hand), findings.status, ...figures, isMet ? 'yes' : 'NO'])
  isMissed ||= !isMet
  chip++
}
process.exit(isMissed ? 1 : 0)
