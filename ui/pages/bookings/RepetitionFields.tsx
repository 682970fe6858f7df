import { useId } from 'preact/hooks'
import { Field, Select } from '../../parts/form/form.tsx'
import type { Booking, Repetition } from './state.ts'

/** Weeks of a repetition at most; the server says how far ahead users book. */
const MAX_WEEKS = 53

const CHOICES: readonly { every: Repetition['every']; label: string }[] = [
  { every: 'once', label: 'Only once' },
  { every: 'weeks', label: 'Every week, a number of times' },
  { every: 'until', label: 'Every week until a day' },
]

/** Whether a new slot repeats every week, and until when. */
export function RepetitionFields({ booking: { repetition } }: { booking: Booking }) {
  const [id, end] = [useId(), useId()]
  const { every, weeks, until } = repetition.value
  const set = (changes: Partial<Repetition>) => {
    repetition.value = { ...repetition.peek(), ...changes }
  }
  return (
    <div class="row">
      <Field id={id} label="Repeat">
        <Select
          id={id}
          value={every}
          choices={CHOICES.map((choice) => [choice.every, choice.label])}
          set={(chosen) => set({ every: chosen as Repetition['every'] })}
        />
      </Field>
      {every === 'weeks' && (
        <Field id={end} label="Number of slots">
          <input
            id={end}
            type="number"
            min={1}
            max={MAX_WEEKS}
            required
            value={weeks}
            onInput={({ currentTarget }) => set({ weeks: currentTarget.value })}
          />
        </Field>
      )}
      {every === 'until' && (
        <Field id={end} label="Last day">
          <input
            id={end}
            type="date"
            required
            value={until}
            onInput={({ currentTarget }) => set({ until: currentTarget.value })}
          />
        </Field>
      )}
    </div>
  )
}
