import { useEffect, useMemo, useState } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { effectiveZone } from '../../app/preferences.ts'
import { useQuery } from '../../app/use-query.ts'
import { dateIn, startOfDate } from '../../lib/zone.ts'
import { type Axis, axisOf } from './logic/axis.ts'
import { mondayOf, shownMonday } from './logic/week.ts'

/** The current time in Unix ms; the component is rendered again every `everyMs`. */
function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** Whether a media query applies. */
function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const read = () => setMatches(list.matches)
    list.addEventListener('change', read)
    return () => list.removeEventListener('change', read)
  }, [query])
  return matches
}

/** Which days are shown, and where. */
interface CalendarView {
  zone: string
  now: number
  /** On phones a list of one day replaces the calendar. */
  narrow: boolean
  monday: string
  /** The shown day, or the chosen one of the week. */
  day: string
  today: string
  isDay: boolean
  axis: Axis
}

/** The days of the address: `week`, `day`, `view` and `zone`; by default the current week. */
export function useView(): CalendarView {
  const { zone: preferred } = useApp()
  const query = useQuery()
  const now = useNow()
  const narrow = useMedia('(max-width: 760px)')
  const zone = effectiveZone(query.get('zone') || preferred.value)
  const monday = shownMonday(query.get('week'), now, zone)
  const today = dateIn(now, zone)
  const day = chosenDay(query.get('day'), monday, today)
  const isDay = !narrow && query.get('view') === 'day'
  const [first, days] = isDay ? [day, 1] : [monday, 7]
  const axis = useMemo(() => axisOf(first, days, zone), [first, days, zone])
  return { zone, now, narrow, monday, day, today, isDay, axis }
}

/** The day of the address if it is in the shown week, otherwise today or the Monday. */
function chosenDay(given: string, monday: string, today: string): string {
  const inWeek = (date: string) => startOfDate(date, 'UTC') !== undefined && mondayOf(date) === monday
  if (inWeek(given)) return given
  return inWeek(today) ? today : monday
}
