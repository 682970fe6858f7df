import type { Activity } from '../../api/model/equipment/drivers.ts'
import { formatCount } from '../../lib/format.ts'
import { total } from './state.ts'

const HEIGHT = 16
const BAR = 1
const STEP = 1.2

/** Events per minute of the last hour as bars; what was dropped stands above in the color of warnings. */
export function EventBars({ activity: { events, dropped } }: { activity: Activity }) {
  const top = Math.max(1, ...events.map((count, minute) => count + (dropped[minute] ?? 0)))
  const height = (count: number) => (count === 0 ? 0 : Math.max(1, (count / top) * HEIGHT))
  const lost = total(dropped)
  const label = `${formatCount(total(events))} events in the last hour${lost > 0 ? `, ${formatCount(lost)} dropped` : ''}`
  return (
    <svg class="event-bars" role="img" aria-label={label} width={events.length * STEP} height={HEIGHT}>
      <title>{label}</title>
      <path class="base" d={`M0 ${HEIGHT - 0.5}H${events.length * STEP}`} />
      {events.map((count, minute) => {
        const [bar, above] = [height(count), height(dropped[minute] ?? 0)]
        return (
          <g key={minute}>
            {bar > 0 && <rect x={minute * STEP} y={HEIGHT - bar} width={BAR} height={bar} />}
            {above > 0 && (
              <rect class="dropped" x={minute * STEP} y={HEIGHT - bar - above} width={BAR} height={above} />
            )}
          </g>
        )
      })}
    </svg>
  )
}
