/**
 * A full calibration to be killed and continued: `bun bench/tuning/kills/continue.ts FOLDER SEED [resume]`
 * restores what a former process left changed, prints what the first coupler then holds, and calibrates the
 * chip of the folder, or continues its calibration. Prints the values and fidelities with their errors at the
 * end.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CalibrationError } from '../../../src/devices/errors.ts'
import { openBench } from '../../../tests/support/tuning/acceptance/cold-run.ts'
import { heldOutside } from './held-outside.ts'

/** Benchmarks take most of the time of a calibration: a little of each shows how it is continued. */
const CONFIG = `version: 1
routines:
  randomized_benchmarking: {seeds: 3, depths: {values: [1, 64, 256, 512]}}
  purity_benchmarking: {seeds: 3, depths: {values: [1, 64, 256, 512]}}
  cz_rb: {seeds: 3, depths: {values: [0, 4, 16, 32]}}
  process_tomography: {enabled: false}
`
const REQUEST = 'request00000001'

const [folder = '', seed = '', mode = ''] = process.argv.slice(2)
const say = (line: object) => console.log(JSON.stringify(line))
const bench = await openBench({
  folder,
  seed: Number(seed),
  config: CONFIG,
  isObserved: false,
  wrapChip: (chip) => heldOutside(chip, join(folder, 'currents.json')),
})
const isLeft = () => existsSync(join(folder, 'bias.journal.json'))
const wasLeft = isLeft()
await bench.tuner.start?.({
  signal: new AbortController().signal,
  emit: () => undefined,
  calibrateNow: () => new Promise<never>(() => undefined),
})
const edge = bench.chip.currents.edges[0] ?? ''
say({ held: bench.chip.currents.heldIn(edge), wasLeft, isLeft: isLeft() })
try {
  const resumed = mode === 'resume' ? { id: 'request00000002', resume: REQUEST } : { id: REQUEST }
  const { status, errors = [], routines = [], benchmarks = [], notes = [] } = await bench.calibrate(resumed)
  const values = routines.flatMap(({ target, parameters = {} }) =>
    Object.entries(parameters).map(([path, { value, error }]) => ({ at: `${target}.${path}`, value, error })),
  )
  // Where an error is not resolved, a bound stands for it.
  const fidelities = benchmarks.flatMap((found) => {
    const { protocol, target, fidelity, fidelity_error: error, upper_bound: bound } = found
    const at = `${target}.${protocol}`
    if (typeof fidelity === 'number') return [{ at, value: fidelity, error }]
    return bound ? [{ at, value: 1 - bound.error, error: bound.error }] : []
  })
  const note = notes.find((each) => each.startsWith('continues'))
  say({ status, errors, values, fidelities, note })
} catch (error) {
  if (!(error instanceof CalibrationError)) throw error
  say({ status: 'refused', errors: [error.message] })
}
