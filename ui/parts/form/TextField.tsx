import type { ComponentChildren } from 'preact'
import { Field } from '../Field.tsx'
import type { Form } from './use-form.ts'

type TextNames<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never
}[keyof Values] &
  string

interface TextFieldProps<Values extends object> {
  form: Form<Values>
  name: TextNames<Values>
  label: string
  /** Help below the control. */
  hint?: ComponentChildren
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local'
  autocomplete?: string
  required?: boolean
  placeholder?: string
  min?: string | number
  max?: string | number
}

/** A text input of a form with its label, hint and error. */
export function TextField<Values extends object>(props: TextFieldProps<Values>) {
  const { form, name, label, hint, type = 'text', ...input } = props
  const id = form.id(name)
  const change: Partial<Values> = {}
  return (
    <Field id={id} label={label} error={form.error(name)} hint={hint}>
      <input
        {...input}
        {...({ type } as { type: 'text' })}
        id={id}
        name={name}
        value={String(form.values.value[name])}
        onInput={({ currentTarget }) => form.set({ ...change, [name]: currentTarget.value })}
        {...form.aria(name)}
      />
    </Field>
  )
}
