import { formatSeconds } from '../../lib/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import type { ChannelLimit } from './model.ts'

/** Rows of the panel; the page of monitoring has all of them. */
const SHOWN = 10

/** Channels that are beyond their limits now; nothing while all are within. */
export function LimitsPanel({ limits }: { limits: readonly ChannelLimit[] }) {
  const list = limits.filter(({ breached_at }) => breached_at).slice(0, SHOWN)
  if (list.length === 0) return null
  return (
    <Panel title="Beyond limits" aside={<a href="/monitoring">Monitoring</a>}>
      <ul class="notices">
        {list.map((limit) => (
          <li key={limit.id} class="cluster">
            <Status tone="bad" glyph="triangle" word={limit.name} />
            <span>
              {describe(limit)}, since <Moment at={limit.breached_at} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function describe({ channel, kind, limit, unit }: ChannelLimit): string {
  if (kind === 'stale') return `${channel} without readings for ${formatSeconds(limit)}`
  return `${channel} ${kind} ${Number(limit.toPrecision(6))} ${unit}`.trimEnd()
}
