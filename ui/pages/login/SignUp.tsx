import { useState } from 'preact/hooks'
import * as v from 'valibot'
import { auth as schema } from '../../api/model/account.ts'
import { useApp } from '../../app/app.ts'
import { safePath } from '../../app/route.ts'
import { checkPasswords, NewPassword } from '../../parts/account/NewPassword.tsx'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { Heading } from '../../parts/Panel.tsx'

/** Creates an account where the server allows that, and signs in. */
export function SignUp() {
  const { api, auth, config, named, router, toast } = useApp()
  const [next] = useState(() => safePath(router.search.peek().get('next')))
  const form = useForm({
    initial: { email: '', password: '', passwordConfirm: '' },
    check: checkPasswords,
    async submit({ email, password, passwordConfirm }) {
      const users = `/api/collections/${named('users')}`
      await api.post(`${users}/records`, { email, password, passwordConfirm }, v.unknown())
      auth.set(await api.post(`${users}/auth-with-password`, { identity: email, password }, schema))
      toast(`Your account was created. A link that verifies the address was sent to ${email}.`)
    },
  })
  if (config.value.value && !config.value.value.allowSignup) {
    return (
      <div class="narrow stack close login">
        <Heading title="Create an account" lead="Accounts on this server are created by its operators." />
        <a href="/login">Sign in</a>
      </div>
    )
  }
  return (
    <div class="narrow stack close login">
      <Heading
        title="Create an account"
        lead="A new account has no QPU time; request it after you have signed up."
      />
      <form class="panel form" onSubmit={form.submit}>
        <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
        <NewPassword form={form} />
        <FormActions form={form} action="Create the account" busy="Creating the account" />
      </form>
      <ul class="login-links">
        <li>
          Have an account? <a href={`/login?next=${encodeURIComponent(next)}`}>Sign in</a>
        </li>
      </ul>
    </div>
  )
}
