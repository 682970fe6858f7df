import { useApp } from '../app/app.ts'
import { formatMoment, parseTime } from '../lib/time.ts'

interface MomentProps {
  /** Unix ms, or a time as the server writes it. */
  at: number | string | null | undefined
  /** Shown without a time. */
  none?: string
}

/** A time in the chosen zone and date format; the pointer shows it with its date and in UTC. */
export function Moment({ at, none = '–' }: MomentProps) {
  const { zone, preferences } = useApp()
  const ms = typeof at === 'number' ? at : parseTime(at)
  if (ms === undefined || Number.isNaN(ms)) return <>{none}</>
  const iso = new Date(ms).toISOString()
  return (
    <time datetime={iso} title={iso.replace('T', ' ').replace(/\.\d+Z/, ' UTC')}>
      {formatMoment(ms, Date.now(), zone.value, preferences.value.dates)}
    </time>
  )
}
