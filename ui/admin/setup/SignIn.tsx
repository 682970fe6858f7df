import { useApp } from '../../app/app.ts'
import { PasswordLogin } from '../../parts/account/PasswordLogin.tsx'
import { Heading } from '../../parts/Panel.tsx'

/** The login of superusers. It stays on the page that was asked for. */
export function SignIn({ notice }: { notice?: string }) {
  const { config, sessionEndedMessage } = useApp()
  return (
    <div class="narrow">
      <Heading title="Administration" lead={config.value.value?.name} />
      {notice && <p class="notice">{notice}</p>}
      {sessionEndedMessage.value && <p class="notice tone-warn">{sessionEndedMessage.value}</p>}
      <PasswordLogin superuser>
        <a href="/">Back to the dashboard</a>
      </PasswordLogin>
      <p class="hint">
        Only superusers sign in here. <code>svc superuser upsert EMAIL PASSWORD</code> creates one or replaces
        a forgotten password while the server is stopped.
      </p>
    </div>
  )
}
