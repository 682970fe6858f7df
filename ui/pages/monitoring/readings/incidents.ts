import type { CalibrationRun, MaintenanceChange, Note } from '../../../api/model/equipment/monitoring.ts'
import type { Schedule } from '../../../api/model/schedule.ts'
import { parseTime } from '../../../lib/time.ts'
import { type Channel, isStale } from '../../../parts/monitor/channels.ts'
import type { PlotMark } from '../../../plots/TimeSeries.tsx'
import { findGaps } from '../../../plots/time-series/align.ts'
import type { Breach } from './breaches.ts'

/** Something that happened in the visible range. Unix ms; without `until` a moment. */
export type Incident = { at: number; until?: number | undefined; isOpen?: boolean } & (
  | { kind: 'breach'; breach: Breach }
  | { kind: 'stale'; channel: Channel }
  | { kind: 'gap' }
  | { kind: 'note'; note: Note }
  | { kind: 'calibration'; run: CalibrationRun }
  | { kind: 'maintenance'; reason: string; expected: string }
)

interface Sources {
  channels: readonly Channel[]
  breaches: readonly Breach[]
  notes: readonly Note[]
  calibrations: readonly CalibrationRun[]
  /** The newest first. */
  maintenance: readonly MaintenanceChange[]
  now: number
  /** Start of the visible range. */
  from: number
  /** Whether the range ends now, so that late readings are of it. */
  isLive: boolean
}

/** What happened in the visible range, the newest first. */
export function findIncidents(sources: Sources): Incident[] {
  const { channels, breaches, notes, calibrations, maintenance, from, now, isLive } = sources
  const stale = isLive ? channels.filter((channel) => isStale(channel, now)) : []
  const incidents: Incident[] = [
    ...breaches.map((breach) => ({
      kind: 'breach' as const,
      at: breach.from,
      until: breach.to,
      isOpen: breach.isOpen && isLive && !isStale(breach.channel, now),
      breach,
    })),
    ...stale.map((channel) => ({ kind: 'stale' as const, at: channel.last ?? now, isOpen: true, channel })),
    ...commonGaps(channels).map(({ from, to }) => ({ kind: 'gap' as const, at: from, until: to })),
    ...notes.flatMap((note) => {
      const at = parseTime(note.at)
      return at === undefined ? [] : [{ kind: 'note' as const, at, note }]
    }),
    ...calibrations.flatMap((run) => {
      const at = parseTime(run.started_at)
      if (at === undefined) return []
      const until = parseTime(run.finished_at)
      return [{ kind: 'calibration' as const, at, until: until ?? now, isOpen: until === undefined, run }]
    }),
    ...maintenanceTimes(maintenance, now).filter(({ until }) => until > from),
  ]
  return incidents.toSorted((a, b) => b.at - a.at)
}

/** The times of maintenance between its changes, of which the newest is first. */
export function maintenanceTimes(
  changes: readonly MaintenanceChange[],
  now: number,
): { kind: 'maintenance'; at: number; until: number; isOpen: boolean; reason: string; expected: string }[] {
  const times: ReturnType<typeof maintenanceTimes> = []
  for (const { at, detail } of changes.toReversed()) {
    const ms = parseTime(at) ?? now
    const present = times.at(-1)
    if (present?.isOpen) Object.assign(present, { until: ms, isOpen: false })
    const { maintenance, reason = '', until: expected = '' } = detail
    if (maintenance)
      times.push({
        kind: 'maintenance',
        at: ms,
        until: now,
        isOpen: true,
        reason: reason ?? '',
        expected: expected ?? '',
      })
  }
  return times
}

/** The changes of the maintenance of a QPU as its schedule has them, the newest first. */
export function changesOf({ busy }: Pick<Schedule, 'busy'>, qpu: string, now: number): MaintenanceChange[] {
  return busy
    .filter((each) => each.kind === 'maintenance' && each.qpu === qpu && each.start !== '')
    .flatMap(({ start, end }): MaintenanceChange[] => {
      const isOver = (parseTime(end) ?? Number.POSITIVE_INFINITY) <= now
      const begun = { at: start, detail: { maintenance: true, reason: '', until: isOver ? '' : end } }
      return isOver ? [begun, { at: end, detail: { maintenance: false, reason: '', until: '' } }] : [begun]
    })
    .toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

/** The times without a reading of any channel. */
function commonGaps(channels: readonly Channel[]): { from: number; to: number }[] {
  const limits = channels.map(({ line }) => line.gapMs ?? 0)
  const all = [...new Set(channels.flatMap(({ line }) => line.at))].sort((a, b) => a - b)
  return channels.length === 0 ? [] : findGaps(all, Math.max(...limits))
}

/** What plots mark behind and over their lines. */
export function toMarks(incidents: readonly Incident[]): PlotMark[] {
  return incidents.flatMap(({ kind, at, until }): PlotMark[] => {
    if (kind === 'note') return [{ at, tone: 'note' }]
    return kind === 'calibration' || kind === 'maintenance' ? [{ at, until, tone: kind }] : []
  })
}
