/**
 * A calibration to be killed: `bun bench/tuning/kills/calibrate.ts FOLDER SEED` restores what a former
 * process left changed and prints what the first coupler then holds, then calibrates the chip of the folder.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { openBench } from '../../../tests/support/tuning/acceptance/cold-run.ts'
import { heldOutside } from './held-outside.ts'

/** Little is measured, so that many of the kills hit a ramp or the writing of files. */
const MEASURED: ReadonlySet<string> = new Set(['ramsey_correction', 'coupler_anticrossing'])
const CONFIG = `version: 1
routines:
${ROUTINES.filter(({ name }) => !MEASURED.has(name))
  .map(({ name }) => `  ${name}: {enabled: false}`)
  .join('\n')}
`

const [folder = '', seed = ''] = process.argv.slice(2)
const say = (line: object) => console.log(JSON.stringify(line))
const bench = await openBench({
  folder,
  seed: Number(seed),
  config: CONFIG,
  isObserved: false,
  wrapChip: (chip) => heldOutside(chip, join(folder, 'currents.json')),
})
const never = new Promise<never>(() => undefined)
const isLeft = () => existsSync(join(folder, 'bias.journal.json'))
const wasLeft = isLeft()
await bench.tuner.start?.({
  signal: new AbortController().signal,
  emit: () => undefined,
  calibrateNow: () => never,
})
const edge = bench.chip.currents.edges[0] ?? ''
say({ held: bench.chip.currents.heldIn(edge), wasLeft, isLeft: isLeft() })
const { status, errors = [] } = await bench.calibrate()
say({ status, errors })
