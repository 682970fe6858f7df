/**
 * What drift checks do after a frequency has moved by 400 kHz, and after a qubit has died: `bun
 * bench/tuning/drift.ts [--seed N]`. The first has to recalibrate that qubit and what its coupler reaches,
 * nothing else; the second must not calibrate it again and again, and sends `TargetDegraded` for it and its
 * edge. Exits 1 when one differs.
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import {
  type CalibratedChip,
  calibrateCold,
  elementTexts,
  openChanged,
} from '../../tests/support/tuning/acceptance/changed-chip.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'

const QUBIT = 'q0'
/** Parking a coupler again moves both of its qubits. */
const REACHED = [QUBIT, 'q0_q1', 'q1']
const HOUR_MS = 3_600_000
const CHECKS = 4
/** Error per pulse above which a qubit has drifted: that of a detuning of 400 kHz is about 0.003. */
const OPTIONS = { drift_check_interval: HOUR_MS, fidelity_threshold: 0.998, fidelity_2q_threshold: 0.5 }

type Events = Parameters<typeof openChanged>[2]

/** Lets some hours pass, and returns what the monitor did and which elements of the device file changed. */
async function watch(chip: CalibratedChip, events: Events) {
  using folder = temporaryFolder()
  const copy = join(folder.path, 'chip')
  const bench = await openChanged(chip, copy, events, { options: OPTIONS, isObserved: false })
  const stop = new AbortController()
  const runs: string[] = []
  const degraded: unknown[] = []
  let isBusy = false
  await bench.tuner.start?.({
    signal: stop.signal,
    emit: (type, payload) => type === 'TargetDegraded' && degraded.push(payload['target']),
    async calibrateNow({ mode, targetQubits = [] }) {
      isBusy = true
      const findings = await bench.calibrate({ mode, targetQubits })
      const ran = new Set(findings.routines?.map(({ routine }) => routine))
      runs.push(
        [mode, ...targetQubits, ran.has('ramsey_correction') ? 'with ramsey_correction' : '']
          .join(' ')
          .trim(),
      )
      isBusy = false
      return findings
    },
  })
  for (let check = 0; check < CHECKS; check++) {
    await bench.clock.advance(1.2 * HOUR_MS)
    // The monitor sleeps again when its check is over.
    while (isBusy || bench.clock.sleepers === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  stop.abort()
  const [before, after] = [elementTexts(chip.folder), elementTexts(copy)]
  return {
    runs,
    degraded,
    changed: [...before].flatMap(([name, text]) => (after.get(name) === text ? [] : [name])),
  }
}

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) } },
})
using folder = temporaryFolder()
const chip = await calibrateCold(folder.path, designFile({ columns: 3, rows: 1 }), Number(flags.seed))
console.log(`seed ${flags.seed}`)
const moved = await watch(chip, [{ kind: 'step', target: QUBIT, field: 'f01', by: 400e3 }])
console.log('400 kHz:', moved)
const dead = await watch(chip, [{ kind: 'dead', target: QUBIT, part: 'drive' }])
console.log('dead:', dead)

/** The benchmark of a gate may fail where the pulses of its qubit are off: its edge has then drifted too. */
const RECALIBRATION = new RegExp(`^partial ${QUBIT}( q0_q1)? with ramsey_correction$`)
const partial = (runs: readonly string[]) => runs.filter((run) => run.startsWith('partial'))
const isRecalibrated =
  partial(moved.runs).length === 1 &&
  moved.runs.some((run) => RECALIBRATION.test(run)) &&
  moved.changed.every((name) => REACHED.includes(name)) &&
  moved.degraded.length === 0
const isGivenUp =
  partial(dead.runs).length <= 2 &&
  dead.degraded.includes(QUBIT) &&
  dead.degraded.every((target) => String(target).includes(QUBIT))
console.log(`recalibrated: ${isRecalibrated ? 'met' : 'missed'}; no loop: ${isGivenUp ? 'met' : 'missed'}`)
if (!isRecalibrated || !isGivenUp) process.exit(1)
