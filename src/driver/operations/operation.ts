import type { Clock, Log } from '../../base/index.ts'
import type { Command } from '../../protocol/index.ts'
import type { FromHost } from '../messages/host-messages.ts'

/** What an operation may use in the device process. */
export interface OperationIo {
  clock: Clock
  log: Log
  /** Aborts when the driver stops. */
  signal: AbortSignal
  /** Longest execution of one job, in ms. */
  jobTimeoutMs: number
  send(message: FromHost): void
}

/** A device at work. */
export interface RunningOperation {
  /** Starts the device; throws when it cannot be used. */
  start(): Promise<void>
  onCommand(command: Command): void
  /** A command that this version cannot read, and what is wrong with it. */
  onUnreadable?(text: string, problem: string): void
  /** Asks the task that ends with the event `result` to stop. */
  cancel?(result: string): void
  stop(): Promise<void>
}
