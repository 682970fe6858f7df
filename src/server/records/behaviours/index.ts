import type { AnyCollection } from '../../../db/index.ts'
import type { Behaviour } from '../behaviour.ts'
import { apiTokensBehaviour } from './api_tokens.ts'
import { calibrationRequestsBehaviour } from './calibration_requests.ts'
import { driversBehaviour } from './drivers.ts'
import { qpuTimeRequestsBehaviour } from './qpu_time_requests.ts'
import { qpusBehaviour } from './qpus.ts'
import { quantumJobsBehaviour } from './quantum_jobs.ts'
import { superusersBehaviour } from './superusers.ts'
import { timeSlotsBehaviour } from './time_slots.ts'
import { usersBehaviour } from './users.ts'

/** The behaviours of all collections that have one. */
const BEHAVIOURS = [
  apiTokensBehaviour,
  calibrationRequestsBehaviour,
  driversBehaviour,
  qpuTimeRequestsBehaviour,
  qpusBehaviour,
  quantumJobsBehaviour,
  superusersBehaviour,
  timeSlotsBehaviour,
  usersBehaviour,
]
const BY_COLLECTION = new Map(BEHAVIOURS.map(({ collection, behaviour }) => [collection.name, behaviour]))

/** The behaviour of a collection; empty when it has none. */
export function behaviourOf(collection: AnyCollection): Behaviour {
  return BY_COLLECTION.get(collection.name) ?? {}
}
