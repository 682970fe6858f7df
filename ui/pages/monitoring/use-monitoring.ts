import { type Signal, useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { DAY_MS } from '../../../src/base/portable/units.ts'
import {
  type CalibrationRun,
  calibrationRuns,
  type MaintenanceChange,
  type Monitor,
  maintenanceChanges,
  monitors,
  type Note,
  notes,
  type Readings,
  readings,
  type Threshold,
  thresholds,
} from '../../api/model/equipment/monitoring.ts'
import { schedule } from '../../api/model/schedule.ts'
import type { Resource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useQuery } from '../../app/use-query.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { changesOf } from './readings/incidents.ts'
import { fittingRange, readRange, serverTime, type VisibleRange } from './readings/range.ts'

/** Buckets per channel; about one per two pixels of a wide plot. */
const POINTS = 400
/** How often late readings are looked for, and how often new readings are loaded at most. */
const TICK_MS = 5_000
const MAX_RECORDS = 200
/** The longest schedule that the server returns. */
const MAX_SCHEDULE_MS = 62 * DAY_MS

/** What the page shows of one monitor. */
export interface Monitoring {
  range: Signal<VisibleRange> | { readonly value: VisibleRange }
  /** Unix ms, moving. */
  now: Signal<number>
  readings: Resource<Readings>
  thresholds: Resource<Threshold[]>
  notes: Resource<Note[]>
  calibrations: Resource<CalibrationRun[]>
  /** The newest first; superusers read the reasons, too. */
  maintenance: Resource<MaintenanceChange[]>
}

/** The drivers that report readings, by name. */
export function useMonitors(): Resource<Monitor[]> {
  const { api, named } = useApp()
  const query = new URLSearchParams({
    filter: "operation = 'monitor'",
    sort: 'name',
    perPage: String(MAX_RECORDS),
    skipTotal: 'true',
    fields: 'id,name,qpu,status,stages',
  })
  const resource = useResource(
    async (abort) =>
      (await api.get(`/api/collections/${named('drivers')}/records?${query}`, monitors, abort)).items,
  )
  useLive('drivers/*', () => resource.loadSoon(2_000))
  return resource
}

/** Loads the readings of a monitor and what belongs to them, and keeps them current. */
export function useMonitoring(monitor: Monitor): Monitoring {
  const { api, named, superuser } = useApp()
  const query = useQuery()
  const now = useNow(TICK_MS)
  /** The range that fits the first readings, where the address names none. */
  const fitted = useSignal<string | undefined>(undefined)
  const range = useComputed(() => readRange(query.get, now.value, fitted.value))
  // A live range moves on with each reading; only a chosen one is loaded immediately.
  const chosen = useComputed(() => {
    const { key, from, to, isLive } = range.value
    return key || `${from} ${isLive ? '' : to}`
  })

  const records = (collection: string, parameters: Record<string, string>) =>
    `/api/collections/${named(collection)}/records?${new URLSearchParams({
      perPage: String(MAX_RECORDS),
      skipTotal: 'true',
      ...parameters,
    })}`
  const bounds = () => {
    const { from, to } = readRange(query.get, Date.now(), fitted.peek())
    return { from: serverTime(from), to: serverTime(to) }
  }

  const series = useResource(
    (abort) => {
      const search = new URLSearchParams({ driver: monitor.id, points: String(POINTS), ...bounds() })
      return api.get(`/api/events/series?${search}`, readings, abort)
    },
    [chosen.value],
  )
  useEffect(() => {
    const first = series.value.value
    if (first && fitted.peek() === undefined && !query.get('range') && !query.get('from'))
      fitted.value = fittingRange(
        first.series.flatMap(({ at }) => at.slice(0, 1)),
        Date.now(),
      )
  }, [series.value.value])
  const limits = useResource(async (abort) => {
    const path = records('thresholds', { filter: `driver = '${monitor.id}'`, sort: 'channel,limit' })
    return (await api.get(path, thresholds, abort)).items
  })
  const marked = useResource(
    async (abort) => {
      const { from, to } = bounds()
      const filter = `at >= '${from}' && at <= '${to}' && (qpu = '' || qpu = '${monitor.qpu}')`
      return (await api.get(records('notes', { filter, sort: '-at' }), notes, abort)).items
    },
    [chosen.value],
  )
  const runs = useResource(
    async (abort) => {
      const { from, to } = bounds()
      const filter = `driver.qpu = '${monitor.qpu}' && started_at != '' && started_at <= '${to}' && (finished_at = '' || finished_at >= '${from}')`
      const fields = 'id,mode,status,started_at,finished_at,result'
      const path = records('calibration_requests', { filter, sort: '-started_at', fields })
      return (await api.get(path, calibrationRuns, abort)).items
    },
    [chosen.value],
  )

  const changes = useResource(
    async (abort) => {
      if (!superuser.peek()) {
        const { from, to } = readRange(query.get, Date.now(), fitted.peek())
        const range = { from: serverTime(Math.max(from, to - MAX_SCHEDULE_MS)), to: serverTime(to) }
        const planned = await api.get(`/api/schedule?${new URLSearchParams(range)}`, schedule, abort)
        return changesOf(planned, monitor.qpu, Date.now())
      }
      const search = new URLSearchParams({ action: 'qpu.maintenance', subject: monitor.qpu, to: bounds().to })
      return (await api.get(`/api/op/audit?${search}`, maintenanceChanges, abort)).entries
    },
    [chosen.value],
  )
  useLive(`qpus/${monitor.qpu}`, () => changes.loadSoon(TICK_MS))
  useLive('events/*', (event) => {
    if (range.peek().isLive && event.record['driver'] === monitor.id) series.loadSoon(TICK_MS)
  })
  useLive('thresholds/*', () => limits.loadSoon())
  useLive('notes/*', () => marked.loadSoon())
  useLive('calibration_requests/*', () => runs.loadSoon(TICK_MS))
  return {
    range,
    now,
    readings: series,
    thresholds: limits,
    notes: marked,
    calibrations: runs,
    maintenance: changes,
  }
}
