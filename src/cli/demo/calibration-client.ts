import * as v from 'valibot'
import { AppError, systemClock } from '../../base/index.ts'
import type { DemoClient } from './client.ts'

const POLL_MS = 100

const progress = v.object({
  phase: v.string(),
  step: v.number(),
  total: v.number(),
  routine: v.optional(v.string(), ''),
  target: v.optional(v.string()),
  running: v.optional(v.array(v.string()), []),
  ok: v.optional(v.number(), 0),
  failed: v.optional(v.number(), 0),
  skipped: v.optional(v.number(), 0),
  plan: v.optional(
    v.array(v.object({ routine: v.string(), targets: v.optional(v.array(v.string()), []) })),
    [],
  ),
})
/** The latest step of a calibration. */
export type CalibrationProgress = v.InferOutput<typeof progress>

const requestRecord = v.object({
  status: v.string(),
  progress: v.nullish(progress),
  error: v.optional(v.string(), ''),
  result: v.optional(v.string(), ''),
})

const parameter = v.object({
  value: v.unknown(),
  error: v.nullish(v.number()),
  unit: v.optional(v.string(), ''),
})
const report = v.object({
  status: v.string(),
  error: v.optional(v.string(), ''),
  device_file: v.nullish(v.object({ changed: v.number() })),
  routines: v.array(
    v.object({
      routine: v.string(),
      target: v.string(),
      status: v.string(),
      parameters: v.optional(v.record(v.string(), parameter), {}),
      error: v.nullish(v.object({ code: v.string(), message: v.string() })),
      fit: v.optional(v.unknown()),
    }),
  ),
  benchmarks: v.array(
    v.object({
      protocol: v.string(),
      target: v.string(),
      fidelity: v.nullish(v.number()),
      fidelity_error: v.nullish(v.number()),
      upper_bound: v.nullish(v.object({ error: v.number(), confidence: v.number() })),
      error: v.nullish(v.number()),
    }),
  ),
})
/** The report of a calibration. */
export type CalibrationReport = v.InferOutput<typeof report>

/** Requests calibrations and reads them, as any superuser may. */
export class CalibrationClient {
  readonly #admin: DemoClient

  constructor(admin: DemoClient) {
    this.#admin = admin
  }

  /** Requests a full calibration from a tuner; returns the id of the request. */
  async request(driver: string): Promise<string> {
    const body = { driver_id: driver, mode: 'full' }
    const made = await this.#admin.call(
      v.object({ id: v.string() }),
      'POST',
      '/api/op/calibrate/dispatch',
      body,
    )
    return made.id
  }

  /**
   * Yields the progress of a request until it is done.
   * @throws AppError when the request fails, or its driver ends.
   */
  async *follow(id: string, driver: Bun.Subprocess): AsyncGenerator<CalibrationProgress, void> {
    for (;;) {
      const found = await this.#read(id)
      if (found.progress) yield found.progress
      if (found.status === 'done') return
      if (found.status === 'failed')
        throw new AppError('internal', `The calibration failed: ${found.error || 'no reason given'}`)
      if (driver.exitCode !== null) throw new AppError('internal', 'The tuner ended; its message is above')
      await systemClock.sleep(POLL_MS)
    }
  }

  /** The report of a request that is done. */
  async report(id: string): Promise<CalibrationReport> {
    const { result } = await this.#read(id)
    return this.#admin.call(report, 'GET', `/api/collections/calibration_results/records/${result}`)
  }

  #read(id: string) {
    return this.#admin.call(requestRecord, 'GET', `/api/collections/calibration_requests/records/${id}`)
  }
}
