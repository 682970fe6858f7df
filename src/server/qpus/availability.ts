import type { Qpu } from '../../db/index.ts'

/** Why a QPU takes no jobs now. */
export interface Unavailability {
  code: 'disabled' | 'maintenance' | 'draining' | 'offline' | 'calibrating'
  /** For people: `maintenance: warming up`. */
  reason: string
  /** New jobs are refused rather than kept waiting (decision 15). */
  refusesJobs: boolean
}

/** The first reason why the QPU takes no jobs, or undefined when it does. Pure: computed from rows, never stored. */
export function reasonUnavailable(
  qpu: Pick<Qpu, 'enabled' | 'maintenance' | 'maintenance_reason' | 'draining' | 'drain_reason' | 'status'>,
  isCalibrating: boolean,
): Unavailability | undefined {
  if (!qpu.enabled) return { code: 'disabled', reason: 'disabled', refusesJobs: true }
  if (qpu.maintenance) {
    return {
      code: 'maintenance',
      reason: `maintenance${detailOf(qpu.maintenance_reason)}`,
      refusesJobs: true,
    }
  }
  if (qpu.draining)
    return { code: 'draining', reason: `draining${detailOf(qpu.drain_reason)}`, refusesJobs: false }
  if (isCalibrating) return { code: 'calibrating', reason: 'calibrating', refusesJobs: false }
  if (qpu.status === 'offline') return { code: 'offline', reason: 'offline', refusesJobs: false }
  return undefined
}

function detailOf(reason: string): string {
  return reason === '' ? '' : `: ${reason}`
}
