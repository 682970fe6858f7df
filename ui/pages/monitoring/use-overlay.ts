import { DAY_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'
import { type Monitor, type Readings, readings } from '../../api/model/equipment/monitoring.ts'
import type { Resource } from '../../api/resource.ts'
import { type App, useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { beginOf, coldestOf, findPhases, PHASE_KINDS, type Phase, type PhaseKind } from './readings/phases.ts'
import { serverTime, type VisibleRange } from './readings/range.ts'

/** Periods that are searched one after the other: the shorter, the finer its buckets. */
const SEARCHED_MS = [3 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS]
const SEARCH_POINTS = '2000'
/** Longer buckets do not tell when a cool-down began. */
const FINE_MS = 5 * MINUTE_MS
const POINTS = '400'

/** An earlier cool-down or warm-up over the visible time; without `phase`, no earlier one was found. */
export interface Overlay {
  kind: PhaseKind
  phase?: Phase
  /** Its readings, moved to the visible time. */
  readings?: Readings
}

/** Loads the cool-down or warm-up that the address names by `over`, placed where the visible one begins. */
export function useOverlay(
  monitor: Monitor,
  visible: Resource<Readings>,
  range: VisibleRange,
): Resource<Overlay | undefined> {
  const { api } = useApp()
  const query = useQuery()
  const kind = PHASE_KINDS.find((one) => one === query.get('over'))
  const isReady = visible.value.value !== undefined
  return useResource(
    async (abort) => {
      const loaded = visible.value.peek()
      if (!kind || !loaded) return undefined
      const coldest = coldestOf(loaded)
      const begin = coldest && beginOf(coldest, kind)
      const search = { monitor: monitor.id, kind, before: begin ?? range.to }
      const phase = await findPhase(api, search, abort)
      if (!phase) return { kind }
      const shift = (begin ?? range.from) - phase.from
      const parameters = new URLSearchParams({
        driver: monitor.id,
        points: POINTS,
        from: serverTime(range.from - shift),
        to: serverTime(range.to - shift),
      })
      const before = await api.get(`/api/events/series?${parameters}`, readings, abort)
      const series = before.series.map((one) => ({ ...one, at: one.at.map((time) => time + shift) }))
      return { kind, phase, readings: { ...before, series } }
    },
    [kind, isReady, range.key || `${range.from} ${range.isLive ? '' : range.to}`],
  )
}

interface Search {
  /** Id of the driver. */
  monitor: string
  kind: PhaseKind
  /** Unix ms. */
  before: number
}

/** The last cool-down or warm-up that has ended within a year before a time. */
export async function findPhase(
  api: App['api'],
  search: Search,
  abort?: AbortSignal,
): Promise<Phase | undefined> {
  const { monitor, kind, before } = search
  const look = async (from: number, to: number) => {
    const parameters = new URLSearchParams({
      driver: monitor,
      points: SEARCH_POINTS,
      from: serverTime(from),
      to: serverTime(to),
    })
    const loaded = await api.get(`/api/events/series?${parameters}`, readings, abort)
    const kelvin = coldestOf(loaded)
    // One that begins with the first bucket began earlier.
    const whole = kelvin ? findPhases(kelvin).filter((one) => one.from > (kelvin.at[0] ?? 0)) : []
    return { found: whole.findLast((one) => one.kind === kind), step: loaded.step_ms }
  }
  for (const period of SEARCHED_MS) {
    const { found, step } = await look(before - period, before)
    if (found && step <= FINE_MS) return found
    if (found)
      return (await look(found.from - 2 * step, Math.min(before, found.to + 2 * step))).found ?? found
  }
  return undefined
}
