import { apiTokens } from './api_tokens.ts'
import { calibrationRequests } from './calibration_requests.ts'
import { calibrationResults } from './calibration_results.ts'
import { drivers } from './drivers.ts'
import { events } from './events.ts'
import { externalAuths } from './external_auths.ts'
import { notifications } from './notifications.ts'
import { qpuTimeRequests } from './qpu_time_requests.ts'
import { qpus } from './qpus.ts'
import { quantumJobs } from './quantum_jobs.ts'
import { superusers } from './superusers.ts'
import { timeSlots } from './time_slots.ts'
import { users } from './users.ts'

/** Every collection of the service. */
export const COLLECTIONS = [
  apiTokens,
  calibrationRequests,
  calibrationResults,
  drivers,
  events,
  externalAuths,
  notifications,
  qpuTimeRequests,
  qpus,
  quantumJobs,
  superusers,
  timeSlots,
  users,
] as const

/** Table name of a collection. */
export type CollectionName = (typeof COLLECTIONS)[number]['name']
