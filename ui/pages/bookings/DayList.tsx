import { HOUR_MS, MINUTE_MS } from '../../../src/base/portable/units.ts'
import { dateIn, timeOfDay } from '../../lib/zone.ts'
import { freeWithin, type Range } from './logic/conflicts.ts'
import { type Draft, formatLength } from './logic/draft.ts'
import { type Entry, isTaken, titleOf } from './logic/entries.ts'
import { formatLongDay } from './logic/week.ts'
import { mayChange, type Plan, type Shown } from './plan.ts'

/** Free times that are shorter cannot be pressed. */
const MIN_FREE_MS = 5 * MINUTE_MS

interface DayListProps extends Shown {
  /** The day of the axis that is listed. */
  selected: number
  onSelect: (date: string) => void
  plan: Plan | undefined
  onDraft: (draft: Draft) => void
  onEdit: (entry: Entry) => void
}

/** One day of a phone: what is booked and what is free, as rows; free rows are buttons. */
export function DayList({ selected, onSelect, plan, onDraft, onEdit, ...shown }: DayListProps) {
  const { axis, entries, now, zone } = shown
  const day = axis.days[selected]
  if (!day) return null
  const today = dateIn(now, zone)
  const listed = entries.filter(({ start, end }) => start < day.end && end > day.start)
  const free = freeWithin({ start: Math.max(day.start, now), end: Math.max(day.end, now) }, listed)
  const rows = [
    ...listed.map((entry) => ({
      entry,
      start: Math.max(entry.start, day.start),
      end: Math.min(entry.end, day.end),
    })),
    ...free
      .filter(({ start, end }) => end - start >= MIN_FREE_MS)
      .map((range) => ({ entry: undefined, ...range })),
  ].toSorted((one, other) => one.start - other.start)
  return (
    <div class="day">
      <div class="day-tabs">
        {axis.days.map(({ date }, at) => (
          <button
            key={date}
            type="button"
            aria-pressed={at === selected}
            class={date === today ? 'today' : undefined}
            onClick={() => onSelect(date)}
          >
            <DayName date={date} />
          </button>
        ))}
      </div>
      {day.change && (
        <p class="hint">
          This day has {formatLength({ start: day.start, end: day.end })}: the clocks change.
        </p>
      )}
      <ul class="day-rows" aria-label={`${formatLongDay(day.date)}, times`}>
        {rows.length === 0 && <li class="soft">This day has passed.</li>}
        {rows.map(({ entry, ...range }) => (
          <li key={`${range.start} ${entry?.key ?? 'free'}`}>
            {entry ? (
              <EntryRow entry={entry} range={range} shown={shown} onEdit={onEdit} />
            ) : (
              <FreeRow range={range} zone={zone} onDraft={onDraft} />
            )}
          </li>
        ))}
        {plan && plan.draft.start < day.end && plan.draft.end > day.start && (
          <li class={plan.conflicts.length > 0 ? 'draft bad' : 'draft'}>
            <Times range={plan.draft} zone={zone} />
            <b>{plan.conflicts.length > 0 ? '✕ Your draft overlaps' : 'Your draft'}</b>
          </li>
        )}
      </ul>
    </div>
  )
}

/** `M 16` for the eye, the whole date for the ear. */
function DayName({ date }: { date: string }) {
  const [weekday = '', day, month] = formatLongDay(date).split(' ')
  return (
    <>
      <span>
        {weekday.charAt(0)}
        <span class="unseen">{weekday.slice(1)}</span>
      </span>
      <span>
        {day}
        <span class="unseen"> {month}</span>
      </span>
    </>
  )
}

function Times({ range, zone }: { range: Range; zone: string }) {
  const end = timeOfDay(range.end, zone)
  return (
    <span class="day-times">
      {timeOfDay(range.start, zone)}–{end === '00:00' ? '24:00' : end}
    </span>
  )
}

interface EntryRowProps {
  entry: Entry
  range: Range
  shown: Shown
  onEdit: (entry: Entry) => void
}

function EntryRow({ entry, range, shown, onEdit }: EntryRowProps) {
  const content = (
    <>
      <Times range={range} zone={shown.zone} />
      <span>
        <b>{titleOf(entry)}</b>
        <small>
          {isTaken(entry) && !entry.mine && entry.name === '' ? 'another user' : formatLength(entry)}
        </small>
      </span>
    </>
  )
  const kind = entry.mine ? 'mine' : entry.kind
  if (!mayChange(entry, shown)) return <div class={`day-row ${kind}`}>{content}</div>
  return (
    <button type="button" class={`day-row ${kind}`} onClick={() => onEdit(entry)}>
      {content}
    </button>
  )
}

function FreeRow({ range, zone, onDraft }: { range: Range; zone: string; onDraft: (draft: Draft) => void }) {
  return (
    <button
      type="button"
      class="day-row free"
      onClick={() => onDraft({ start: range.start, end: Math.min(range.end, range.start + HOUR_MS) })}
    >
      <Times range={range} zone={zone} />
      <b>Free, {formatLength(range)}</b>
    </button>
  )
}
