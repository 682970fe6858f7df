import { DAY_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'
import type { Qpu } from '../../api/model/qpus.ts'
import { type Availability, availability } from '../../api/model/schedule.ts'
import type { Resource } from '../../api/resource.ts'
import { useApp } from '../../app/app.ts'
import { useNow } from '../../app/use-now.ts'
import { useLive, useResource } from '../../app/use-resource.ts'
import { formatMoment, formatSpan } from '../../lib/time.ts'
import { OUTAGES, type Outage, outagesOf, partOfLast } from '../../plots/ribbon/outages.ts'
import { Loaded, Panel } from '../Panel.tsx'

const DAYS = 7
const SPANS = [
  { hours: 24, title: '24 h', name: 'last 24 hours' },
  { hours: 24 * DAYS, title: `${DAYS} d`, name: `last ${DAYS} days` },
] as const
const SPACING_MS = 2_000
/** Times that are listed before the rest is. */
const LISTED = 6

/** When the QPUs took no jobs in the last days. */
export function useAvailability(): Resource<Availability> {
  const { api } = useApp()
  const times = useResource((abort) => {
    const [from, to] = [Date.now() - DAYS * DAY_MS, Date.now() + MINUTE_MS].map((ms) =>
      new Date(ms).toISOString(),
    )
    return api.get(`/api/schedule?from=${from}&to=${to}`, availability, abort)
  })
  useLive(['qpus/*', 'sessions/*', 'calibration_requests/*'], () => times.loadSoon(SPACING_MS))
  return times
}

/** The last day and week of a QPU as strips: where a bar is, it took no jobs. */
export function AvailabilityStrips({ of, qpu }: { of: Availability | undefined; qpu: Qpu }) {
  const { zone } = useApp()
  // What has just been loaded may have begun after the last minute.
  const now = Math.max(useNow(MINUTE_MS).value, Date.now())
  if (!of) return null
  const outages = outagesOf(of, qpu.id, now)
  return (
    <div class="strips">
      {SPANS.map(({ hours, title, name }) => {
        const shown = outages.flatMap((outage) => {
          const part = partOfLast(hours, outage, now)
          return part ? [{ ...part, kind: outage.kind, text: describe(outage, now, zone.value) }] : []
        })
        const texts = shown.map(({ text }) => text).join('; ')
        return (
          <div key={title}>
            <small>{title}</small>
            <div
              class="strip"
              role="img"
              aria-label={`${qpu.name}, ${name}: ${texts || 'no time without jobs is known'}`}
            >
              {shown.map(({ left, width, kind, text }) => (
                <i
                  key={text}
                  class={kind}
                  title={text}
                  style={{ left: `min(${left * 100}%, 100% - 2px)`, width: `${width * 100}%` }}
                />
              ))}
            </div>
          </div>
        )
      })}
    </div>
  )
}

/** `Offline, 28 Nov, 22:10 – 06:20:13, 8 h 10 min: its driver was silent`. */
function describe({ kind, start, end, reason }: Outage, now: number, zone: string): string {
  const [from, to] = [formatMoment(start, now, zone), end === undefined ? '' : formatMoment(end, now, zone)]
  const times = to ? `${from} – ${to}` : `since ${from}`
  return `${OUTAGES[kind] ?? kind}, ${times}, ${formatSpan((end ?? now) - start)}${reason && `: ${reason}`}`
}

/** When a QPU took no jobs, and why, as strips and in words. */
export function AvailabilityPanel({ qpu }: { qpu: Qpu }) {
  const { zone } = useApp()
  const times = useAvailability()
  // What has just been loaded may have begun after the last minute.
  const now = Math.max(useNow(MINUTE_MS).value, Date.now())
  return (
    <Panel title="Availability" aside={<small>times without jobs of the queue, and why</small>}>
      <Loaded of={times} task="load when it took jobs" rows={3}>
        {(of) => {
          const lines = outagesOf(of, qpu.id, now).map((outage) => describe(outage, now, zone.value))
          return (
            <div class="padded outages">
              <AvailabilityStrips of={of} qpu={qpu} />
              {lines.length === 0 && <p>No time without jobs is known.</p>}
              <Lines of={lines.slice(0, LISTED)} />
              {lines.length > LISTED && (
                <details>
                  <summary>{lines.length - LISTED} more</summary>
                  <Lines of={lines.slice(LISTED)} />
                </details>
              )}
            </div>
          )
        }}
      </Loaded>
    </Panel>
  )
}

function Lines({ of }: { of: readonly string[] }) {
  return (
    <ul>
      {of.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
