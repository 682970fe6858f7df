import type { EventName, EventPayload, JobFailure } from '../../protocol/index.ts'

/** An event that is sent immediately or not at all. */
export type TransientEvent = { [Name in EventName]: { type: Name; payload: EventPayload<Name> } }[EventName]

/**
 * A job or a calibration that the driver runs for the server. It runs once, on the device, and ends with one
 * event in the outbox.
 */
export interface Task {
  /** Id of the event that ends it. */
  readonly id: string
  /** For log lines and messages. */
  readonly noun: 'job' | 'calibration'
  /** Identifies the task in log lines. */
  readonly names: Readonly<Record<string, unknown>>
  /** The lease it was dispatched under. */
  readonly epoch: number
  /** The unchanged command; only the device process reads its content. */
  readonly text: string
  /** Maximum execution time, in ms; 0 = no limit. */
  readonly limitMs: number
  /** The setting that limits it, for the message of a task that takes longer. */
  readonly limitedBy?: string
  /** Time that the device has to stop the task, in ms; then its process is killed. */
  readonly graceMs: number
  /** Whether its end is reported even if the server has stopped it. */
  readonly isReportedWhenStopped: boolean
  /** The fields of `DriverHello` that name the task while it runs. */
  readonly hello: Pick<EventPayload<'DriverHello'>, 'running' | 'run_id'>
  readonly started: TransientEvent
  /** The heartbeat, for tasks that have one; `phase` names what the device is doing. */
  heartbeat?(phase: string | undefined): TransientEvent
  refused(reason: EventPayload<'JobRefused'>['reason']): TransientEvent
  /** The encoded event that ends the task without the device. */
  failure(error: JobFailure, executionMs: number): string
}

/** Callbacks that follow the execution of a task. */
export interface TaskObserver {
  onStarted(): void
  onPhase(phase: string): void
}
