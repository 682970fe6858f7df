import type { Table } from '../../engine/stored-schema.ts'
import { ACCOUNTS_TABLES } from './accounts.ts'
import { CALIBRATIONS_TABLES } from './calibrations.ts'
import { DELIVERIES_TABLES } from './deliveries.ts'
import { EQUIPMENT_TABLES } from './equipment.ts'
import { JOBS_TABLES } from './jobs.ts'
import { READINGS_TABLES } from './readings.ts'
import { SERVICE_TABLES } from './service.ts'

/** Tables that are not collections: no API exposes them as records. */
export const INTERNAL_TABLES: readonly Table[] = [
  ...JOBS_TABLES,
  ...ACCOUNTS_TABLES,
  ...EQUIPMENT_TABLES,
  ...CALIBRATIONS_TABLES,
  ...READINGS_TABLES,
  ...DELIVERIES_TABLES,
  ...SERVICE_TABLES,
]
