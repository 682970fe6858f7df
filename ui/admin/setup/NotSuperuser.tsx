import { useApp } from '../../app/app.ts'
import { Heading } from '../../parts/Panel.tsx'

/** The admin UI for the account of a user: who is signed in, and the ways out. */
export function NotSuperuser() {
  const { account, signOut } = useApp()
  return (
    <div class="narrow">
      <Heading title="Only superusers may open this" />
      <p>
        You are signed in as <strong>{account.value?.email || 'a user'}</strong>, which may not administer the
        service.
      </p>
      <div class="actions away">
        <a class="button primary" href="/">
          Back to the dashboard
        </a>
        <button type="button" onClick={signOut}>
          Sign in as a superuser
        </button>
      </div>
    </div>
  )
}
