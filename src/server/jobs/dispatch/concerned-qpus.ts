import type { Clock } from '../../../base/index.ts'
import type { Change, Database } from '../../../db/index.ts'
import type { Job, JobOrder } from '../../../db/store/jobs/index.ts'

/** Collections whose changes may make a job run, and that name the QPU that they concern; '' = all. */
const OF_A_QPU = new Set(['time_slots', 'drivers', 'sessions'])

interface Dependencies {
  clock: Clock
  order: JobOrder
  /** How often all QPUs are looked at, whatever has changed, in ms. */
  pollMs: number
}

/** The QPUs whose next job may be another one since they were last looked at. */
export class ConcernedQpus {
  readonly #dependencies: Dependencies
  #qpus = new Set<string>()
  #areAll = true
  /** When all were last looked at, monotonic ms. */
  #allAt = 0

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Collects the QPUs of each change and calls `wake` for them, before the commit of the change: what the
   * loop then writes shares that commit, and a job is dispatched one disk flush earlier. Returns how to stop.
   */
  follow({ upcoming }: Pick<Database, 'upcoming'>, wake: () => void): () => void {
    return upcoming.subscribe((changes) => {
      const isConcerned = changes.map((change) => this.#add(change))
      if (isConcerned.includes(true)) wake()
    })
  }

  /** All QPUs are to be looked at, without a change. */
  addAll(): void {
    this.#areAll = true
  }

  /**
   * Calls `look` with the QPUs that changes concern; with none, for all, when the poll is due or a change
   * concerns all. They remain if it fails.
   */
  async handle(look: (qpus?: ReadonlySet<string>) => Promise<void>): Promise<void> {
    const { clock, pollMs } = this.#dependencies
    // A pause of the poll begins again with each change: from half of it on, what waits for it is due.
    const areAll = this.#areAll || clock.monotonic() - this.#allAt >= pollMs / 2
    const qpus = this.#qpus
    this.#qpus = new Set()
    this.#areAll = false
    if (areAll) this.#allAt = clock.monotonic()
    try {
      await look(areAll ? undefined : qpus)
    } catch (error) {
      this.#areAll = true
      throw error
    }
  }

  /** Whether the change concerns any. */
  #add({ collection, id, record }: Change): boolean {
    switch (collection) {
      case 'quantum_jobs':
        return this.#addOfJob(record as Job | undefined)
      case 'users':
        // Each charge changes a user: only one who had no balance may have got some.
        return this.#dependencies.order.unfunded.delete(id) && this.#addQpu('')
      case 'qpus':
        return this.#addQpu(id)
      case 'calibration_requests':
        return this.#addQpu('')
      default:
        return OF_A_QPU.has(collection) && this.#addQpu((record as { qpu?: string } | undefined)?.qpu ?? '')
    }
  }

  /** A queued job may run on its target, and a job that has ended leaves the QPU that it ran on. */
  #addOfJob(job: Job | undefined): boolean {
    if (job?.status === 'pending') return this.#addQpu(job.qpu_target)
    return job !== undefined && job.status !== 'running' && job.qpu !== '' && this.#addQpu(job.qpu)
  }

  #addQpu(qpu: string): boolean {
    if (qpu === '') this.#areAll = true
    else this.#qpus.add(qpu)
    return true
  }
}
