/**
 * How often the end of a full calibration is wrong about a chip that stays as it is, and what it sees of one
 * that has changed: `bun bench/tuning/chip/verification.ts [--checks 200] [--chips 2] [--qubits 2]
 * [--seed N]`. The checks of all values of cold calibrated chips run again and again; then each change is
 * looked at five times. The seed is drawn at each run. Exits 1 after a false alarm, or a change that was not
 * seen.
 */
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { silentLog } from '../../../src/base/index.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { chipValuesOf } from '../../../src/devices/tuning/chip-values.ts'
import { readCalibrationConfig } from '../../../src/devices/tuning/config/read-config.ts'
import { type Instance, instancesOf } from '../../../src/devices/tuning/plan/instances.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { settingsFor } from '../../../src/devices/tuning/run/settings.ts'
import { type DriftLook, driftedChecks } from '../../../src/devices/tuning/run/verification/drifted-checks.ts'
import { runChecks } from '../../../src/devices/tuning/walk/checks.ts'
import { PARKING_PATH, RunCurrents } from '../../../src/devices/tuning/walk/run-currents.ts'
import { RunValues } from '../../../src/devices/tuning/walk/run-values.ts'
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import {
  type CalibratedChip,
  calibrateCold,
  numberAt,
  openChanged,
} from '../../../tests/support/tuning/acceptance/changed-chip.ts'
import { DEVICE_FILE } from '../../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../../tests/support/tuning/acceptance/design-file.ts'
import { printHead, printRow } from '../../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    checks: { type: 'string', default: '200' },
    chips: { type: 'string', default: '2' },
    qubits: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const [checks, chips] = [Number(flags.checks), Number(flags.chips)]
const LOOKS = 5

/** What changes, by how much, and what has to see it. */
const CHANGES: [string, (truth: CalibratedChip['truth']) => number, string][] = [
  ['f01', () => 152e3, 'ramsey_correction'],
  ['f01', () => -400e3, 'ramsey_correction'],
  ['readout.phase', () => 1.2, 'two_state_discrimination'],
  ['t1', (truth) => -0.85 * numberAt(truth, 'q0', 't1'), 't1'],
  ['rabi', (truth) => 0.05 * numberAt(truth, 'q0', 'rabi'), 'rabi_oscillations n_rabi_oscillations'],
]

type Events = Parameters<typeof openChanged>[2]

/** A calibrated chip, and what its checks need. */
async function openChecks(chip: CalibratedChip, folder: string, events: Events) {
  const bench = await openChanged(chip, folder, events, { isObserved: false })
  const file = readDeviceFile(readFileSync(join(folder, DEVICE_FILE), 'utf8'))
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const values = new RunValues(chipValuesOf(file.chip))
  const signal = new AbortController().signal
  const names = (kind: 'qubits' | 'edges') => file.chip[kind].map(({ name }) => name)
  const { byKey } = instancesOf({
    routines: BUILT_IN_ROUTINES,
    chip: values.chip,
    isEnabled: () => true,
    qubits: names('qubits'),
    edges: names('edges'),
  })
  const config = readCalibrationConfig('', file.chip)
  if ('problems' in config) throw new Error(config.problems.join('\n'))
  const runner = {
    instrument: bench.chip,
    currents: new RunCurrents(undefined, 'run000000000001', signal),
    values,
    clock: bench.clock,
    log: silentLog,
    signal,
    maxAttempts: 3,
    timeoutS: 900,
    settingsOf: () => ({ axis: () => undefined, number: () => undefined, choice: () => undefined }),
  }
  const look: DriftLook = {
    runner,
    routines: BUILT_IN_ROUTINES,
    quick: (routine, target) => settingsFor(config, 'fidelity_check', routine, target),
    limits: { qubit: 0.99, edge: 0.95, errorFactor: 3 },
    onCheck: () => undefined,
    benchmarkOf({ routine: { name }, target }) {
      const found = chip.findings.benchmarks?.find((each) => each.protocol === name && each.target === target)
      return { metric: '', ...(typeof found?.error === 'number' && { error: found.error }) }
    },
  }
  return {
    runner,
    look,
    nodes: [...byKey.values()].filter(
      ({ routine }) => routine.check && !routine.writes.includes(PARKING_PATH),
    ),
  }
}

const outOf = (found: ReadonlyMap<string, { state: string }>) =>
  [...found].flatMap(([key, { state }]) => (state === 'out' ? [key] : []))

console.log(`seed ${flags.seed}`)
let wrong = 0
const singles = new Map<string, number>()
for (let at = 0; at < chips; at++) {
  using folder = temporaryFolder()
  const cold = join(folder.path, 'cold')
  mkdirSync(cold)
  const chip = await calibrateCold(
    cold,
    designFile({ columns: Number(flags.qubits), rows: 1 }),
    (Number(flags.seed) + at) % 2 ** 31,
  )
  const still = await openChecks(chip, join(folder.path, 'still'), [])
  let alarms = 0
  for (let check = 0; check < checks / chips; check++) {
    const single = await runChecks(still.nodes, still.runner, () => undefined)
    const isOut = ({ routine, target }: Instance) => single.get(`${routine.name} ${target}`)?.state === 'out'
    const out = still.nodes.filter(isOut)
    for (const { routine } of out) singles.set(routine.name, (singles.get(routine.name) ?? 0) + 1)
    const confirmed = outOf(await driftedChecks(still.nodes, still.look))
    if (confirmed.length > 0) console.log(`chip ${at}, check ${check}: ${confirmed.join(', ')}`)
    alarms += confirmed.length > 0 ? 1 : 0
  }
  wrong += alarms
  console.log(`chip ${at}: ${alarms} false alarms of ${checks / chips} quiet verifications`)
  printHead(['change', 'by', 'seen', 'of'])
  for (const [index, [field, byOf, routines]] of CHANGES.entries()) {
    const by = byOf(chip.truth)
    const events = [{ kind: 'step' as const, target: 'q0', field, by }]
    const { nodes, look } = await openChecks(chip, join(folder.path, `changed${index}`), events)
    const [names, looks] = [routines.split(' '), Array.from({ length: LOOKS })]
    const looked = nodes.filter(({ routine, target }) => target === 'q0' && names.includes(routine.name))
    let seen = 0
    for (const _ of looks) {
      const found = await driftedChecks(looked, look)
      if ([...found.values()].some(({ state }) => state === 'out')) seen++
    }
    printRow([field, by.toPrecision(3), String(seen), String(LOOKS)])
    if (seen < LOOKS) wrong++
  }
}
console.log('single checks that were out on a chip that stays as it is:', Object.fromEntries(singles))
if (wrong > 0) process.exit(1)
