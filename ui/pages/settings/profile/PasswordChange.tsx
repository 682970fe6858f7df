import { useSignal } from '@preact/signals'
import * as v from 'valibot'
import { type ApiToken, apiTokens } from '../../../api/model/access/tokens.ts'
import { auth as authSchema } from '../../../api/model/account.ts'
import type { Me } from '../../../api/model/me.ts'
import { useApp } from '../../../app/app.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { checkPasswords, NewPassword } from '../../../parts/account/NewPassword.tsx'
import { FormActions } from '../../../parts/form/FormActions.tsx'
import { TextField } from '../../../parts/form/TextField.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Panel } from '../../../parts/Panel.tsx'

const EMPTY = { oldPassword: '', password: '', passwordConfirm: '', removeApiTokens: false }

/** Changes the password; says which API tokens stay valid, since a thief may have made one. */
export function PasswordChange({ account }: { account: Me['account'] }) {
  const { api, auth, toast } = useApp()
  const kept = useSignal<readonly ApiToken[]>([])
  const form = useForm({
    initial: EMPTY,
    check: checkPasswords,
    async submit({ removeApiTokens, ...passwords }) {
      const before = auth.current.peek()
      if (!before) return
      const collection = `/api/collections/${before.record.collectionName}`
      const body = removeApiTokens ? { ...passwords, removeApiTokens } : passwords
      await api.patch(`${collection}/records/${account.id}`, body, v.unknown())
      // The change ended every login, this one too.
      const credentials = { identity: account.email, password: passwords.password }
      auth.set(await api.post(`${collection}/auth-with-password`, credentials, authSchema))
      kept.value = await api.get('/api/tokens?limit=100', apiTokens)
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
        <label class="check">
          <input
            type="checkbox"
            checked={form.values.value.removeApiTokens}
            onChange={({ currentTarget }) => form.set({ removeApiTokens: currentTarget.checked })}
          />
          Also delete my API tokens
        </label>
        {kept.value.length > 0 && <KeptTokens tokens={kept.value} />}
        <FormActions form={form} action="Change the password" secondary />
      </form>
    </Panel>
  )
}

function KeptTokens({ tokens }: { tokens: readonly ApiToken[] }) {
  const names = tokens.map(({ name, id }) => name || id).join(', ')
  return (
    <p class="notice" role="status">
      {sentence(formatNumberOf(tokens.length, 'API token'))} {tokens.length === 1 ? 'stays' : 'stay'} valid:{' '}
      {names}. <a href="/settings/tokens">Check them</a>
    </p>
  )
}
