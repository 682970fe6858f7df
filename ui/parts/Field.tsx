import type { ComponentChildren } from 'preact'

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
