/**
 * What `full` does on chips whose elements lack something: `bun bench/tuning/stock.ts [--seed N]`. Each run
 * has to succeed, with every routine that the elements allow; the others are declined and none is blocked.
 * Exits 1 when one is not.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ROUTINES } from '../../src/devices/tuning/routine-names.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { calibrateCold } from '../../tests/support/tuning/acceptance/changed-chip.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'
import { printHead, printRow } from '../support/output.ts'

/** Needs a place for its result, a readout point of its own, or a pulse to state 2. */
const OF_FULL_QUBITS = [
  't1',
  't2',
  't2_echo',
  'resonator_spectroscopy_1',
  'ro_two_state_optimization',
  'rabi_oscillations_12',
  'ramsey_correction_12',
  'motzoi_12_parameter',
  'n_rabi_12_oscillations',
  'resonator_spectroscopy_2',
  'three_state_discrimination',
]
const STOCK = 'BasicTransmonElement'
const CHIPS = [
  { name: 'all that there is', of: {}, declined: [] },
  { name: 'stock qubits', of: { qubit: STOCK }, declined: OF_FULL_QUBITS },
  { name: 'a coupler without a current', of: { edge: 'tone' }, declined: ['coupler_anticrossing'] },
  {
    name: 'stock qubits and edges without a tone',
    of: { qubit: STOCK, edge: 'neither' },
    declined: [...OF_FULL_QUBITS, 'coupler_anticrossing', 'cz_parametrization'],
  },
] as const

const { values: flags } = parseArgs({
  options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) } },
})
console.log(`seed ${flags.seed}\n`)
printHead(['elements', 'status', 'routines', 'declined', 'otherwise skipped'])
let faults = 0
for (const { name, of, declined } of CHIPS) {
  using folder = temporaryFolder()
  const file = designFile({ columns: 2, rows: 1, ...of })
  const { findings } = await calibrateCold(folder.path, file, Number(flags.seed))
  const { status, routines = [], skipped = [] } = findings
  const absent = namesOf(skipped.filter(({ reason }) => reason === 'declined'))
  const ran = namesOf(routines)
  const others = skipped.filter(({ reason }) => reason !== 'declined').map(({ detail }) => detail)
  printRow([name, status, String(ran.length), absent.join(', ') || '–', others.join(', ') || '–'])
  for (const { routine, target, error } of routines)
    if (error) console.log(`  ${target} ${routine}: ${error.code}: ${error.message}`)
  const expected = ROUTINES.filter((routine) => (declined as readonly string[]).includes(routine.name))
  const isExact = absent.join() === namesOf(expected.map((each) => ({ routine: each.name }))).join()
  const isWhole = ran.length === ROUTINES.length - declined.length
  if (status !== 'success' || !isExact || !isWhole || others.length > 0) faults++
}
if (faults > 0) process.exit(1)

/** Routines without repetition, in the order of their numbers. */
function namesOf(nodes: readonly { routine: string }[]): string[] {
  const names = new Set(nodes.map(({ routine }) => routine))
  return ROUTINES.map(({ name }): string => name).filter((name) => names.has(name))
}
