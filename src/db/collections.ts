import { apiTokens } from './collections/api_tokens.ts'
import { calibrationRequests } from './collections/calibration_requests.ts'
import { calibrationResults } from './collections/calibration_results.ts'
import { drivers } from './collections/drivers.ts'
import { events } from './collections/events.ts'
import { externalAuths } from './collections/external_auths.ts'
import { notes } from './collections/monitoring/notes.ts'
import { thresholds } from './collections/monitoring/thresholds.ts'
import { notifications } from './collections/notifications.ts'
import { qpuTimeRequests } from './collections/qpu_time_requests.ts'
import { qpus } from './collections/qpus.ts'
import { quantumJobs } from './collections/quantum_jobs.ts'
import { clusterAccounts } from './collections/sessions/cluster_accounts.ts'
import { sessions } from './collections/sessions/sessions.ts'
import { superusers } from './collections/superusers.ts'
import { timeSlots } from './collections/time_slots.ts'
import { users } from './collections/users.ts'
import { webhooks } from './collections/webhooks.ts'

/** Every collection of the service. */
export const COLLECTIONS = [
  apiTokens,
  calibrationRequests,
  calibrationResults,
  clusterAccounts,
  drivers,
  events,
  externalAuths,
  notes,
  notifications,
  qpuTimeRequests,
  qpus,
  quantumJobs,
  sessions,
  superusers,
  thresholds,
  timeSlots,
  users,
  webhooks,
] as const

/** Table name of a collection. */
export type CollectionName = (typeof COLLECTIONS)[number]['name']
