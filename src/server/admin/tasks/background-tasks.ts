import { AppError, Loop } from '../../../base/index.ts'
import type { Service } from '../../services.ts'

/** The loops of the services that state in their summary what they do; there is no second list of them. */
export class BackgroundTasks {
  readonly #loops: ReadonlyMap<string, Loop>

  constructor(services: readonly (Service | Loop)[]) {
    const loops = services.flatMap((each) => (each instanceof Loop ? each : (each.loop ?? [])))
    const tasks = loops.filter(({ summary }) => summary !== undefined)
    this.#loops = new Map(tasks.map((loop) => [idOf(loop), loop]))
  }

  /** All tasks by id, in the order in which their services start. */
  get all(): ReadonlyMap<string, Loop> {
    return this.#loops
  }

  /** @throws AppError `not_found`. */
  find(id: string): Loop {
    const loop = this.#loops.get(id)
    if (!loop) throw new AppError('not_found', `There is no background task ${id}`)
    return loop
  }

  /**
   * Begins a run now; a task that has failed just before first waits for its back-off.
   * @throws AppError `not_found`, `conflict` (`task_running`).
   */
  runNow(id: string): Loop {
    const loop = this.find(id)
    if (loop.status.isRunning) {
      throw new AppError('conflict', `The task ${id} runs already; wait until it has finished`, {
        reason: 'task_running',
        retryAfter: 1,
      })
    }
    loop.wake()
    return loop
  }
}

/** `roll-up of readings` → `roll-up-of-readings`. */
function idOf({ name }: Loop): string {
  return name.replaceAll(' ', '-')
}
