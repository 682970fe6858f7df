/**
 * Kills full calibrations of a small chip at random moments and continues them: `bun
 * bench/tuning/continued.ts [--kills 60] [--seed N]`. One is killed again and again until it has ended, and
 * then the next one begins. Each that has ended has to have a device file equal, within the errors, to that
 * of an undisturbed run. Where nothing is left to continue, the tuner has to say why, and the calibration is
 * requested again. Before anything else, each start has to restore the current that the device file has for
 * the coupler. Exits 1 otherwise. The seed is drawn at each run.
 */
import { randomInt } from 'node:crypto'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { readDeviceFile } from '../../src/devices/chip/device-file.ts'
import { createRng } from '../../src/devices/index.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { drawStill } from '../../tests/support/tuning/acceptance/changed-chip.ts'
import { DEVICE_FILE } from '../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'

const PROCESS = join(import.meta.dir, 'kills/continue.ts')
/** Steps of the simulated source, A. */
const RESOLUTION_A = 1e-7
/** Distance of two values in the standard error of their difference; without errors, part of the value. */
const MAX_SIGMAS = 6
const MAX_PART = 0.15
/** What follows from the point at which a qubit is read: the optimum of a flat score, never the same. */
const OF_READOUT_POINT =
  /\.measure_[23]state\.|\.measure\.(?:integration_time|pulse_amp)$|\.clock_freqs\.readout$/

const started = v.object({ held: v.number(), wasLeft: v.boolean(), isLeft: v.boolean() })
const ended = v.object({
  status: v.string(),
  errors: v.array(v.string()),
  note: v.optional(v.string()),
  values: v.optional(
    v.array(v.object({ at: v.string(), value: v.unknown(), error: v.nullish(v.number()) })),
    [],
  ),
})

const { values: flags } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const [seed, kills] = [Number(flags.seed), Number(flags.kills)]
const rng = createRng(seed)
console.log(`seed ${seed}`)
using cold = temporaryFolder()
await drawStill(cold.path, designFile({ columns: 2, rows: 1 }), seed)
using folder = temporaryFolder()
const faults: string[] = []

function fileOf() {
  const file = readDeviceFile(readFileSync(join(folder.path, DEVICE_FILE), 'utf8'))
  if ('problems' in file) throw new Error(`the device file is not whole: ${file.problems.join(', ')}`)
  return file.chip
}

function renew() {
  rmSync(folder.path, { recursive: true })
  cpSync(cold.path, folder.path, { recursive: true })
}

/** Runs a calibration, at most for a time; undefined for one that was killed. */
async function calibrate(mode: 'whole' | 'resume', killAfterMs?: number) {
  const parked = fileOf().edges[0]?.get('bias.parking_current') ?? 0
  const child = Bun.spawn(['nice', process.execPath, PROCESS, folder.path, String(seed), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const read = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) lines.push(text)
  })()
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  await child.exited
  clearTimeout(timer)
  await read
  const [first, last] = lines.join('').split('\n')
  if (first) {
    const { held, isLeft } = v.parse(v.pipe(v.string(), v.parseJson(), started), first)
    if (isLeft || Math.abs(held - parked) > RESOLUTION_A)
      faults.push(`the coupler holds ${held} A instead of ${parked} A`)
  }
  return last ? v.parse(v.pipe(v.string(), v.parseJson(), ended), last) : undefined
}

renew()
const start = performance.now()
const undisturbed = await calibrate('whole')
let usualMs = performance.now() - start
if (undisturbed?.status !== 'success') throw new Error(`a whole run fails: ${JSON.stringify(undisturbed)}`)
const expected = fileOf()
console.log(`a whole run takes ${(usualMs / 1_000).toFixed(0)} s`)

/** How the values of the device file differ from those of the undisturbed run. */
function compare(): string[] {
  const found = fileOf()
  const last = new Map(undisturbed?.values.map((each) => [each.at, each]))
  return [...last.values()].flatMap(({ at, value, error }) => {
    if (OF_READOUT_POINT.test(at)) return []
    const [element = '', ...rest] = at.split('.')
    const [now, then] = [found, expected].map((chip) => chip.element(element)?.values.get(rest.join('.')))
    if (typeof now !== 'number' || typeof then !== 'number' || typeof value !== 'number') return []
    const allowed = error ? MAX_SIGMAS * Math.SQRT2 * error : MAX_PART * Math.abs(then)
    return Math.abs(now - then) <= allowed ? [] : [`${at}: ${now} instead of ${then} ± ${error}`]
  })
}
let [killed, completed, refused, taken] = [0, 0, 0, 0]
while (killed < kills) {
  renew()
  let mode: 'whole' | 'resume' = 'whole'
  for (;;) {
    const start = performance.now()
    const result = await calibrate(mode, killed < kills ? rng.next() * usualMs : undefined)
    // Other work on the machine comes and goes.
    if (result && mode === 'whole') usualMs = performance.now() - start
    if (!result) {
      killed++
      mode = 'resume'
      continue
    }
    if (result.status === 'refused') {
      refused++
      console.log(`  ${result.errors[0]}`)
      // The device file is that of a run which had ended, or nothing was begun.
      if (result.errors[0]?.includes('device file')) break
      if (!result.errors[0]?.startsWith('nothing is left to continue: ')) faults.push(result.errors.join())
      mode = 'whole'
      continue
    }
    taken += Number(/: (\d+) steps/.exec(result.note ?? '')?.[1] ?? 0)
    if (result.status !== 'success') faults.push(`${result.status}: ${result.errors.join('; ')}`)
    break
  }
  completed++
  const differences = compare()
  faults.push(...differences)
  console.log(
    `${killed} kills, calibration ${completed}: ${differences.length === 0 ? 'equal' : differences.join('; ')}`,
  )
}
console.log(
  `${killed} kills, ${completed} calibrations, ${taken} steps not repeated, ${refused} refusals, ${faults.length} faults`,
)
for (const fault of faults) console.log(`  ${fault}`)
process.exit(faults.length > 0 ? 1 : 0)
