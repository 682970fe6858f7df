import { useApp } from '../app/app.ts'
import { formatDate, formatMoment, parseTime } from '../lib/time.ts'

interface MomentProps {
  /** Unix ms, or a time as the server writes it. */
  at: number | string | null | undefined
  /** Shown without a time. */
  none?: string
  /** Whether only the day matters. */
  day?: boolean
}

/** A time in the chosen zone and date format; the pointer shows it with its date and in UTC. */
export function Moment({ at, none = '–', day = false }: MomentProps) {
  const { zone, preferences } = useApp()
  const ms = typeof at === 'number' ? at : parseTime(at)
  if (ms === undefined || Number.isNaN(ms)) return <>{none}</>
  const iso = new Date(ms).toISOString()
  return (
    <time datetime={iso} title={iso.replace('T', ' ').replace(/\.\d+Z/, ' UTC')}>
      {day
        ? formatDate(ms, { timeZone: zone.value, dates: preferences.value.dates })
        : formatMoment(ms, Date.now(), zone.value, preferences.value.dates)}
    </time>
  )
}
