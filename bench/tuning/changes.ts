/**
 * What a partial calibration does after one change of a calibrated chip, for each of twelve parameters: `bun
 * bench/tuning/changes.ts [--seed N] [--only f01]`. The blamed routine has to be one that finds the changed
 * value or its nearest ancestor with a check, which follow from what the routines declare, and the bytes of
 * the other elements have to stay. Exits 1 when fewer than eleven are blamed correctly, or when any other
 * byte changed.
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Routine } from '../../src/devices/tuning/routine.ts'
import { BUILT_IN_ROUTINES } from '../../src/devices/tuning/routines/index.ts'
import type { CalibrationFindings } from '../../src/protocol/index.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import {
  type CalibratedChip,
  type ChipChange,
  calibrateCold,
  elementTexts,
  numberAt,
  openChanged,
} from '../../tests/support/tuning/acceptance/changed-chip.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'
import { printHead, printRow } from '../support/output.ts'

/** A change of a parameter by an amount or a factor, and the value of the device file that it makes wrong. */
interface Change {
  target: string
  field: string
  path: string
  by?: number
  factor?: number
}

const QUBIT = 'q0'
const EDGE = 'q0_q1'
const CHANGES: readonly Change[] = [
  { target: QUBIT, field: 'readout.frequency', by: 0.5e6, path: 'clock_freqs.readout' },
  { target: QUBIT, field: 'readout.critical_amplitude', factor: 0.4, path: 'measure.pulse_amp' },
  { target: QUBIT, field: 'f01', by: 8e6, path: 'clock_freqs.f01' },
  { target: QUBIT, field: 'f01', by: 0.25e6, path: 'clock_freqs.f01' },
  { target: QUBIT, field: 'rabi', factor: 0.75, path: 'rxy.amp180' },
  { target: QUBIT, field: 'rabi', factor: 1.015, path: 'rxy.amp180' },
  { target: QUBIT, field: 'quadrature', factor: 0.3, path: 'rxy.motzoi' },
  { target: QUBIT, field: 't1', factor: 0.25, path: 'coherence.t1' },
  { target: QUBIT, field: 'anharmonicity', by: 5e6, path: 'clock_freqs.f12' },
  { target: QUBIT, field: 'readout.phase', by: 1.2, path: 'measure_2state.acq_rotation' },
  // A coupler that moves takes its qubits along: their frequencies are measured before its own curve.
  { target: EDGE, field: 'offset', by: 150e-6, path: 'bias.parking_current' },
  { target: EDGE, field: 'exchange', factor: 0.8, path: 'cz.square_duration' },
]
const MIN_BLAMED = 11

/** A check that is out and that no check before it explains. */
const BLAMED = /^(\S+): check of (\S+) out by [^,]*$/

/** The routines that find a value, and those nearest before them that have a check. */
function mayBeBlamed(path: string): Set<string> {
  const producers = BUILT_IN_ROUTINES.filter((each) =>
    [...each.writes, ...each.optionalWrites].includes(path),
  )
  return new Set([...producers, ...producers.flatMap(checkedBefore)].map(({ name }) => name))
}

function checkedBefore({ dependsOn }: Routine): Routine[] {
  const before = BUILT_IN_ROUTINES.filter(({ name }) => dependsOn.includes(name))
  return before.flatMap((each) => (each.check ? [each] : checkedBefore(each)))
}

async function runChange(chip: CalibratedChip, change: Change) {
  const { target, field, path, by = 0, factor = 1 } = change
  const expected = mayBeBlamed(path)
  using folder = temporaryFolder()
  const copy = join(folder.path, 'chip')
  const value = numberAt(chip.truth, target, field)
  const event: ChipChange = { target, field, by: by + value * (factor - 1) }
  const bench = await openChanged(chip, copy, [{ kind: 'step', ...event }])
  const findings = await bench.calibrate({ mode: 'partial', targetQubits: [target] })
  const found = (findings.notes ?? []).flatMap((note) => {
    const [, on, routine] = BLAMED.exec(note) ?? []
    return routine === undefined ? [] : [`${on} ${routine}`]
  })
  const [before, after] = [elementTexts(chip.folder), elementTexts(copy)]
  const touched = [...before].filter(([name, text]) => after.get(name) !== text).map(([name]) => name)
  const isOfEdge = target === EDGE || isParked(findings)
  const own = isOfEdge ? [EDGE, ...EDGE.split('_')] : [target, EDGE]
  return {
    found,
    status: findings.status,
    isBlamed: found.some((each) => expected.has(each.split(' ')[1] ?? '')),
    others: touched.filter((name) => !own.includes(name)),
  }
}

/** Whether the coupler got another current, after which both of its qubits are measured again. */
function isParked({ routines = [] }: CalibrationFindings): boolean {
  return routines.some(({ parameters }) => parameters?.['bias.parking_current']?.written === true)
}

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string', default: '' },
  },
})
using folder = temporaryFolder()
const start = performance.now()
const chip = await calibrateCold(folder.path, designFile({ columns: 2, rows: 1 }), Number(flags.seed))
console.log(`seed ${flags.seed}, calibrated in ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
printHead(['change', 'blamed', 'as expected', 'other elements written', 'status'])
let [blamed, changed, count] = [0, 0, 0]
for (const change of CHANGES) {
  if (!change.field.includes(flags.only)) continue
  const { found, isBlamed, others, status } = await runChange(chip, change)
  const name = `${change.target} ${change.field} ${change.factor === undefined ? `+ ${change.by}` : `× ${change.factor}`}`
  printRow([name, found.join(', ') || '–', isBlamed ? 'yes' : 'no', others.join(', ') || '–', status])
  blamed += isBlamed ? 1 : 0
  changed += others.length > 0 ? 1 : 0
  count++
}
console.log(`\n${blamed} of ${count} blamed as expected, ${changed} with other elements written`)
if (blamed < Math.min(count, MIN_BLAMED) || changed > 0) process.exit(1)
