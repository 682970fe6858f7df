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

/** Collections whose record routes do more than their declaration says. */
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

/** What the record routes of a collection do beyond its declaration. */
export function behaviourOf(collection: AnyCollection): Behaviour {
  return BY_COLLECTION.get(collection.name) ?? {}
}
