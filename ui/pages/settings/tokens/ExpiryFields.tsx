import { Field, type Form, Select } from '../../../parts/form/form.tsx'
import { EXPIRIES, type Expiry } from './expiry.ts'

/** The fields of a form that choose an expiry. */
interface ExpiryValues {
  choice: Expiry
  expires_at: string
}

/** Choice of an expiry, with a date where one is wanted and a warning for none. */
export function ExpiryFields<Values extends ExpiryValues>({ form }: { form: Form<Values> }) {
  const { choice, expires_at: date } = form.values.value
  const change = (values: Partial<ExpiryValues>) => form.set(values as Partial<Values>)
  return (
    <>
      <Field
        id={form.id('choice')}
        label="Valid for"
        error={choice === 'custom' ? '' : form.error('expires_at')}
      >
        <Select
          id={form.id('choice')}
          value={choice}
          choices={EXPIRIES.map(({ id, title }) => [id, title])}
          set={(wanted) => {
            const chosen = EXPIRIES.find(({ id }) => id === wanted)
            if (chosen) change({ choice: chosen.id } as Partial<ExpiryValues>)
          }}
        />
      </Field>
      {choice === 'custom' && (
        <Field id={form.id('expires_at')} label="Last day (UTC)" error={form.error('expires_at')}>
          <input
            id={form.id('expires_at')}
            type="date"
            required
            value={date}
            onInput={({ currentTarget }) =>
              change({ expires_at: currentTarget.value } as Partial<ExpiryValues>)
            }
            {...form.aria('expires_at')}
          />
        </Field>
      )}
      {choice === 'never' && (
        <p class="notice tone-warn">
          A token that never expires stays dangerous when it leaks. Prefer a year and renew it.
        </p>
      )}
    </>
  )
}
