/**
 * How often fits find the truth, and how long they take: `bun bench/calibration/fits.ts [--trials 500]
 * [--noise 1000] [--seed 1] [--only chevron]`. Each kind of measurement is simulated with random truths and
 * realistic noise; `right` are the fits that were accepted with all wanted values inside the tolerance,
 * `wrong` those accepted with another value, `covered` the share of values within two standard errors of the
 * truth. Noise alone has to be accepted never. Exits 1 when any noise is accepted.
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createRng } from '../../src/devices/index.ts'
import { CHIP_TRIALS } from '../../tests/support/fitting/chip-trials.ts'
import { CURVE_TRIALS } from '../../tests/support/fitting/curve-trials.ts'
import { TOMOGRAPHY_TRIAL } from '../../tests/support/fitting/tomography-trial.ts'
import { runTrials } from '../../tests/support/fitting/trials.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    trials: { type: 'string', default: '500' },
    noise: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const [signals, noises] = [Number(flags.trials), Number(flags.noise)]
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

console.log(`${cpus()[0]?.model}, Bun ${Bun.version}\n`)
printHead(['measurement', 'tolerance', 'right', 'wrong', 'rejected', 'covered', 'noise accepted', 'ms'])
let accepted = 0
for (const [stream, kind] of [...CURVE_TRIALS, ...CHIP_TRIALS, TOMOGRAPHY_TRIAL].entries()) {
  if (!kind.name.includes(flags.only)) continue
  const rng = createRng(Number(flags.seed))
  rng.seek(stream, 0)
  const figures = runTrials(kind, rng, { signals, noises, now: () => performance.now() })
  accepted += figures.noiseAccepted
  const codes = Object.entries(figures.codes).map(([code, count]) => `${count} ${code}`)
  printRow([
    kind.name,
    kind.tolerance,
    percent(figures.right / signals),
    percent((figures.accepted - figures.right) / signals),
    codes.join(', ') || '0',
    Number.isNaN(figures.covered) ? '–' : percent(figures.covered),
    `${figures.noiseAccepted} of ${noises}`,
    figures.ms,
  ])
}
if (accepted > 0) process.exit(1)
