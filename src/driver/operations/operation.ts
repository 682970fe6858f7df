import type { Alarms, Clock, Log } from '../../base/index.ts'
import type { StopIo } from '../../devices/index.ts'
import type { Command } from '../../protocol/index.ts'
import type { FromHost } from '../messages/host-messages.ts'

/** Services for an operation in the device process. */
export interface OperationIo {
  clock: Clock
  alarms: Alarms
  log: Log
  /** Aborts when the driver stops. */
  signal: AbortSignal
  /** Name of the device. */
  device: string
  /** Version of the driver. */
  version: string
  /** Version of the device; that of the driver for a built-in one, absent where the device names none. */
  deviceVersion?: string | undefined
  /** Maximum execution time of one job, in ms. */
  jobTimeoutMs: number
  send(message: FromHost): void
}

/** A running device. */
export interface RunningOperation {
  /** Starts the device; throws when it cannot be used. */
  start(): Promise<void>
  onCommand(command: Command): void
  /** Handles a command that this version cannot read; `problem` says why. */
  onUnreadable?(text: string, problem: string): void
  /** Requests the task that ends with the event `result` to stop. */
  cancel?(result: string): void
  /** The server is no longer connected. */
  onDetached?(): void
  stop(io: StopIo): Promise<void>
}
