import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'

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
