import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api.ts'
import { auth as schema } from '../api/model.ts'
import { useApp } from '../app/app.ts'
import { safePath } from '../app/route.ts'
import { describedBy, Field } from '../parts/Field.tsx'
import { Heading } from '../parts/Heading.tsx'

const KINDS = [
  { collection: 'users', label: 'User' },
  { collection: '_superusers', label: 'Administrator' },
] as const

/** The login page; returns to the page that required it. */
export function Login() {
  const { api, router, auth, config, sessionEndedMessage } = useApp()
  const passwordLogin = config.value.value?.passwordLogin ?? true
  const kind = useSignal<(typeof KINDS)[number]['collection']>('users')
  const error = useSignal<ApiError | undefined>(undefined)
  const busy = useSignal(false)
  // Read once: the address changes before this page has gone.
  const [next] = useState(() => safePath(router.search.peek().get('next')))
  const signedIn = auth.current.value !== undefined

  useEffect(() => {
    if (signedIn) router.go(next, { replace: true })
  }, [signedIn])

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (busy.value || !(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    busy.value = true
    error.value = undefined
    try {
      const granted = await api.post(
        `/api/collections/${passwordLogin ? kind.value : '_superusers'}/auth-with-password`,
        { identity: form.get('identity'), password: form.get('password') },
        schema,
      )
      sessionEndedMessage.value = ''
      auth.set(granted)
    } catch (failure) {
      error.value = asApiError(failure)
    } finally {
      busy.value = false
    }
  }

  const fieldError = (name: string) => error.value?.fields[name]?.message
  return (
    <div class="narrow">
      <Heading title="Sign in" />
      {sessionEndedMessage.value && <p class="notice tone-warn">{sessionEndedMessage.value}</p>}
      {!passwordLogin && <p class="notice">Only administrators sign in with a password here.</p>}
      <form class="panel form" onSubmit={submit}>
        {passwordLogin && (
          <fieldset class="choice">
            <legend>Account</legend>
            {KINDS.map(({ collection, label }) => (
              <label key={collection}>
                <input
                  type="radio"
                  name="kind"
                  checked={kind.value === collection}
                  onChange={() => {
                    kind.value = collection
                  }}
                />
                {label}
              </label>
            ))}
          </fieldset>
        )}
        <Field id="identity" label="E-mail" error={fieldError('identity')}>
          <input
            id="identity"
            name="identity"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            required
            {...describedBy('identity', fieldError('identity'))}
          />
        </Field>
        <Field id="password" label="Password" error={fieldError('password')}>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            {...describedBy('password', fieldError('password'))}
          />
        </Field>
        <div role="alert">
          {error.value && Object.keys(error.value.fields).length === 0 && (
            <p class="field-error">{loginProblem(error.value)}</p>
          )}
        </div>
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={busy.value}>
            {busy.value ? 'Signing in' : 'Sign in'}
          </button>
        </div>
      </form>
    </div>
  )
}

/** The server deliberately does not say why a login failed; this text says what to check. */
function loginProblem(error: ApiError): string {
  return error.status === 400 ? 'The e-mail or the password is wrong.' : error.message
}
