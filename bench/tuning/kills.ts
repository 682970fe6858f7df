/**
 * Kills calibrations that write their results: `bun bench/tuning/kills.ts [--kills 60] [--seed N]`. Half of
 * the kills are at random moments of a run, the others up to 20 ms after the first change of a device file.
 * After each, the device file has to be whole, the old or the new one, and the next start has to restore,
 * before anything else, the current that this file has for the coupler. The source of the currents outlives
 * the processes. Exits 1 when one is not.
 */
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readDeviceFile } from '../../src/devices/chip/device-file.ts'
import { createRng } from '../../src/devices/index.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { calibrateCold } from '../../tests/support/tuning/acceptance/changed-chip.ts'
import { DEVICE_FILE } from '../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'

const PROCESS = join(import.meta.dir, 'kills/calibrate.ts')
/** A kill while files are written comes within this after the first change of one, ms. */
const WRITING_MS = 20
/** Steps of the simulated source, A. */
const RESOLUTION_A = 1e-7

const { values: flags } = parseArgs({
  options: {
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const rng = createRng(Number(flags.seed))
using folder = temporaryFolder()
console.log(`seed ${flags.seed}`)
await calibrateCold(folder.path, designFile({ columns: 2, rows: 1 }), Number(flags.seed))
const path = join(folder.path, DEVICE_FILE)

function calibrate() {
  const child = Bun.spawn([process.execPath, PROCESS, folder.path, flags.seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, lines: child.stdout.pipeThrough(new TextDecoderStream()).getReader() }
}

/** How long a run goes on when nobody ends it, ms. */
async function wholeRun(): Promise<number> {
  const { child, lines } = calibrate()
  const { value: first = '' } = await lines.read()
  const start = performance.now()
  const { value: last = '' } = await lines.read()
  await child.exited
  if (!last.includes('success')) throw new Error(`a whole run fails: ${first}${last}`)
  return performance.now() - start
}

function parkedIn(text: string): number {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(`the device file is not whole: ${file.problems.join(', ')}`)
  return file.chip.edges[0]?.get('bias.parking_current') ?? Number.NaN
}

/** Resolves when a run begins to write, or ends. */
function writing(child: { exited: Promise<number> }): Promise<unknown> {
  const stop = new AbortController()
  const changed = new Promise<void>((resolve) => {
    watch(folder.path, { signal: stop.signal }, (_, name) => {
      if (name?.startsWith(DEVICE_FILE)) resolve()
    })
  })
  return Promise.race([changed, child.exited]).finally(() => stop.abort())
}

/** Starts a run, kills it, and returns what is wrong at its start and after its end. */
async function kill(isInWriting: boolean) {
  const before = readFileSync(path, 'utf8')
  const { child, lines } = calibrate()
  const faults: string[] = []
  const { value: first = '' } = await lines.read()
  const { held, wasLeft, isLeft } = JSON.parse(first.split('\n')[0] ?? '{}')
  if (isLeft || !(Math.abs(held - parkedIn(before)) <= RESOLUTION_A))
    faults.push(`the coupler holds ${held} A instead of ${parkedIn(before)} A`)
  if (isInWriting) await writing(child)
  await Bun.sleep(rng.next() * (isInWriting ? WRITING_MS : 1.1 * usualMs))
  child.kill('SIGKILL')
  await child.exited
  const after = readFileSync(path, 'utf8')
  try {
    parkedIn(after)
    if (after !== before && readFileSync(`${path}.prev`, 'utf8') !== before)
      throw new Error('.prev is not the old file')
  } catch (error) {
    faults.push(String(error))
  }
  return { faults, wasLeft, isNew: after !== before }
}

const usualMs = await wholeRun()
console.log(`a whole run takes ${(usualMs / 1000).toFixed(1)} s`)
let [written, restored, faulty] = [0, 0, 0]
const kills = Number(flags.kills)
for (let at = 0; at < kills; at++) {
  const { faults, wasLeft, isNew } = await kill(at % 2 === 1)
  for (const fault of faults) console.log(`kill ${at}: ${fault}`)
  faulty += faults.length
  restored += wasLeft ? 1 : 0
  written += isNew ? 1 : 0
}
// The last kill may have left a current, too: a run that nobody ends restores it.
await wholeRun()
if (existsSync(join(folder.path, 'bias.journal.json'))) faulty++
console.log(
  `${kills} kills: ${written} after a new file was written; ${restored} starts restored a current; ${faulty} faults`,
)
if (faulty > 0) process.exit(1)
