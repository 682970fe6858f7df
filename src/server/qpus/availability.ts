import { closedBy, type Qpu } from '../../db/store/qpus/index.ts'

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
  qpu: Parameters<typeof closedBy>[0] & Pick<Qpu, 'maintenance_reason' | 'drain_reason'>,
  isCalibrating: boolean,
): Unavailability | undefined {
  const closed = closedBy(qpu)
  const code = isCalibrating && (closed === undefined || closed === 'offline') ? 'calibrating' : closed
  if (!code) return undefined
  const detail = code === 'maintenance' ? qpu.maintenance_reason : code === 'draining' ? qpu.drain_reason : ''
  return {
    code,
    reason: detail ? `${code}: ${detail}` : code,
    refusesJobs: code === 'disabled' || code === 'maintenance',
  }
}
