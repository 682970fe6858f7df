import { useEffect, useState } from 'preact/hooks'
import * as v from 'valibot'
import { auth as schema } from '../../api/model/account.ts'
import { useApp } from '../../app/app.ts'
import { checkPasswords, NewPassword } from '../../parts/account/NewPassword.tsx'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { Heading, Loaded } from '../../parts/Panel.tsx'
import { SignIn } from './SignIn.tsx'
import { tokenIn } from './token.ts'

const created = v.object({ id: v.string(), email: v.string() })

/** The set-up of a new server: the one-time link creates the first superuser, who is then signed in. */
export function Setup() {
  const { config } = useApp()
  const [token] = useState(() => tokenIn(location))
  useEffect(() => {
    // The token does not stay in the history of the browser.
    if (token !== '') history.replaceState(null, '', location.pathname)
  }, [])
  return (
    <Loaded of={config} task="check whether the server is set up" rows={3}>
      {({ hasSuperuser }) =>
        hasSuperuser ? (
          <SignIn notice="This server is already set up. Sign in as a superuser." />
        ) : token === '' ? (
          <NoToken />
        ) : (
          <FirstSuperuser token={token} />
        )
      }
    </Loaded>
  )
}

function FirstSuperuser({ token }: { token: string }) {
  const { api, auth, router, toast } = useApp()
  const form = useForm({
    initial: { email: '', password: '', passwordConfirm: '' },
    check: checkPasswords,
    async submit({ email, password }) {
      await api.post('/api/op/setup', { token, email, password }, created)
      const login = { identity: email, password }
      auth.set(await api.post('/api/collections/_superusers/auth-with-password', login, schema))
      router.go('/_/', { replace: true })
      toast('The first superuser was created')
    },
  })
  if (form.problem.value?.status === 403) return <NoToken isUsed />
  return (
    <div class="narrow">
      <Heading
        title="Create the first superuser"
        lead="It administers the service and creates all other accounts."
      />
      <form class="panel form" onSubmit={form.submit}>
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <NewPassword form={form} hint="At least 8 characters, and none of the common ones" />
        <FormActions form={form} action="Create the superuser" busy="Creating" />
      </form>
    </div>
  )
}

/** Without a valid token, the ways to get one. */
function NoToken({ isUsed = false }: { isUsed?: boolean }) {
  return (
    <div class="narrow">
      <Heading title={isUsed ? 'The setup link is used or has expired' : 'The setup link is incomplete'} />
      <p>
        The server prints a link when it starts without a superuser. It works once and for 30 minutes. Restart
        the server for a new one, or stop it and run
      </p>
      <p class="command">
        <code>svc superuser upsert EMAIL PASSWORD</code>
      </p>
      <a href="/_/">Sign in</a>
    </div>
  )
}
