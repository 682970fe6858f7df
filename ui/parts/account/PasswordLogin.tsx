import type { ComponentChildren } from 'preact'
import { ApiError } from '../../api/api.ts'
import { auth as schema } from '../../api/model/account.ts'
import { useApp } from '../../app/app.ts'
import { FormActions, TextField, useForm } from '../form/form.tsx'

interface PasswordLoginProps {
  superuser: boolean
  /** What stands beside the button. */
  children?: ComponentChildren
}

/** The form that logs in by password. */
export function PasswordLogin({ superuser, children }: PasswordLoginProps) {
  const { api, auth, named, sessionEndedMessage } = useApp()
  const form = useForm({
    initial: { identity: '', password: '' },
    async submit(values) {
      const collection = superuser ? '_superusers' : named('users')
      const path = `/api/collections/${collection}/auth-with-password`
      try {
        auth.set(await api.post(path, values, schema))
        sessionEndedMessage.value = ''
      } catch (failure) {
        throw explained(failure)
      }
    },
  })
  return (
    <form class="panel form" onSubmit={form.submit}>
      <TextField
        form={form}
        name="identity"
        label={superuser ? 'E-mail' : 'E-mail or user name'}
        autocomplete="username"
        required
      />
      <TextField
        form={form}
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        required
      />
      <FormActions form={form} action="Sign in" busy="Signing in">
        {children}
      </FormActions>
    </form>
  )
}

/** The server deliberately does not say why a login failed; this text says what to check. */
function explained(failure: unknown): unknown {
  const isRefusal =
    failure instanceof ApiError && failure.status === 400 && Object.keys(failure.fields).length === 0
  return isRefusal ? new ApiError(400, 'The e-mail or the password is wrong.') : failure
}
