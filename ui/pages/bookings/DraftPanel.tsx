import { useId } from 'preact/hooks'
import { asApiError } from '../../api/api.ts'
import { dateIn, timeOfDay } from '../../lib/zone.ts'
import { Field } from '../../parts/Field.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { draftFrom, formatLength, formatTimes } from './logic/draft.ts'
import { formatDay, formatLongDay } from './logic/week.ts'
import type { Plan } from './plan.ts'
import { RepetitionFields } from './RepetitionFields.tsx'
import type { Booking } from './state.ts'
import { UserField } from './UserField.tsx'

interface DraftPanelProps {
  plan: Plan
  booking: Booking
  zone: string
  superuser: boolean
  onBook: () => void
}

/** The draft in words and fields: everything that the pointer and the keys can do with it, and more. */
export function DraftPanel({ plan, booking, zone, superuser, onBook }: DraftPanelProps) {
  const { draft, conflicts, nearest, shorter } = plan
  const [day, from, to] = [useId(), useId(), useId()]
  const isNew = draft.id === undefined
  const isBad = conflicts.length > 0
  const take = (range: { start: number; end: number }) => booking.set({ ...draft, ...range })
  const change = (date: string, start: string, end: string) => {
    const next = draftFrom(draft, { date, start, end }, zone)
    if (next) booking.set(next)
  }
  const [date, start, end] = [
    dateIn(draft.start, zone),
    timeOfDay(draft.start, zone),
    timeOfDay(draft.end, zone),
  ]
  const bad = isBad ? ({ 'aria-invalid': true, 'aria-describedby': `${day}-conflict` } as const) : {}
  return (
    <Panel
      title={`${isNew ? 'New slot' : 'Change the slot'}, ${formatLongDay(date)}`}
      aside={<small>{isNew ? 'not booked yet' : 'not changed yet'}</small>}
    >
      <form
        class="padded draft-form"
        aria-label="Draft"
        onSubmit={(event) => {
          event.preventDefault()
          onBook()
        }}
      >
        <Problems plan={plan} booking={booking} zone={zone} id={`${day}-conflict`} />
        <div class="draft-times">
          <Field id={day} label="Day">
            <input
              id={day}
              type="date"
              value={date}
              required
              onChange={({ currentTarget }) => change(currentTarget.value, start, end)}
            />
          </Field>
          <Field id={from} label="From">
            <input
              id={from}
              type="time"
              step={300}
              value={start}
              required
              {...bad}
              onChange={({ currentTarget }) => change(date, currentTarget.value, end)}
            />
          </Field>
          <Field id={to} label="To">
            <input
              id={to}
              type="time"
              step={300}
              value={end}
              required
              {...bad}
              onChange={({ currentTarget }) => change(date, start, currentTarget.value)}
            />
          </Field>
        </div>
        {isNew && <RepetitionFields booking={booking} />}
        {isNew && superuser && <UserField chosen={booking.user} />}
        <div class="actions">
          {nearest && (
            <button type="button" class="primary" onClick={() => take(nearest)}>
              Take{' '}
              {isSameDay(nearest.start, draft.start, zone)
                ? ''
                : `${formatDay(dateIn(nearest.start, zone))}, `}
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
    </Panel>
  )
}

/** The conflict of the draft, and what the server said about it. */
function Problems({
  plan,
  booking,
  zone,
  id,
}: Pick<DraftPanelProps, 'plan' | 'booking' | 'zone'> & { id: string }) {
  const { draft, conflicts } = plan
  const [first] = conflicts
  const refused = booking.error.value
  return (
    <div role="alert">
      {first && (
        <p class="notice tone-bad" id={id}>
          <strong>✕ {formatTimes(draft, zone)}</strong> overlaps with{' '}
          {first.mine
            ? 'your slot'
            : first.name === ''
              ? 'the slot of another user'
              : `the slot of ${first.name}`}{' '}
          ({formatTimes(first, zone)}).
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
