import type * as v from 'valibot'
import { calibrationProgress } from './calibration_progress.ts'
import { calibrationRefused } from './calibration_refused.ts'
import { calibrationReport } from './calibration_report.ts'
import { calibrationStarted } from './calibration_started.ts'
import { cryostatReading } from './cryostat_reading.ts'
import { deviceDescriptionEvent } from './device_description.ts'
import { driverHello } from './driver_hello.ts'
import { jobHeartbeat } from './job_heartbeat.ts'
import { jobProgress } from './job_progress.ts'
import { jobRefused } from './job_refused.ts'
import { jobResult } from './job_result.ts'
import { jobStarted } from './job_started.ts'
import { targetDegraded } from './target_degraded.ts'

/** Every event type a driver may send. */
export const EVENTS = [
  calibrationProgress,
  calibrationRefused,
  calibrationReport,
  calibrationStarted,
  cryostatReading,
  deviceDescriptionEvent,
  driverHello,
  jobHeartbeat,
  jobProgress,
  jobRefused,
  jobResult,
  jobStarted,
  targetDegraded,
] as const

type Declared = (typeof EVENTS)[number]
export type EventName = Declared['type']
/** Payload of the event type called `Name`. */
export type EventPayload<Name extends EventName> = v.InferOutput<Extract<Declared, { type: Name }>['payload']>
/** Large fields of the payload of the event type called `Name`. */
export type LargeField<Name extends EventName> = Extract<Declared, { type: Name }>['large'][number]
/** What is known of the large fields of the event type called `Name`. */
export type EventSummary<Name extends EventName> = ReturnType<
  NonNullable<Extract<Declared, { type: Name }>['summarize']>
>
/** Event types that need handler code: all except those that are only logged. */
export type HandledEventName = Exclude<Declared, { log: true }>['type']
