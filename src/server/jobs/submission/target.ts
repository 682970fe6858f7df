import { AppError } from '../../../base/index.ts'
import { findQpu, type Qpu, qpus, qubitLimit, type ReadTx } from '../../../db/index.ts'
import { reasonUnavailable } from '../../qpus/availability.ts'

/** The QPUs on which a job may run. */
export interface Target {
  /** Id of the one QPU; '' = any. */
  id: string
  /** The QPUs that may run it. */
  candidates: Qpu[]
}

/**
 * Resolves the target that a caller gave, an id or a name. Without a target it is the only enabled QPU, or
 * any.
 * @throws AppError `invalid` for an unknown QPU; `unavailable` with the reason if it refuses jobs now.
 */
export function resolveTarget(tx: ReadTx, nameOrId: string): Target {
  if (nameOrId !== '') {
    const qpu = findQpu(tx, nameOrId)
    if (!qpu) throw unknownQpu(nameOrId)
    assertAcceptsJobs(qpu)
    return { id: qpu.id, candidates: [qpu] }
  }
  const enabled = tx.list(qpus, { where: { enabled: true } })
  const [only] = enabled
  if (only && enabled.length === 1) {
    assertAcceptsJobs(only)
    return { id: only.id, candidates: [only] }
  }
  const candidates = enabled.filter((qpu) => !qpu.maintenance)
  if (candidates.length > 0) return { id: '', candidates }
  const text = only ? 'Every QPU is in maintenance' : 'No QPU is switched on'
  throw new AppError('unavailable', `${text}; try again later`, {
    reason: only ? 'maintenance' : 'qpu_disabled',
  })
}

function unknownQpu(nameOrId: string): AppError {
  const message = `There is no QPU ${nameOrId}; GET /api/qpus lists them.`
  const fields = { qpu_target: { code: 'validation_missing_rel_records', message } }
  return new AppError('invalid', 'Invalid job', { fields })
}

function assertAcceptsJobs(qpu: Qpu): void {
  const unavailable = reasonUnavailable(qpu, false)
  if (!unavailable?.refusesJobs) return
  throw new AppError('unavailable', `QPU ${qpu.name} does not accept jobs: ${unavailable.reason}`, {
    reason: unavailable.code === 'disabled' ? 'qpu_disabled' : unavailable.code,
  })
}

/** The most qubits that a program for these QPUs may have; undefined when one of them fits any program. */
export function maxQubits(candidates: readonly Qpu[]): number | undefined {
  const limits = candidates.map(qubitLimit).filter((limit) => limit !== undefined)
  return limits.length < candidates.length ? undefined : Math.max(...limits)
}
