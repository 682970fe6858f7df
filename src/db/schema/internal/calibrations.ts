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
  }),
  // The newest calibration of one QPU, and the medians of its values by parameter, as JSON.
  internal('qpu_calibrations', {
    qpu: 'TEXT NOT NULL PRIMARY KEY',
    report: 'TEXT NOT NULL',
    at: 'TEXT NOT NULL',
    medians: 'TEXT NOT NULL',
  }),
]
