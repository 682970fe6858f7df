import { type Signal, useSignal } from '@preact/signals'
import { accountLink, user as userSchema } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { randomKey } from '../../lib/random-key.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { parseAmount } from '../time-requests/amount.ts'

interface NewUserDialogProps {
  open: Signal<boolean>
  onCreated: () => void
}

const EMPTY = { email: '', username: '', password: '', qpu_seconds: '' }

/** Creates a user. Without a password, a link is shown with which the user chooses one. */
export function NewUserDialog({ open, onCreated }: NewUserDialogProps) {
  const { api, named, toast } = useApp()
  const link = useSignal<{ email: string; link: string } | undefined>(undefined)
  const close = () => {
    open.value = false
    link.value = undefined
    form.reset()
  }
  const form = useForm({
    initial: EMPTY,
    check: ({ qpu_seconds }) =>
      qpu_seconds !== '' && parseAmount(qpu_seconds) === undefined
        ? { qpu_seconds: 'Enter an amount such as 1h 30m.' }
        : {},
    async submit({ email, username, password, qpu_seconds }) {
      const secret = password || randomKey()
      const body = { email, username, password: secret, passwordConfirm: secret }
      const amount = parseAmount(qpu_seconds)
      const created = await api.post(
        `/api/collections/${named('users')}/records`,
        { ...body, ...(amount === undefined ? {} : { qpu_seconds: amount }) },
        userSchema,
      )
      onCreated()
      toast(`${email} was created.`)
      if (password !== '') {
        close()
        return
      }
      const asked = { id: created.id, purpose: 'password_reset' }
      link.value = { email, link: (await api.post('/api/op/account-links', asked, accountLink)).link }
    },
  })
  const made = link.value
  return (
    <Dialog title={made ? 'Send this link to the user' : 'New user'} open={open.value} onClose={close}>
      {made ? (
        <div class="form">
          <p>{made.email} chooses a password with it. It is shown only once, and expires.</p>
          <CodeBlock title="Link" text={made.link} />
          <div class="actions">
            <button type="button" class="primary" onClick={close}>
              Done
            </button>
          </div>
        </div>
      ) : (
        <form class="form" onSubmit={form.submit}>
          <TextField form={form} name="email" label="E-mail" type="email" autocomplete="off" required />
          <TextField form={form} name="username" label="User name" autocomplete="off" />
          <TextField
            form={form}
            name="password"
            label="Password"
            type="password"
            autocomplete="new-password"
            hint="Empty: you get a link with which the user chooses one."
          />
          <TextField
            form={form}
            name="qpu_seconds"
            label="QPU time"
            placeholder="1h"
            autocomplete="off"
            hint="The initial balance; empty for none."
          />
          <FormActions form={form} action="Create the user" cancel={close} />
        </form>
      )}
    </Dialog>
  )
}
