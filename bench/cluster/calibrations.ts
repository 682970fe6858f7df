/**
 * Whole calibrations through the fake cluster, from the first connection to the report, and jobs after them:
 * `bun bench/cluster/calibrations.ts [--qubits 2] [--seed 4] [--shots 4000] [--command-sets 1.0,1.1]`, one of
 * each dialect. The chip is drawn around a design file; its couplers are parked by outputs of the cluster.
 * "runs" are armed sequencers. Exits with 1 when a calibration does not succeed, or a figure of the jobs is
 * missed.
 */
import { parseArgs } from 'node:util'
import { openTunerLab } from '../../tests/support/cluster/tuner-lab.ts'
import { jobFigures } from '../../tests/support/tuning/job-figures.ts'
import { formatFigure } from '../support/figures.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    qubits: { type: 'string', default: '2' },
    seed: { type: 'string', default: '4' },
    shots: { type: 'string', default: '4000' },
    'command-sets': { type: 'string', default: '1.0,1.1' },
  },
})
const [qubits, seed, shots] = [Number(flags.qubits), Number(flags.seed), Number(flags.shots)]

printHead(['command set', 'calibration', 'routines', 'runs', 'commands', 's', 'Bell', 'GHZ', 'budget', 'met'])
let isMissed = false
for (const scpiVersion of flags['command-sets'].split(',')) {
  await using lab = await openTunerLab({ scpiVersion, qubits, seed })
  const start = performance.now()
  const findings = await lab.calibrate()
  const seconds = (performance.now() - start) / 1000
  const { status, routines = [], errors = [] } = findings
  const succeeded = routines.filter((each) => each.status === 'success').length
  const runs = lab.cluster.log.filter(({ text }) => text.endsWith(':ARM')).length
  const commands = lab.cluster.log.length
  const { hardwarePath } = lab
  const figures = await jobFigures(lab, lab.folder, { qubits, shots, findings, hardwarePath })
  const isMet = status === 'success' && figures.isMet
  isMissed ||= !isMet
  printRow([
    scpiVersion,
    status,
    `${succeeded} of ${routines.length}`,
    String(runs),
    String(commands),
    formatFigure(seconds),
    ...[figures.bell, figures.chain, figures.budget].map((each) => each.toFixed(3)),
    isMet ? 'yes' : 'NO',
  ])
  for (const error of errors) console.log(error)
  for (const { routine, target, status: outcome, error } of routines) {
    if (outcome !== 'success') console.log(`${routine} on ${target}: ${outcome}, ${error?.message}`)
  }
}
process.exit(isMissed ? 1 : 0)
