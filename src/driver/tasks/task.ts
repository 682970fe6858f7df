import type { EventName, EventPayload, JobFailure } from '../../protocol/index.ts'

/** An event that is worth sending only now. */
export type TransientEvent = { [Name in EventName]: { type: Name; payload: EventPayload<Name> } }[EventName]

/**
 * What the server has told this driver to do: a job or a calibration. It runs once, on the device, and ends with one
 * event in the outbox.
 */
export interface Task {
  /** Id of the event that ends it. */
  readonly id: string
  /** What it is, for people. */
  readonly noun: 'job' | 'calibration'
  /** Which one, for log lines. */
  readonly names: Readonly<Record<string, unknown>>
  /** The lease it was dispatched under. */
  readonly epoch: number
  /** The command as it came; only the device process reads what is to be done. */
  readonly text: string
  /** Longest execution from its start, in ms; 0 = no limit. */
  readonly limitMs: number
  /** How long the device may take to end it when it is told to, in ms; then its process is killed. */
  readonly graceMs: number
  /** Whether its end is wanted also when the server has stopped it. */
  readonly isReportedWhenStopped: boolean
  /** How `DriverHello` names it while it is under way. */
  readonly hello: Pick<EventPayload<'DriverHello'>, 'running' | 'run_id'>
  readonly started: TransientEvent
  /** A sign of life, if the server watches for any; `phase` is what the device is at. */
  heartbeat?(phase: string | undefined): TransientEvent
  refused(reason: EventPayload<'JobRefused'>['reason']): TransientEvent
  /** The event that ends it without the device, ready for the wire. */
  failure(error: JobFailure, executionMs: number): string
}

/** Callbacks that follow the execution of a task. */
export interface TaskObserver {
  onStarted(): void
  onPhase(phase: string): void
}
