import type { Signal } from '@preact/signals'
import type { Incident } from './readings/incidents.ts'
import type { VisibleRange } from './readings/range.ts'

const GLYPHS: Record<Incident['kind'], { glyph: string; tone: string }> = {
  breach: { glyph: '▲', tone: 'tone-bad' },
  stale: { glyph: '▲', tone: 'tone-warn' },
  gap: { glyph: '○', tone: 'tone-idle' },
  note: { glyph: '●', tone: 'tone-ink' },
  calibration: { glyph: '', tone: 'span' },
  maintenance: { glyph: '', tone: 'span maintenance' },
}

interface EventStripProps {
  incidents: readonly Incident[]
  range: VisibleRange
  cursor: Signal<number | undefined>
}

/** A row above the plots with a mark at each event. The list below the plots has the same events as text. */
export function EventStrip({ incidents, range: { from, to }, cursor }: EventStripProps) {
  const place = (ms: number) => `${(Math.min(1, Math.max(0, (ms - from) / (to - from))) * 100).toFixed(2)}%`
  const visible = incidents.filter(({ at, until }) => at <= to && (until ?? at) >= from)
  return (
    <div class="event-strip" aria-hidden="true">
      <span class="soft">Events</span>
      <div>
        {visible.map(({ kind, at, until }) =>
          kind === 'calibration' || kind === 'maintenance' ? (
            <i
              key={`${kind} ${at}`}
              class={GLYPHS[kind].tone}
              style={{ left: place(at), right: `calc(100% - ${place(until ?? to)})` }}
            />
          ) : (
            <i key={`${kind} ${at}`} class={GLYPHS[kind].tone} style={{ left: place(at) }}>
              {GLYPHS[kind].glyph}
            </i>
          ),
        )}
        {cursor.value !== undefined && <i class="now-line" style={{ left: place(cursor.value) }} />}
      </div>
    </div>
  )
}
