import { DAY_MS } from '../../../src/base/portable/units.ts'
import { startOfDate } from '../../lib/zone.ts'

/** What the log of events is narrowed down to; empty texts stand for everything. */
export interface EventFilter {
  /** Id of a driver. */
  driver: string
  /** Id of a QPU. */
  qpu: string
  /** One of `EVENT_TYPES`, or `all`; otherwise all but readings. */
  type: string
  /** What the content mentions, such as a channel, a routine or a qubit. */
  subject: string
  /** Days in the zone of the page, the second excluded. */
  from: string
  to: string
}

/** Without a first day, this much is searched: the log of a year has many million events. */
const DEFAULT_DAYS = 7

/** Monitors send one every few seconds, so that nothing else would be seen among them. */
const READING = 'CryostatReading'
/** Types of events that the log keeps; heartbeats and results are not among them. */
export const EVENT_TYPES = [
  READING,
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
export function conditionOf(filter: EventFilter, now: number, zone: string): string {
  const { driver, qpu, type, subject, from, to } = filter
  const end = startOfDate(to, zone)
  const start = startOfDate(from, zone) ?? (end ?? now) - DEFAULT_DAYS * DAY_MS
  const text = (ms: number) => quoted(new Date(ms).toISOString())
  return [
    `ts >= ${text(start)}`,
    ...(end === undefined ? [] : [`ts < ${text(end)}`]),
    ...(driver ? [`driver = ${quoted(driver)}`] : []),
    ...(qpu ? [`qpu = ${quoted(qpu)}`] : []),
    ...(type === 'all' ? [] : [type ? `type = ${quoted(type)}` : `type != ${quoted(READING)}`]),
    ...(subject ? [`payload ~ ${quoted(subject)}`] : []),
  ].join(' && ')
}

/** Whether the filter wants events of a type. */
export function hasType({ type: wanted }: Pick<EventFilter, 'type'>, type: string): boolean {
  if (wanted === '') return type !== READING
  return wanted === 'all' || wanted === type
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
