import type { ComponentChildren } from 'preact'
import { FormProblem } from './FormProblem.tsx'
import type { Form } from './use-form.ts'

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
