import { type ApiToken, apiToken } from '../../../api/model/access/tokens.ts'
import { useApp } from '../../../app/app.ts'
import { FormDialog, TextField, useForm } from '../../../parts/form/form.tsx'
import { ExpiryFields } from './ExpiryFields.tsx'
import { type Expiry, expiresAt } from './expiry.ts'

interface ChangeTokenProps {
  token: ApiToken
  changed: () => void
  close: () => void
}

/** Renames an API token and changes its expiry. */
export function ChangeToken({ token, changed, close }: ChangeTokenProps) {
  const { api, toast } = useApp()
  const choice: Expiry = token.expires_at ? 'custom' : 'never'
  const form = useForm({
    initial: { name: token.name ?? '', choice, expires_at: (token.expires_at ?? '').slice(0, 10) },
    check: (values) =>
      expiresAt(values.choice, values.expires_at, Date.now()) === undefined
        ? { expires_at: 'Choose a day in the future' }
        : {},
    async submit({ name, ...expiry }) {
      const expires_at = expiresAt(expiry.choice, expiry.expires_at, Date.now())
      await api.patch(`/api/tokens/${token.id}`, { name, expires_at }, apiToken)
      toast('Saved.')
      changed()
      close()
    },
  })
  return (
    <FormDialog title={`Change ${token.name || 'the token'}`} form={form} action="Save" close={close}>
      <TextField form={form} name="name" label="Name" required />
      <ExpiryFields form={form} />
    </FormDialog>
  )
}
