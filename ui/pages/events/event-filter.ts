import { DAY_MS } from '../../../src/base/portable/units.ts'
/** What the log of events is narrowed down to; empty texts stand for everything. */
export interface EventFilter {
  /** Id of a driver. */
  driver: string
  /** Id of a QPU. */
  qpu: string
  type: string
  /** What the content mentions, such as a channel, a routine or a qubit. */
  subject: string
  /** UTC days, the second excluded. */
  from: string
  to: string
}

/** Without a first day, this much is searched: the log of a year has many million events. */
const DEFAULT_DAYS = 7

/** Types of events that the log keeps; heartbeats and results are not among them. */
export const EVENT_TYPES = [
  'CryostatReading',
  'ThresholdBreached',
  'ThresholdCleared',
  'CalibrationStarted',
  'CalibrationProgress',
  'CalibrationReport',
  'DeviceDescription',
  'DriverHello',
] as const

/**
 * The filter for the events of the log. It always has a time from which on they are read, which bounds what
 * the server searches, because the events are in order of time.
 */
export function conditionOf(filter: EventFilter, now: number): string {
  const { driver, qpu, type, subject, from, to } = filter
  const end = timeOf(to)
  const start = timeOf(from) ?? new Date((end ? Date.parse(end) : now) - DEFAULT_DAYS * DAY_MS).toISOString()
  return [
    `ts >= ${quoted(start)}`,
    ...(end ? [`ts < ${quoted(end)}`] : []),
    ...(driver ? [`driver = ${quoted(driver)}`] : []),
    ...(qpu ? [`qpu = ${quoted(qpu)}`] : []),
    ...(type ? [`type = ${quoted(type)}`] : []),
    ...(subject ? [`payload ~ ${quoted(subject)}`] : []),
  ].join(' && ')
}

/** The start of a UTC day as events have it; undefined for anything else. */
function timeOf(day: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))
    ? new Date(day).toISOString()
    : undefined
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
