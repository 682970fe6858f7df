import type { Qpu } from '../../db/store/qpus/index.ts'

/** Why a QPU runs no jobs now. */
interface Unavailability {
  code: 'disabled' | 'maintenance' | 'draining' | 'offline' | 'calibrating'
  /** Text for users: `maintenance: warming up`. */
  reason: string
  /** Whether new jobs are refused instead of queued. */
  refusesJobs: boolean
}

/**
 * The first reason why the QPU runs no jobs, or undefined if it does. Pure: computed from rows, never stored.
 */
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
