import { useSignal } from '@preact/signals'
import { useApp } from '../../../app/app.ts'
import { FormActions, TextField, useForm } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'

/** Requests the link that changes the address of the account. */
export function EmailChange({ email }: { email: string }) {
  const { api, auth } = useApp()
  const sentTo = useSignal('')
  const form = useForm({
    initial: { newEmail: '' },
    async submit({ newEmail }) {
      const collection = auth.current.peek()?.record.collectionName
      await api.send(`/api/collections/${collection}/request-email-change`, { newEmail })
      sentTo.value = newEmail
      form.reset()
    },
  })
  return (
    <Panel title="E-mail address">
      <form class="form padded" onSubmit={form.submit}>
        <TextField
          form={form}
          name="newEmail"
          label="New address"
          type="email"
          autocomplete="email"
          hint={`Now ${email}. The new address gets a link that completes the change and ends all logins.`}
          required
        />
        {sentTo.value && (
          <p class="notice" role="status">
            A link was sent to {sentTo.value}. The address changes when it is opened.
          </p>
        )}
        <FormActions form={form} action="Send the link" secondary />
      </form>
    </Panel>
  )
}
