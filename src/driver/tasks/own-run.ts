import type { Clock, Log } from '../../base/index.ts'
import type { CalibrationMode, EventPayload } from '../../protocol/index.ts'
import { writeFailedReport } from '../messages/write-event.ts'

interface OwnRunDependencies {
  clock: Clock
  log: Log
  /** Sends an event, in order with the others, and keeps it while the server is not connected. */
  send(type: 'CalibrationStarted', payload: EventPayload<'CalibrationStarted'>): void
  /** Stores the report of a run. */
  report(run: string, body: string): void
}

/**
 * The calibration that a tuner started on its own. The server has to know of it, because the QPU takes no
 * jobs meanwhile: it receives its start, its id in the hello of each further attach, and exactly one report.
 */
export class OwnRun {
  readonly #dependencies: OwnRunDependencies
  #run: { id: string; mode: CalibrationMode; startedAt: number } | undefined

  constructor(dependencies: OwnRunDependencies) {
    this.#dependencies = dependencies
  }

  /** The field of `DriverHello` that names the run. */
  get hello(): Pick<EventPayload<'DriverHello'>, 'own_run'> {
    return this.#run ? { own_run: this.#run.id } : {}
  }

  /** `waits`: it begins when the server lets it. */
  begin(id: string, mode: CalibrationMode, waits: boolean): void {
    const { clock, log, send } = this.#dependencies
    this.#run = { id, mode, startedAt: clock.monotonic() }
    log.info('calibration started by the tuner', { run: id, mode })
    send('CalibrationStarted', { run_id: id, request_id: null, mode, ...(waits && { waits }) })
  }

  /** The tuner has reported a run. */
  reported(id: string): void {
    if (this.#run?.id === id) this.#run = undefined
  }

  /** The device process has ended; `how` names the signal or exit code. */
  hostEnded(how: string): void {
    const run = this.#run
    if (!run) return
    this.#run = undefined
    const { clock, report } = this.#dependencies
    const error = `worker exited (${how}) while running the calibration`
    const head = { run_id: run.id, request_id: null, mode: run.mode }
    report(run.id, writeFailedReport(clock, head, error, clock.monotonic() - run.startedAt))
  }
}
