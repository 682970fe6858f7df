import type { Table } from '../../engine/stored-schema.ts'
import { internal, keyed } from '../tables.ts'

/** Tables of readings, for charts. */
export const READINGS_TABLES: readonly Table[] = [
  // One channel of a driver in one unit, with its newest reading and the time of it, s since the epoch.
  internal(
    'reading_series',
    {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      driver: 'TEXT NOT NULL',
      channel: 'TEXT NOT NULL',
      unit: 'TEXT NOT NULL',
      last: 'INTEGER NOT NULL',
      newest: 'REAL',
    },
    ['UNIQUE (driver, channel, unit)'],
  ),
  // The readings of a channel in the `step` s from `start` (s since the epoch); see `store/readings`.
  // The driver comes first: an event then changes one page per step, and a driver's chart reads one range.
  keyed(
    'reading_buckets',
    {
      driver: 'TEXT NOT NULL',
      step: 'INTEGER NOT NULL',
      start: 'INTEGER NOT NULL',
      series: 'INTEGER NOT NULL',
      low: 'REAL NOT NULL',
      high: 'REAL NOT NULL',
      total: 'REAL NOT NULL',
      readings: 'INTEGER NOT NULL',
    },
    ['PRIMARY KEY (driver, step, start, series)'],
  ),
]
