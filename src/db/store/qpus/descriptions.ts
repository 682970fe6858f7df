import { NOT_DESCRIBED, qpus } from '../../collections/qpus.ts'
import { firstOf, mapped, type Query } from '../../engine/query.ts'
import type { ReadTx, Tx } from '../../records/tx.ts'
import { JsonText } from '../../schema/json-text.ts'
import { completeDescription, type Fidelity, withNewer } from './complete-description.ts'
import { forgetUnfit } from './unfit-jobs.ts'

/** Who describes a QPU: its process driver, under its current lease. */
interface Describer {
  qpu: string
  driver: string
  epoch: number
}

/** What a description allows; 0 = no limit. */
export interface DescribedLimits {
  /** Number of qubits of the QPU; undefined if the description states none. */
  num_qubits: number | undefined
  max_qubits: number
  max_shots: number
  max_executions: number
  missing_features: number
}

interface Row {
  /** The driver that described the QPU, and the epoch of its lease at that time. */
  driver: string
  epoch: number
  described_at: string
  described: string
  calibrated_at: string
  fidelities: string
  completed: string
}

/** Stores a description, a JSON text; false when the lease of its driver is not the current one. */
export function describeQpu(
  tx: Tx,
  { qpu, driver, epoch }: Describer,
  { described, limits }: { described: string; limits: DescribedLimits },
): boolean {
  if (!isLeased(tx, { qpu, driver, epoch })) return false
  save(tx, qpu, { ...findRow(tx, qpu), driver, epoch, described_at: tx.at, described })
  const { num_qubits, ...others } = limits
  tx.update(qpus, qpu, { described_at: tx.at, ...others, ...(num_qubits !== undefined && { num_qubits }) })
  forgetUnfit(tx, qpu)
  return true
}

/** Removes the description of a QPU whose driver describes nothing; false without one. */
export function removeDescription(tx: Tx, describer: Describer): boolean {
  const { qpu } = describer
  const row = findRow(tx, qpu)
  if (row.described_at === '' || !isLeased(tx, describer)) return false
  save(tx, qpu, { ...row, driver: '', epoch: 0, described_at: '', described: '' })
  tx.update(qpus, qpu, NOT_DESCRIBED)
  forgetUnfit(tx, qpu)
  return true
}

/** Stores the fidelities that a calibration found, of targets of which no later one did; `at`: its end. */
export function recordFidelities(
  tx: Tx,
  qpu: string,
  { at, fidelities }: { at: string; fidelities: readonly Fidelity[] },
): void {
  const row = findRow(tx, qpu)
  if (fidelities.length === 0) return
  const known: Fidelity[] = row.fidelities === '' ? [] : JSON.parse(row.fidelities)
  const all = withNewer(known, fidelities, { known: row.calibrated_at, found: at })
  const newest = row.calibrated_at > at ? row.calibrated_at : at
  save(tx, qpu, { ...row, calibrated_at: newest, fidelities: JSON.stringify(all) })
  // Clients that show the description read it again.
  if (row.described !== '') tx.changed(qpus, qpu, 'update')
}

/** Replaces the fidelities of a deleted calibration that ended `at` by those `before`, in order of time. */
export function withdrawFidelities(
  tx: Tx,
  qpu: string,
  { at, before }: { at: string; before: readonly { at: string; fidelities: readonly Fidelity[] }[] },
): void {
  const row = findRow(tx, qpu)
  if (row.fidelities === '') return
  const known: Fidelity[] = JSON.parse(row.fidelities)
  const dated = known.map((each) => ({ at: row.calibrated_at, ...each }))
  const kept: Fidelity[] = dated.filter((each) => each.at !== at)
  const all = before.reduce(
    (sum, { at: found, fidelities }) => withNewer(sum, fidelities, { known: row.calibrated_at, found }),
    kept,
  )
  const newest = all.reduce((max, each) => ((each.at ?? '') > max ? (each.at ?? '') : max), '')
  save(tx, qpu, {
    ...row,
    calibrated_at: newest,
    fidelities: all.length === 0 ? '' : JSON.stringify(all),
  })
  if (row.described !== '') tx.changed(qpus, qpu, 'update')
}

/** The description of a QPU, completed by the newest calibration report; null without one. */
export function descriptionOf(qpu: string): Query<JsonText | null> {
  const sql = "SELECT completed FROM qpu_descriptions WHERE qpu = $qpu AND completed <> ''"
  const row = firstOf<{ completed: string }>(sql, { qpu })
  return mapped(row, (found) => (found ? new JsonText(found.completed) : null))
}

/** Whether the device of a QPU described itself as a simulator. */
export function isSimulator(tx: ReadTx, qpu: string): boolean {
  const sql = `SELECT 1 FROM qpu_descriptions WHERE qpu = $qpu AND ${tx.dialect.jsonFlag('described', 'simulator')} = 1`
  return tx.one(sql, { qpu }) !== undefined
}

function isLeased(tx: ReadTx, { qpu, driver, epoch }: Describer): boolean {
  const lease = tx.one(
    `SELECT 1 FROM leases
     WHERE qpu = $qpu AND operation = 'process' AND driver = $driver AND epoch = $epoch`,
    { qpu, driver, epoch },
  )
  return lease !== undefined
}

const NO_ROW = {
  driver: '',
  epoch: 0,
  described_at: '',
  described: '',
  calibrated_at: '',
  fidelities: '',
  completed: '',
} satisfies Row

function findRow(tx: ReadTx, qpu: string): Row {
  const columns = Object.keys(NO_ROW).join(', ')
  return tx.one<Row>(`SELECT ${columns} FROM qpu_descriptions WHERE qpu = $qpu`, { qpu }) ?? NO_ROW
}

/** Stores the parts and what follows from them, so that reading needs no work. */
function save(tx: Tx, qpu: string, row: Row): void {
  const completed =
    row.described === '' || row.fidelities === ''
      ? row.described
      : JSON.stringify(
          completeDescription(JSON.parse(row.described), {
            fidelities: JSON.parse(row.fidelities),
            at: row.calibrated_at,
          }),
        )
  tx.run(
    `INSERT INTO qpu_descriptions
       (qpu, driver, epoch, described_at, described, calibrated_at, fidelities, completed)
     VALUES ($qpu, $driver, $epoch, $described_at, $described, $calibrated_at, $fidelities, $completed)
     ON CONFLICT (qpu) DO UPDATE SET driver = excluded.driver, epoch = excluded.epoch,
       described_at = excluded.described_at, described = excluded.described,
       calibrated_at = excluded.calibrated_at, fidelities = excluded.fidelities,
       completed = excluded.completed`,
    { qpu, ...row, completed },
  )
}
