import * as v from 'valibot'
import type { ProcessDevice } from '../../devices/index.ts'
import { type DeviceDescription, deviceDescription } from '../../protocol/index.ts'
import { emitEvent } from './emit.ts'
import type { OperationIo } from './operation.ts'

/** Interval in ms at which an idle device is asked for its description. */
const INTERVAL_MS = 10_000

/** Sends the description of a device, and sends it again whenever it has changed. */
export class DescriptionSender {
  readonly #device: ProcessDevice
  readonly #io: OperationIo
  /** The JSON text of the last description, sent or refused. */
  #last = ''

  constructor(device: ProcessDevice, io: OperationIo) {
    this.#device = device
    this.#io = io
  }

  /** Sends the description if it differs from the last one. Never rejects: jobs run without description. */
  async send(): Promise<void> {
    const { log } = this.#io
    if (!this.#device.describe) return
    try {
      const described = await this.#device.describe()
      const text = JSON.stringify(described)
      if (text === this.#last) return
      this.#last = text
      emitEvent(this.#io, 'DeviceDescription', { ...withTimeout(checked(described), this.#io.jobTimeoutMs) })
    } catch (error) {
      log.warn('the device could not be described', { error })
    }
  }

  /** Calls `ask` at intervals until the driver stops. */
  async repeat(ask: () => void): Promise<void> {
    const { clock, signal } = this.#io
    while (this.#device.describe && !signal.aborted) {
      await clock.sleep(INTERVAL_MS, signal).catch(() => undefined)
      if (!signal.aborted) ask()
    }
  }
}

/** The time limit of jobs is the driver's. */
function withTimeout(described: DeviceDescription, jobTimeoutMs: number): DeviceDescription {
  return { ...described, limits: { ...described.limits, job_timeout_s: jobTimeoutMs / 1_000 } }
}

/** @throws TypeError naming the first invalid key. */
function checked(described: unknown): DeviceDescription {
  const parsed = v.safeParse(deviceDescription, described, { abortEarly: true })
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new TypeError(`describe(): ${v.getDotPath(issue) ?? 'description'}: ${issue.message}`)
}
