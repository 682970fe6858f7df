import type { ReadTx, Tx } from '../../records/tx.ts'

/** The median of a parameter over the newest values of all qubits or edges of a QPU. */
export interface Median {
  value: number
  unit: string
  /** Number of values. */
  count: number
  /** Time of the newest of them, UTC text. */
  at: string
}

/** The median of a parameter of a QPU; undefined when it has no value. */
export function readMedian(tx: ReadTx, qpu: string, parameter: string): Median | undefined {
  const rows = tx.all<{ value: number; unit: string; at: string }>(
    `SELECT value, unit, at FROM calibration_latest WHERE qpu = $qpu AND parameter = $parameter ORDER BY value`,
    { qpu, parameter },
  )
  const [low, high] = [rows[Math.ceil(rows.length / 2) - 1], rows[Math.floor(rows.length / 2)]]
  if (!low || !high) return undefined
  const at = rows.reduce((newest, row) => (row.at > newest ? row.at : newest), '')
  return { value: (low.value + high.value) / 2, unit: low.unit, count: rows.length, at }
}

/** Parameters whose medians are kept of one report; device files have about 60. */
const MAX_PARAMETERS = 200

/** Keeps the medians of a QPU after a report, for their course over time. */
export function storeMedians(
  tx: Tx,
  { id, qpu, at }: { id: string; qpu: string; at: string },
  medians: Readonly<Record<string, Median>>,
): void {
  for (const [parameter, { value, unit, count }] of Object.entries(medians).slice(0, MAX_PARAMETERS)) {
    tx.run(
      `INSERT INTO calibration_medians (qpu, at, report, parameter, value, unit, count)
       VALUES ($qpu, $at, $report, $parameter, $value, $unit, $count) ON CONFLICT DO NOTHING`,
      { qpu, at, report: id, parameter, value, unit, count },
    )
  }
}

/** A median after one report. */
export interface StoredMedian {
  parameter: string
  /** End of the calibration, UTC text. */
  at: string
  value: number
  unit: string
  /** Number of qubits or edges. */
  count: number
}

/** The newest `limit` medians of a QPU in a range (UTC text, `to` excluded), in order of time. */
export function listMedians(
  tx: ReadTx,
  query: { qpu: string; from: string; to: string; limit: number },
): StoredMedian[] {
  return tx
    .all<StoredMedian>(
      `SELECT parameter, at, value, unit, count FROM calibration_medians
       WHERE qpu = $qpu AND at >= $from AND at < $to ORDER BY at DESC, report DESC, parameter LIMIT $limit`,
      { ...query },
    )
    .toReversed()
}
