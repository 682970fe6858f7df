import type { ComponentChildren } from 'preact'
import { Dialog } from '../Dialog.tsx'
import { FormActions } from './FormActions.tsx'
import type { Form } from './use-form.ts'

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
