import { useSignal } from '@preact/signals'
import { useApp } from '../../app/app.ts'
import { FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { Heading } from '../../parts/Panel.tsx'

/** Requests the mail with the link to choose a new password; the server has the page of that link. */
export function ResetPassword() {
  const { api, named, router } = useApp()
  const collection = router.search.value.has('superuser') ? '_superusers' : named('users')
  const sentTo = useSignal('')
  const form = useForm({
    initial: { email: '' },
    async submit({ email }) {
      await api.send(`/api/collections/${collection}/request-password-reset`, { email })
      sentTo.value = email
    },
  })
  return (
    <div class="narrow stack close login">
      <Heading title="Forgot your password?" />
      {sentTo.value ? (
        <p class="notice" role="status">
          If an account has the address {sentTo.value}, a link to choose a new password is on its way. It is
          valid for a limited time. No mail? Ask an operator for a link.
        </p>
      ) : (
        <form class="panel form" onSubmit={form.submit}>
          <TextField form={form} name="email" label="E-mail" type="email" autocomplete="username" required />
          <FormActions form={form} action="Send a link" />
        </form>
      )}
      <ul class="login-links">
        <li>
          <a href="/login">Back to the login</a>
        </li>
      </ul>
    </div>
  )
}
