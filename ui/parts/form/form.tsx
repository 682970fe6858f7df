import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { Dialog } from '../Dialog.tsx'

/** The state of a form. Field names are those of the request body, so that errors find their fields. */
export interface Form<Values extends object> {
  values: Signal<Values>
  set(changes: Partial<Values>): void
  /** Message for a field, from the server or from `check`. */
  error(name: keyof Values & string): string | undefined
  /** A failure that belongs to no field of the form. */
  problem: Signal<ApiError | undefined>
  busy: Signal<boolean>
  /** Whether anything differs from the initial values. */
  changed: boolean
  /** Handler of the form's submit event. */
  submit(event?: Event): Promise<void>
  reset(): void
  /** Id of the control of a field. */
  id(name: keyof Values & string): string
  /** Attributes that link a control to its error. */
  aria(name: keyof Values & string): { 'aria-invalid'?: true; 'aria-describedby'?: string }
}

interface FormOptions<Values> {
  initial: Values
  /** Messages by field that prevent the request. */
  check?: (values: Values) => Partial<Record<keyof Values, string>>
  submit: (values: Values) => Promise<void>
}

/** A form that shows the server's errors at their fields and sends one request at a time. */
export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const prefix = useId()
  const values = useSignal(options.initial)
  const local = useSignal<Partial<Record<keyof Values, string>>>({})
  const failure = useSignal<ApiError | undefined>(undefined)
  const problem = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)
  const id = (name: string) => `${prefix}-${name}`
  const error = (name: keyof Values & string) => local.value[name] ?? failure.value?.fields[name]?.message
  const clear = () => {
    local.value = {}
    failure.value = undefined
    problem.value = undefined
  }
  const focusFirst = (names: readonly string[]) => document.getElementById(id(names[0] ?? ''))?.focus()
  return {
    values,
    problem,
    busy,
    id,
    error,
    changed: JSON.stringify(values.value) !== JSON.stringify(options.initial),
    set(changes) {
      values.value = { ...values.peek(), ...changes }
    },
    reset() {
      clear()
      values.value = options.initial
    },
    aria: (name) => (error(name) ? { 'aria-invalid': true, 'aria-describedby': `${id(name)}-error` } : {}),
    async submit(event) {
      event?.preventDefault()
      if (busy.peek()) return
      clear()
      const sent = values.peek()
      const found = options.check?.(sent) ?? {}
      if (Object.keys(found).length > 0) {
        local.value = found
        focusFirst(Object.keys(found))
        return
      }
      busy.value = true
      try {
        await options.submit(sent)
      } catch (thrown) {
        const refused = asApiError(thrown)
        failure.value = refused
        const named = Object.keys(refused.fields).filter((name) => name in sent)
        if (named.length === 0) problem.value = refused
        else focusFirst(named)
      } finally {
        busy.value = false
      }
    },
  }
}

interface FieldProps {
  /** The id of the control; the error gets `<id>-error`, which the control names in `aria-describedby`. */
  id: string
  label: ComponentChildren
  error?: string | undefined
  /** Help below the control. */
  hint?: ComponentChildren
  children: ComponentChildren
}

/** A labeled control with its error and its hint below it. */
export function Field({ id, label, error, hint, children }: FieldProps) {
  return (
    <div class={error ? 'field invalid' : 'field'}>
      <label for={id}>{label}</label>
      {children}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint && <p class="hint">{hint}</p>}
    </div>
  )
}

/** Attributes that link a control to its error. */
export function describedBy(id: string, error: string | undefined) {
  return error ? { 'aria-invalid': true, 'aria-describedby': `${id}-error` } : {}
}

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

/** A value, and its text where that is another one. */
type Choice = string | readonly [value: string, text: string]

interface SelectProps {
  value: string
  choices: readonly Choice[]
  set: (value: string) => void
  /** A visible label before it, and its class. */
  label?: string
  labelClass?: string
  id?: string
  class?: string
  'aria-label'?: string
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

/** A list of which one value is chosen. */
export function Select({ value, choices, set, label, labelClass = 'beside', ...attributes }: SelectProps) {
  const id = useId()
  const list = (
    <select id={id} {...attributes} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {choices.map((choice) => {
        const [item, text] = typeof choice === 'string' ? [choice, choice] : choice
        return (
          <option key={item} value={item}>
            {text}
          </option>
        )
      })}
    </select>
  )
  if (label === undefined) return list
  return (
    <label class={labelClass} for={id}>
      {label}
      {list}
    </label>
  )
}

interface CheckProps {
  checked: boolean
  set: (checked: boolean) => void
  disabled?: boolean
  children: ComponentChildren
}

/** A check box with its text. */
export function Check({ checked, set, disabled = false, children }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      {children}
    </label>
  )
}

/** The failure of a form that belongs to no field; announced when it appears. */
export function FormProblem<Values extends object>({ form }: { form: Form<Values> }) {
  const problem = form.problem.value
  if (!problem) return null
  return (
    <p class="field-error" role="alert">
      {problem.message}
      {problem.requestId && (
        <small>
          {' '}
          Request <code>{problem.requestId}</code>
        </small>
      )}
    </p>
  )
}

interface FormActionsProps<Values extends object> {
  form: Form<Values>
  /** The text of the button that sends the form. */
  action: string
  /** Its text while the request runs. */
  busy?: string
  /** Whether it is one of several forms on a page, none of which is the main one. */
  secondary?: boolean
  cancel?: () => void
  /** What stands beside the buttons. */
  children?: ComponentChildren
}

/** The end of a form: the failure that belongs to no field, and the buttons. */
export function FormActions<Values extends object>(props: FormActionsProps<Values>) {
  const { form, action, busy = action, secondary, cancel, children } = props
  return (
    <>
      <FormProblem form={form} />
      <div class="actions">
        {cancel && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <button type="submit" class={secondary ? undefined : 'primary'} aria-disabled={form.busy.value}>
          {form.busy.value ? busy : action}
        </button>
        {children}
      </div>
    </>
  )
}

interface FormDialogProps<Values extends object> {
  title: string
  form: Form<Values>
  /** The text of the button that sends the form. */
  action: string
  close: () => void
  wide?: boolean
  children: ComponentChildren
}

/** A form in a dialog, with its buttons. */
export function FormDialog<Values extends object>(props: FormDialogProps<Values>) {
  const { title, form, action, close, wide = false, children } = props
  return (
    <Dialog title={title} open onClose={close} wide={wide}>
      <form class="form" onSubmit={form.submit}>
        {children}
        <FormActions form={form} action={action} cancel={close} />
      </form>
    </Dialog>
  )
}
