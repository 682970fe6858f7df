import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { asApiError } from '../../api/api.ts'
import { dateIn, timeOfDay } from '../../lib/zone.ts'
import { Field } from '../../parts/form/form.tsx'
import type { Range } from './logic/conflicts.ts'
import {
  clockTime,
  type Draft,
  draftFrom,
  FINE_STEP_MS,
  formatLength,
  formatTimes,
  resized,
  STEP_MS,
} from './logic/draft.ts'
import { formatDay, formatLongDay } from './logic/week.ts'
import type { Plan } from './plan.ts'
import { RepetitionFields } from './RepetitionFields.tsx'
import type { Booking } from './state.ts'
import { UserField } from './UserField.tsx'

interface DraftFormProps {
  plan: Plan
  booking: Booking
  zone: string
  superuser: boolean
  /** Changes the draft and shows its day. */
  onChange: (draft: Draft) => void
  onBook: () => void
}

/** The title of the dialog of a draft. */
export function titleOfDraft({ draft }: Plan, zone: string): string {
  const day = formatLongDay(dateIn(draft.start, zone))
  return `${draft.id === undefined ? 'New slot' : 'Change the slot'}, ${day}`
}

/** The draft in words and fields: everything that the pointer and the keys can do with it, and more. */
export function DraftForm({ plan, booking, zone, superuser, onChange, onBook }: DraftFormProps) {
  const { draft, conflicts, nearest, shorter } = plan
  const form = useRef<HTMLFormElement>(null)
  const day = useId()
  const isNew = draft.id === undefined
  const isBad = conflicts.length > 0
  const take = (range: Range) => onChange({ ...draft, ...range })
  const [date, start, end] = [
    dateIn(draft.start, zone),
    timeOfDay(draft.start, zone),
    timeOfDay(draft.end, zone),
  ]
  const change = (changes: { date?: string; start?: string; end?: string }) => {
    const next = draftFrom(draft, { date, start, end, ...changes }, zone)
    if (next) onChange(next)
  }
  useLayoutEffect(() => {
    const week = form.current?.closest<HTMLElement>('.week')
    // Who draws in the calendar goes on there, by the arrows; Tab leads here.
    if (!week?.matches(':focus')) form.current?.querySelector('input')?.focus({ preventScroll: true })
    return () => {
      if (form.current?.contains(document.activeElement)) week?.focus({ preventScroll: true })
    }
  }, [])
  const conflict = `${day}-conflict`
  const bad = isBad ? conflict : undefined
  return (
    <form
      ref={form}
      class="draft-form"
      aria-label="Draft"
      onSubmit={(event) => {
        event.preventDefault()
        onBook()
      }}
    >
      <Problems plan={plan} booking={booking} zone={zone} id={conflict} />
      <div class="draft-times">
        <Field id={day} label="Day">
          <input
            id={day}
            type="date"
            value={date}
            required
            onChange={({ currentTarget }) => change({ date: currentTarget.value })}
          />
        </Field>
        <TimeField
          label="From"
          value={start}
          problem={bad}
          onTime={(time) => change({ start: time })}
          onStep={(ms) => onChange(resized(draft, 'start', draft.start + ms, FINE_STEP_MS))}
        />
        <TimeField
          label="To"
          value={end === '00:00' ? '24:00' : end}
          problem={bad}
          onTime={(time) => change({ end: time })}
          onStep={(ms) => onChange(resized(draft, 'end', draft.end + ms, FINE_STEP_MS))}
        />
      </div>
      {isNew && <RepetitionFields booking={booking} />}
      {isNew && superuser && <UserField chosen={booking.user} />}
      <div class="actions">
        {nearest && (
          <button type="button" class="primary" onClick={() => take(nearest)}>
            Take{' '}
            {isSameDay(nearest.start, draft.start, zone) ? '' : `${formatDay(dateIn(nearest.start, zone))}, `}
            {formatTimes(nearest, zone)}
          </button>
        )}
        {shorter && (
          <button type="button" onClick={() => take(shorter)}>
            Shorten to {timeOfDay(shorter.end, zone)}
          </button>
        )}
        <button
          type="submit"
          class={isBad ? undefined : 'primary'}
          aria-disabled={isBad || booking.busy.value}
        >
          {isNew ? 'Book' : 'Change'}
        </button>
        <button type="button" class="quiet" onClick={() => booking.set(undefined)}>
          Discard
        </button>
      </div>
      <p class="hint">{formatLength(draft)}. Booking is free; jobs are charged as they run.</p>
    </form>
  )
}

interface TimeFieldProps {
  label: string
  value: string
  /** Id of the text that says what is wrong with it. */
  problem: string | undefined
  onTime: (time: string) => void
  onStep: (ms: number) => void
}

/** A time of day of 24 hours in every browser, as the calendar has it; the arrows change it in steps. */
function TimeField({ label, value, problem, onTime, onStep }: TimeFieldProps) {
  const id = useId()
  return (
    <Field id={id} label={label}>
      <input
        id={id}
        inputMode="numeric"
        autocomplete="off"
        value={value}
        required
        pattern="([01]?[0-9]|2[0-3])(:?[0-5][0-9])?|24(:?00)?"
        title="A time of 24 hours, such as 16:30"
        aria-invalid={problem !== undefined}
        aria-describedby={problem}
        onChange={({ currentTarget }) => {
          const time = clockTime(currentTarget.value)
          if (time) onTime(time)
        }}
        onKeyDown={(event) => {
          const steps = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
          if (steps === 0) return
          event.preventDefault()
          onStep(steps * (event.altKey ? FINE_STEP_MS : STEP_MS))
        }}
      />
    </Field>
  )
}

/** The conflict of the draft, and what the server said about it. */
function Problems({
  plan,
  booking,
  zone,
  id,
}: Pick<DraftFormProps, 'plan' | 'booking' | 'zone'> & { id: string }) {
  const { draft, conflicts } = plan
  const [first] = conflicts
  const refused = booking.error.value
  return (
    <div role="alert">
      {first && (
        <p class="notice tone-bad" id={id}>
          <strong>✕ {formatTimes(draft, zone)}</strong> overlaps with {nameOf(first)} (
          {formatTimes(first, zone)}).
        </p>
      )}
      {refused !== undefined && !first && (
        <p class="notice tone-bad">
          <strong>Not booked.</strong> {textOf(refused)}
        </p>
      )}
    </div>
  )
}

function nameOf({ kind, mine, name }: Plan['conflicts'][number]): string {
  if (kind === 'session') return 'the session of another user'
  if (mine) return 'your slot'
  return name === '' ? 'the slot of another user' : `the slot of ${name}`
}

/** What the server said: the message of the field says more than the one of the whole request. */
function textOf(refused: unknown): string {
  const { message, fields } = asApiError(refused)
  const [field] = Object.values(fields)
  const text = field && !message.includes(field.message) ? `${message}: ${field.message}` : message
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function isSameDay(one: number, other: number, zone: string): boolean {
  return dateIn(one, zone) === dateIn(other, zone)
}
