/**
 * Kills full calibrations of a small chip at random moments and continues them: `bun
 * bench/tuning/continued.ts [--kills 60] [--seed N]`. One is killed again and again until it has ended, and
 * then the next one begins. Each that has ended has to have a device file equal, within the errors, to that
 * of an undisturbed run. The point at which a qubit is read is the optimum of a flat score and never the
 * same: what follows from it has to read as well, by the fidelities, which are compared as all others. Where
 * nothing is left to continue, the tuner has to say why, and the calibration is requested again. Before
 * anything else, each start has to restore the current that the device file has for the coupler. Exits 1
 * otherwise. The seed is drawn at each run.
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
/**
 * Values of the point at which a qubit is read, which its fidelities judge, and powers of a spectroscopy,
 * each of which finds the frequency that is compared.
 */
const CHOSEN =
  /\.(?:measure_[23]state\.(?:frequency|pulse_amp|acq_rotation|acq_threshold)|measure(?:_2state)?\.integration_time|spec\.amplitude(?:_12)?)$/
const READOUT = '.clock_freqs.readout'
/** By which share of its width the line of a resonator is moved at the chosen power: `punchout`. */
const LINE_SHIFT = 0.15 * 0.7 ** 2
/** Part of an infidelity by which a readout may be worse than at another optimum. */
const MAX_WORSE = 0.15

const started = v.object({ held: v.number(), wasLeft: v.boolean(), isLeft: v.boolean() })
const measured = v.object({ at: v.string(), value: v.unknown(), error: v.nullish(v.number()) })
const ended = v.object({
  status: v.string(),
  errors: v.array(v.string()),
  note: v.optional(v.string()),
  values: v.optional(v.array(measured), []),
  fidelities: v.optional(v.array(measured), []),
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
  const status = await child.exited
  clearTimeout(timer)
  if (status !== 0 && child.signalCode !== 'SIGKILL') throw new Error('the calibration crashed')
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

/** The last of each. */
const byPlace = (all: readonly v.InferOutput<typeof measured>[] = []) =>
  new Map(all.map((each) => [each.at, each]))

/** How the values of the device file differ from those of the undisturbed run. */
function differingValues(): string[] {
  const found = fileOf()
  return [...byPlace(undisturbed?.values).values()].flatMap((each) => {
    const { at, value, error } = each
    if (CHOSEN.test(at) || typeof value !== 'number') return []
    const [now, then] = [found, expected].map((chip) => valueIn(chip, at))
    return isAlike(found, at, error) ? [] : [`${at}: ${now} instead of ${then} ± ${error}`]
  })
}

function valueIn(chip: typeof expected, at: string): number {
  const [element = '', ...path] = at.split('.')
  return Number(chip.element(element)?.values.get(path.join('.')))
}

/** Whether a value is that of the undisturbed run within its error; one without a number is not compared. */
function isAlike(found: typeof expected, at: string, error: number | null | undefined): boolean {
  const [now, then] = [valueIn(found, at), valueIn(expected, at)]
  if (Number.isNaN(now) && Number.isNaN(then)) return true
  const allowed = error ? MAX_SIGMAS * Math.SQRT2 * error : MAX_PART * Math.abs(then)
  return Math.abs(now - then) <= allowed + (at.endsWith(READOUT) ? shiftOfLine(found, at) : 0)
}

/** The line of a resonator is where the power moves it, and the power is known to a quarter only, Hz. */
function shiftOfLine(found: typeof expected, at: string): number {
  const of = (path: string) => at.replace(READOUT, path)
  const [power, other] = [found, expected].map((chip) => valueIn(chip, of('.measure.pulse_amp')) ** 2)
  return (
    LINE_SHIFT * valueIn(expected, of('.resonator.linewidth')) * Math.abs((power ?? 0) / (other ?? 0) - 1)
  )
}

/** The same for the fidelities that a continued run measured itself or took over. */
function differingFidelities(found: readonly v.InferOutput<typeof measured>[]): string[] {
  const now = byPlace(found)
  return [...byPlace(undisturbed?.fidelities).values()].flatMap(({ at, value, error }) => {
    const other = now.get(at)
    if (typeof value !== 'number') return []
    if (typeof other?.value !== 'number') return [`${at}: not measured`]
    const allowed = MAX_SIGMAS * Math.hypot(error ?? 0, other.error ?? 0) + MAX_WORSE * (1 - value)
    const isSame = Math.abs(other.value - value) <= allowed
    return isSame ? [] : [`${at}: ${other.value} ± ${other.error} instead of ${value} ± ${error}`]
  })
}
let [killed, completed, refused, taken] = [0, 0, 0, 0]
while (killed < kills) {
  renew()
  let mode: 'whole' | 'resume' = 'whole'
  let fidelities: readonly v.InferOutput<typeof measured>[] | undefined
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
    fidelities = result.fidelities
    break
  }
  completed++
  // One that was killed after it had written the file has no report.
  const differences = [...differingValues(), ...(fidelities ? differingFidelities(fidelities) : [])]
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
