import { type Signal, useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { UiConfig } from '../../api/model/config.ts'
import { useApp } from '../../app/app.ts'
import { safePath } from '../../app/route.ts'
import { PasswordLogin } from '../../parts/account/PasswordLogin.tsx'
import { Heading } from '../../parts/Panel.tsx'
import { Providers } from './Providers.tsx'

/** The login page; returns to the page that required it. */
export function Login() {
  const { router, config, sessionEndedMessage } = useApp()
  const { passwordLogin = true, oauth2 = [], allowSignup, hasSuperuser = true } = config.value.value ?? {}
  const asSuperuser = useSignal(false)
  // Read once: the address changes before this page has gone.
  const [next] = useState(() => safePath(router.search.peek().get('next')))

  const forUsers = passwordLogin || oauth2.length > 0
  const superuser = asSuperuser.value || !forUsers
  const withPassword = superuser || passwordLogin
  return (
    <div class="narrow stack close login">
      <Heading title={superuser && forUsers ? 'Sign in as a superuser' : 'Sign in'} />
      {sessionEndedMessage.value && <p class="notice tone-warn">{sessionEndedMessage.value}</p>}
      {!hasSuperuser && (
        <p class="notice">
          This server has no accounts yet. <a href="/_/">Set up the first superuser</a>
        </p>
      )}
      {!superuser && <UserProviders providers={oauth2} withPassword={withPassword} />}
      {withPassword && <PasswordLogin key={String(superuser)} superuser={superuser} />}
      <ul class="login-links">
        {!superuser && allowSignup && (
          <li>
            No account yet? <a href={`/login/sign-up?next=${encodeURIComponent(next)}`}>Create one</a>
          </li>
        )}
        {withPassword && (
          <li>
            <a href={superuser ? '/login/reset?superuser=1' : '/login/reset'}>Forgot your password?</a>
          </li>
        )}
        {forUsers && (
          <li>
            <OtherKind asSuperuser={asSuperuser} />
          </li>
        )}
      </ul>
    </div>
  )
}

interface UserProvidersProps {
  providers: UiConfig['oauth2']
  withPassword: boolean
}

function UserProviders({ providers, withPassword }: UserProvidersProps) {
  if (providers.length === 0) return null
  return (
    <>
      <Providers providers={providers} />
      {withPassword && <p class="divider">or with a password</p>}
    </>
  )
}

function OtherKind({ asSuperuser }: { asSuperuser: Signal<boolean> }) {
  return (
    <button type="button" class="link" onClick={() => (asSuperuser.value = !asSuperuser.value)}>
      {asSuperuser.value ? 'Sign in as a user' : 'Sign in as a superuser'}
    </button>
  )
}
