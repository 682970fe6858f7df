import { useSignal } from '@preact/signals'
import { auth as authSchema, type IssuedAccess, withIssuedAccess } from '../../../api/model/account.ts'
import type { Me } from '../../../api/model/me.ts'
import { useApp } from '../../../app/app.ts'
import { checkPasswords, NewPassword } from '../../../parts/account/NewPassword.tsx'
import { Check, FormActions, TextField, useForm } from '../../../parts/form/form.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { RemainingAccess } from './RemainingAccess.tsx'

const EMPTY = { oldPassword: '', password: '', passwordConfirm: '', removeApiTokens: false }

/** Changes the password; lists what the account has given out and stays valid. */
export function PasswordChange({ account }: { account: Me['account'] }) {
  const { api, auth, toast } = useApp()
  const remaining = useSignal<IssuedAccess>()
  const form = useForm({
    initial: EMPTY,
    check: checkPasswords,
    async submit({ removeApiTokens, ...passwords }) {
      const before = auth.current.peek()
      if (!before) return
      const collection = `/api/collections/${before.record.collectionName}`
      const body = removeApiTokens ? { ...passwords, removeApiTokens } : passwords
      const path = `${collection}/records/${account.id}`
      const { issued_access } = await api.patch(path, body, withIssuedAccess)
      // The change ended every login, this one too.
      const credentials = { identity: account.email, password: passwords.password }
      auth.set(await api.post(`${collection}/auth-with-password`, credentials, authSchema))
      remaining.value = issued_access
      form.reset()
      toast('The password was changed. All other logins have ended.')
    },
  })
  return (
    <Panel title="Password">
      <form class="form padded" onSubmit={form.submit}>
        <input hidden name="username" autocomplete="username" value={account.email ?? ''} readOnly />
        <TextField
          form={form}
          name="oldPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
        />
        <NewPassword
          form={form}
          word="new password"
          hint="At least 8 characters. The change ends every other login."
        />
        <Check
          checked={form.values.value.removeApiTokens}
          set={(isChecked) => form.set({ removeApiTokens: isChecked })}
        >
          Also end my API tokens, shared links, webhooks and calendar address
        </Check>
        {remaining.value && <RemainingAccess issued={remaining.value} />}
        <FormActions form={form} action="Change the password" secondary />
      </form>
    </Panel>
  )
}
