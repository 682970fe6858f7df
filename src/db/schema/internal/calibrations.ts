import type { Table } from '../../engine/stored-schema.ts'
import { index, internal, keyed } from '../tables.ts'

/** A value of a parameter of a qubit or an edge, and the report that found it. */
const MEASURED = {
  qpu: 'TEXT NOT NULL',
  element: 'TEXT NOT NULL',
  parameter: 'TEXT NOT NULL',
  at: 'TEXT NOT NULL',
  report: 'TEXT NOT NULL',
  value: 'REAL NOT NULL',
  error: 'REAL',
  unit: 'TEXT NOT NULL',
  routine: 'TEXT NOT NULL',
}

/** Tables of calibrations beside their requests and reports; see `store/calibrations/values`. */
export const CALIBRATIONS_TABLES: readonly Table[] = [
  // One value that a calibration found.
  keyed(
    'calibration_values',
    MEASURED,
    ['PRIMARY KEY (qpu, element, parameter, at, report)'],
    [index('calibration_values', ['report'], false)],
  ),
  // The newest value of one parameter.
  keyed(
    'calibration_latest',
    MEASURED,
    ['PRIMARY KEY (qpu, element, parameter)'],
    [index('calibration_latest', ['qpu', 'parameter'], false)],
  ),
  // When a report found a parameter below a bound, which ends its value.
  keyed(
    'calibration_bounds',
    {
      qpu: 'TEXT NOT NULL',
      element: 'TEXT NOT NULL',
      parameter: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
      report: 'TEXT NOT NULL',
      error: 'REAL',
    },
    ['PRIMARY KEY (qpu, element, parameter, at, report)'],
    [
      index('calibration_bounds', ['qpu', 'parameter'], false),
      index('calibration_bounds', ['report'], false),
    ],
  ),
  // The median of a parameter over all qubits or edges of a QPU after one report.
  keyed(
    'calibration_medians',
    {
      qpu: 'TEXT NOT NULL',
      at: 'TEXT NOT NULL',
      report: 'TEXT NOT NULL',
      parameter: 'TEXT NOT NULL',
      value: 'REAL NOT NULL',
      unit: 'TEXT NOT NULL',
      count: 'INTEGER NOT NULL',
    },
    ['PRIMARY KEY (qpu, at, report, parameter)'],
    [index('calibration_medians', ['report'], false)],
  ),
  // The calibration under way that a tuner started on its own.
  internal('tuner_runs', {
    driver: 'TEXT NOT NULL PRIMARY KEY',
    run_id: 'TEXT NOT NULL',
    started_at: 'TEXT NOT NULL',
    // Whether it begins when the server lets it.
    waits: 'INTEGER NOT NULL DEFAULT 0',
    // Until when it waits for the end of an active session, too.
    defers_until: "TEXT NOT NULL DEFAULT ''",
  }),
  // A report or an interval of a QPU whose results are declared bad, and up to which job (by its end) the
  // charges are refunded; see `store/recalls`.
  internal(
    'recalls',
    {
      id: 'TEXT NOT NULL PRIMARY KEY',
      qpu: 'TEXT NOT NULL',
      report: 'TEXT NOT NULL',
      from_at: 'TEXT NOT NULL',
      to_at: 'TEXT NOT NULL',
      reason: 'TEXT NOT NULL',
      actor: 'TEXT NOT NULL',
      created: 'TEXT NOT NULL',
      undone_by: 'TEXT NOT NULL',
      undone_at: 'TEXT NOT NULL',
      undo_reason: 'TEXT NOT NULL',
      settled: 'INTEGER NOT NULL CHECK (settled IN (0, 1))',
      cursor_at: 'TEXT NOT NULL',
      cursor_job: 'TEXT NOT NULL',
    },
    [],
    [
      index('recalls', ['qpu'], false, "undone_at = ''"),
      index('recalls', ['report'], false, "report <> ''"),
      index('recalls', ['settled'], false, 'settled = 0'),
    ],
  ),
  // A completed job that a recall has touched, also after it was removed; until the recall is withdrawn.
  keyed(
    'recalled_jobs',
    { recall: 'TEXT NOT NULL', job: 'TEXT NOT NULL', user: 'TEXT NOT NULL', finished_at: 'TEXT NOT NULL' },
    ['PRIMARY KEY (recall, job)'],
  ),
  // An owner of results who was notified of a recall, and of its withdrawal.
  keyed('recall_notices', { recall: 'TEXT NOT NULL', user: 'TEXT NOT NULL', undone: 'INTEGER NOT NULL' }, [
    'PRIMARY KEY (recall, user, undone)',
  ]),
  // The newest calibration of one QPU, and the medians of its values by parameter, as JSON.
  internal('qpu_calibrations', {
    qpu: 'TEXT NOT NULL PRIMARY KEY',
    report: 'TEXT NOT NULL',
    at: 'TEXT NOT NULL',
    medians: 'TEXT NOT NULL',
  }),
]
