import type { Table } from '../../engine/stored-schema.ts'
import { index, internal, keyed } from '../tables.ts'

/** Tables of QPUs and their drivers. */
export const EQUIPMENT_TABLES: readonly Table[] = [
  // The right of one driver to serve one operation of a QPU; driver '' = free; `epoch` only grows.
  internal(
    'leases',
    {
      qpu: 'TEXT NOT NULL',
      operation: "TEXT NOT NULL CHECK (operation IN ('process', 'monitor', 'calibrate'))",
      driver: "TEXT NOT NULL DEFAULT ''",
      epoch: 'INTEGER NOT NULL DEFAULT 0',
      state: "TEXT NOT NULL DEFAULT 'granted' CHECK (state IN ('granted', 'attached'))",
      granted_at: "TEXT NOT NULL DEFAULT ''",
    },
    ['PRIMARY KEY (qpu, operation)'],
    [index('leases', ['driver'], true, "driver <> ''")],
  ),
  // What the device of a QPU says about it, and fidelities of its newest calibration.
  internal('qpu_descriptions', {
    qpu: 'TEXT NOT NULL PRIMARY KEY',
    driver: "TEXT NOT NULL DEFAULT ''",
    epoch: 'INTEGER NOT NULL DEFAULT 0',
    described_at: "TEXT NOT NULL DEFAULT ''",
    described: "TEXT NOT NULL DEFAULT ''",
    calibrated_at: "TEXT NOT NULL DEFAULT ''",
    fidelities: "TEXT NOT NULL DEFAULT ''",
    completed: "TEXT NOT NULL DEFAULT ''",
  }),
  // When a QPU took no jobs and why, UTC text; an empty `ended` lasts.
  keyed(
    'maintenance_times',
    {
      qpu: 'TEXT NOT NULL',
      began: 'TEXT NOT NULL',
      ended: "TEXT NOT NULL DEFAULT ''",
      // What `closedBy` says.
      kind: "TEXT NOT NULL DEFAULT 'maintenance'",
      reason: "TEXT NOT NULL DEFAULT ''",
    },
    ['PRIMARY KEY (qpu, began)'],
    [index('maintenance_times', ['ended'], false)],
  ),
]
