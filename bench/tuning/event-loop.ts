/**
 * How long a tuner holds its thread: `bun bench/tuning/event-loop.ts [--seed 7] [--qubits 2]`. A full
 * calibration of a simulated chip, and for each routine its longest stretches without a turn of the event
 * loop: of the routine itself (schedules and fits), and of the whole process, which includes the simulated
 * chip. In ms of processor time, so that a loaded machine counts nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { silentLog, systemClock } from '../../src/base/index.ts'
import { openSimulatedChip } from '../../src/devices/bench/simulated/open-simulated-chip.ts'
import { createRng } from '../../src/devices/index.ts'
import type { Measurement, Routine } from '../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../src/devices/tuning/tuner-options.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { printTable } from '../support/output.ts'

const LIMIT_MS = 50
const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: '7' }, qubits: { type: 'string', default: '2' } },
})

interface Longest {
  own: number
  turn: number
  seconds: number
}
const found = new Map<string, Longest>()
let current = 'start and plan'
function longestOf(name: string): Longest {
  const known = found.get(name) ?? { own: 0, turn: 0, seconds: 0 }
  found.set(name, known)
  return known
}

/** Processor time of this process so far, ms. */
function spent(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Times every stretch of a coroutine between two of its steps. */
function* timed<Found>(name: string, measurement: Measurement<Found>): Measurement<Found> {
  let next = () => measurement.next({})
  for (;;) {
    const before = spent()
    const { done, value } = next()
    const longest = longestOf(name)
    longest.own = Math.max(longest.own, spent() - before)
    if (done) return value
    try {
      const reply = yield value
      next = () => measurement.next(reply)
    } catch (error) {
      next = () => measurement.throw(error)
    }
  }
}

const routines: Routine[] = BUILT_IN_ROUTINES.map((routine) => ({
  ...routine,
  *measure(context) {
    current = routine.name
    return yield* timed(routine.name, routine.measure(context))
  },
}))

/** The first qubits of the example, and the edges between them. */
function exampleOf(qubits: number): string {
  const text = readFileSync(join(import.meta.dir, '../../examples/scheduler.device.yml'), 'utf8')
  const names = Array.from({ length: qubits }, (_, at) => `q${at}`)
  const blocks = text.split(/\n(?=q\d)/).filter((block) => /^q\d/.test(block))
  return blocks
    .filter((block) => (block.match(/\bq\d+\b/g) ?? []).every((name) => names.includes(name)))
    .join('\n')
}

using temporary = temporaryFolder()
const folder = temporary.path
writeFileSync(join(folder, 'scheduler.device.yml'), exampleOf(Number(flags.qubits)))
writeFileSync(join(folder, 'calibration.yml'), 'version: 1\n')
const defaults = Object.fromEntries(Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]))
const options = {
  ...defaults,
  scheduler_device_config: join(folder, 'scheduler.device.yml'),
  calibration_config: join(folder, 'calibration.yml'),
  is_simulated: true,
} as TunerOptions
const { signal } = new AbortController()
const tuner = await createTuner(
  {
    name: 'tuner',
    device: 'scheduler_a_tuner',
    options,
    raw: {},
    environment: {},
    dataDir: folder,
    log: silentLog,
    clock: systemClock,
    signal,
    random: (seed = 1) => createRng(seed),
  },
  {
    routines,
    openSimulated: (chip) => openSimulatedChip({ ...chip, seed: Number(flags.seed) }),
    provideSdk: async () => undefined,
    openPythonRoutines: () => Promise.reject(new Error('no routines in Python')),
  },
)

let isOver = false
let turnedAt = spent()
function turn(): void {
  const now = spent()
  const longest = longestOf(current)
  longest.turn = Math.max(longest.turn, now - turnedAt)
  longest.seconds += (now - turnedAt) / 1_000
  turnedAt = now
  if (!isOver) setImmediate(turn)
}
turn()
const request = { runId: 'run000000000001', id: null, mode: 'full' as const, targetQubits: [] }
const progress = ({ phase }: { phase: string }) => {
  if (phase === 'write') current = 'write'
}
const findings = await tuner.calibrate(request, { signal, progress })
await new Promise((resolve) => setImmediate(resolve))
isOver = true

const rows = [...found].sort(([, one], [, other]) => other.turn - one.turn)
printTable(
  ['routine', 'longest of the routine, ms', 'longest turn, ms', 'processor time, s'],
  rows.map(([name, { own, turn: longest, seconds }]) => [name, own, longest, seconds]),
)
const worst = Math.max(...rows.map(([, { turn: longest }]) => longest))
console.log(`\n${findings.status}; longest turn ${worst.toFixed(0)} ms, at most ${LIMIT_MS} wanted`)
for (const error of findings.errors ?? []) console.log(`  ${error}`)
process.exitCode = worst <= LIMIT_MS ? 0 : 1
