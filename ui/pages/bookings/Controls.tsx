import type { Qpu } from '../../api/model/qpus.ts'
import { useQuery } from '../../app/use-query.ts'
import { shiftDate } from '../../lib/zone.ts'
import { Select } from '../../parts/form/form.tsx'
import { formatDay, mondayOf, weekOf } from './logic/week.ts'

interface ControlsProps {
  qpu: Qpu
  qpus: readonly Qpu[]
  zone: string
  monday: string
  day: string
  isDay: boolean
  narrow: boolean
}

/** What the calendar shows: the QPU, the week or day, and the time zone. */
export function Controls({ qpu, qpus, zone, monday, day, isDay, narrow }: ControlsProps) {
  const query = useQuery()
  const go = (steps: number) => {
    const date = shiftDate(isDay ? day : monday, steps * (isDay ? 1 : 7))
    query.set({ week: weekOf(date), day: isDay || narrow ? date : '' }, { push: true })
  }
  const unit = isDay ? 'day' : 'week'
  return (
    <>
      <Select
        aria-label="QPU"
        value={qpu.name}
        choices={qpus.map(({ name }) => name)}
        set={(name) => query.set({ qpu: name })}
      />
      <span class="segments">
        <button type="button" aria-label={`Previous ${unit}`} onClick={() => go(-1)}>
          ←
        </button>
        <button
          type="button"
          title={`Show the current ${unit}`}
          onClick={() => query.set({ week: '', day: '' })}
        >
          {isDay ? formatDay(day) : `Week ${Number(weekOf(monday).slice(6))}`}
        </button>
        <button type="button" aria-label={`Next ${unit}`} onClick={() => go(1)}>
          →
        </button>
      </span>
      {!narrow && (
        <Select
          aria-label="Days"
          value={isDay ? 'day' : ''}
          choices={[
            ['', 'Week'],
            ['day', 'Day'],
          ]}
          set={(view) => query.set({ view, week: weekOf(mondayOf(day)), day })}
        />
      )}
      <ZoneSelect zone={zone} />
    </>
  )
}

function ZoneSelect({ zone }: { zone: string }) {
  const query = useQuery()
  const all = Intl.supportedValuesOf('timeZone')
  const zones = [...new Set([zone, 'UTC', ...all])]
  return (
    <Select
      aria-label="Time zone"
      class="zone"
      value={zone}
      choices={zones}
      set={(name) => query.set({ zone: name })}
    />
  )
}

const KINDS = [
  ['mine', 'yours'],
  ['slot', 'booked'],
  ['calibration', 'calibration'],
  ['maintenance', 'maintenance'],
] as const

/** What the blocks mean, and the keys. */
export function Legend() {
  return (
    <div class="cluster soft week-legend">
      {KINDS.map(([kind, word]) => (
        <span key={kind}>
          <i class={`swatch ${kind}`} /> {word}
        </span>
      ))}
      <span id="week-keys" class="keys-hint">
        <kbd>←</kbd> <kbd>→</kbd> move <kbd>Shift</kbd> extend <kbd>Enter</kbd> book
      </span>
    </div>
  )
}
