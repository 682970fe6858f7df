/**
 * A process device and a tuner use one fake cluster at the same time, each in a process of its own:
 * `bun bench/cluster/sharing.ts [--jobs 200] [--calibrations 20] [--shots 100] [--command-sets 1.0,1.1]`, one
 * of each dialect. A simulated chip is at the outputs; each calibration is a spectroscopy of a resonator that
 * has to find it. "turns" are changes from one user to the other; an interleaved one does not begin with a
 * stop of all sequencers, or ends while some run. Exits with 1 unless all jobs and calibrations succeed, and
 * none is interleaved.
 */
import { parseArgs } from 'node:util'
import { SharedCluster } from '../../tests/support/cluster/shared-cluster.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    jobs: { type: 'string', default: '200' },
    calibrations: { type: 'string', default: '20' },
    shots: { type: 'string', default: '100' },
    'command-sets': { type: 'string', default: '1.0,1.1' },
  },
})
const [jobs, calibrations, shots] = [Number(flags.jobs), Number(flags.calibrations), Number(flags.shots)]

/** Whether a line has the counts of all shots. */
const isJob = (counts: unknown) =>
  Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count, 0) === shots
const isCalibration = (line: unknown) => (line as { status?: string }).status === 'success'

printHead(['command set', 'jobs', 'calibrations', 'commands', 'turns', 'interleaved', 's', 'met'])
let isMissed = false
for (const scpiVersion of flags['command-sets'].split(',')) {
  await using shared = await SharedCluster.start({ scpiVersion, reset: '2.0e-5', hasChip: true })
  const users = [
    await shared.connect('process', jobs, shots),
    await shared.connect('tuner', calibrations, shots),
  ] as const
  const start = performance.now()
  for (const user of users) user.begin()
  const [ofJobs, ofCalibrations] = await Promise.all([users[0].ended(), users[1].ended()])
  const seconds = (performance.now() - start) / 1_000
  const [done, calibrated] = [
    ofJobs.lines.filter(isJob).length,
    ofCalibrations.lines.filter(isCalibration).length,
  ]
  const turns = shared.turns()
  const interleaved = shared.interleaved()
  const isEnded = ofJobs.status === 0 && ofCalibrations.status === 0
  const isShared = turns.length >= 2 * calibrations
  const isMet =
    isEnded && isShared && done === jobs && calibrated === calibrations && interleaved.length === 0
  isMissed ||= !isMet
  printRow([
    scpiVersion,
    `${done} of ${jobs}`,
    `${calibrated} of ${calibrations}`,
    ...[shared.cluster.log.length, turns.length, interleaved.length].map(String),
    seconds,
    isMet ? 'yes' : 'NO',
  ])
  for (const turn of interleaved) console.log(JSON.stringify(turn))
  for (const line of ofCalibrations.lines) if (!isCalibration(line)) console.log(JSON.stringify(line))
}
process.exit(isMissed ? 1 : 0)
