import { AppError } from '../../../base/index.ts'
import type { ReadTx } from '../../../db/index.ts'
import { fitsQpu, type JobNeeds } from '../../../db/store/jobs/index.ts'
import { type KnownQpus, type Qpu, unknownQpu } from '../../../db/store/qpus/index.ts'
import { reasonUnavailable } from '../../qpus/availability.ts'

/** The QPUs on which a job may run. */
export interface Target {
  /** Id of the one QPU; '' = any. */
  id: string
  /** Every QPU that the target covers, also those that run no jobs now. */
  registered: readonly Qpu[]
}

/**
 * Resolves the target that a caller gave, an id or a name. Without a target it is the only enabled QPU if
 * that can run the job, or any.
 * @throws AppError `invalid` for an unknown QPU; `unavailable` with the reason if it refuses jobs now.
 */
export function resolveTarget(tx: ReadTx, nameOrId: string, needs: JobNeeds, known: KnownQpus): Target {
  if (nameOrId !== '') {
    const qpu = findOpenQpu(tx, nameOrId, known, 'qpu_target')
    return { id: qpu.id, registered: [qpu] }
  }
  const registered = known.list(tx)
  const enabled = registered.filter((qpu) => qpu.enabled)
  const [only] = enabled
  if (only && enabled.length === 1) {
    assertAcceptsJobs(only)
    return fitsQpu(needs, only) ? { id: only.id, registered: [only] } : { id: '', registered }
  }
  if (enabled.some((qpu) => !qpu.maintenance)) return { id: '', registered }
  const text = only ? 'Every QPU is in maintenance' : 'No QPU is enabled'
  throw new AppError('unavailable', `${text}; try again later`, {
    reason: only ? 'maintenance' : 'qpu_disabled',
  })
}

/**
 * The QPU with this name or id, if it accepts jobs. `field` names it in the body of the request.
 * @throws AppError `invalid` for an unknown QPU; `unavailable` with the reason if it refuses jobs now.
 */
export function findOpenQpu(tx: ReadTx, nameOrId: string, known: KnownQpus, field = 'qpu'): Qpu {
  const qpu = known.find(tx, nameOrId)
  if (qpu) {
    assertAcceptsJobs(qpu)
    return qpu
  }
  const message = unknownQpu(tx, nameOrId)
  const fields = { [field]: { code: 'validation_missing_rel_records', message } }
  throw new AppError('invalid', 'Invalid job', { fields })
}

function assertAcceptsJobs(qpu: Qpu): void {
  const unavailable = reasonUnavailable(qpu, false)
  if (!unavailable?.refusesJobs) return
  throw new AppError('unavailable', `QPU ${qpu.name} does not accept jobs: ${unavailable.reason}`, {
    reason: unavailable.code === 'disabled' ? 'qpu_disabled' : unavailable.code,
  })
}
