import type { AnyCollection } from '../../../db/index.ts'
import type { Behavior } from '../behavior.ts'
import { apiTokensBehavior } from './api_tokens.ts'
import { calibrationRequestsBehavior } from './calibration_requests.ts'
import { calibrationResultsBehavior } from './calibration_results.ts'
import { driversBehavior } from './drivers.ts'
import { externalAuthsBehavior } from './external_auths.ts'
import { notesBehavior } from './notes.ts'
import { qpuTimeRequestsBehavior } from './qpu_time_requests.ts'
import { qpusBehavior } from './qpus.ts'
import { quantumJobsBehavior } from './quantum_jobs.ts'
import { superusersBehavior } from './superusers.ts'
import { thresholdsBehavior } from './thresholds.ts'
import { sessionsBehavior, timeSlotsBehavior } from './time_slots.ts'
import { usersBehavior } from './users.ts'

/** The behaviors of all collections that have one. */
const BEHAVIORS = [
  apiTokensBehavior,
  calibrationRequestsBehavior,
  calibrationResultsBehavior,
  driversBehavior,
  externalAuthsBehavior,
  notesBehavior,
  qpuTimeRequestsBehavior,
  qpusBehavior,
  quantumJobsBehavior,
  sessionsBehavior,
  superusersBehavior,
  thresholdsBehavior,
  timeSlotsBehavior,
  usersBehavior,
]
const BY_COLLECTION = new Map(BEHAVIORS.map(({ collection, behavior }) => [collection.name, behavior]))

/** The behavior of a collection; empty when it has none. */
export function behaviorOf(collection: AnyCollection): Behavior {
  return BY_COLLECTION.get(collection.name) ?? {}
}
