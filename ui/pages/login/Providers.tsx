import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, asApiError } from '../../api/api.ts'
import { auth as schema } from '../../api/model/account.ts'
import { authorize } from '../../api/oauth2.ts'
import { useApp } from '../../app/app.ts'

interface ProvidersProps {
  providers: readonly { name: string; displayName: string }[]
  /** Begins the label of each button. */
  verb?: string
  /** Called instead of a login, when an account is linked. */
  linked?: () => void
}

/** One button per OAuth2 provider, each of which opens the login of the provider in a window. */
export function Providers({ providers, verb = 'Sign in with', linked }: ProvidersProps) {
  const { api, auth, named, sessionEndedMessage } = useApp()
  const busy = useSignal('')
  const error = useSignal<ApiError | undefined>(undefined)
  const attempt = useRef(new AbortController())
  useEffect(() => () => attempt.current.abort(), [])

  const signIn = async (provider: string) => {
    if (busy.peek()) return
    attempt.current = new AbortController()
    const { signal } = attempt.current
    busy.value = provider
    error.value = undefined
    try {
      const collection = named('users')
      const authorization = await authorize(api, { collection, provider, signal })
      const granted = await api.post(`/api/collections/${collection}/auth-with-oauth2`, authorization, schema)
      if (linked) return linked()
      sessionEndedMessage.value = ''
      auth.set(granted)
    } catch (failure) {
      if (!signal.aborted) error.value = asApiError(failure)
    } finally {
      busy.value = ''
    }
  }
  if (providers.length === 0) return null
  return (
    <div class="providers">
      {providers.map(({ name, displayName }) => (
        <button key={name} type="button" aria-disabled={busy.value !== ''} onClick={() => void signIn(name)}>
          {verb} {displayName}
        </button>
      ))}
      {busy.value && (
        <p class="soft" role="status">
          Finish the login in the other window.{' '}
          <button type="button" class="link" onClick={() => attempt.current.abort()}>
            Cancel
          </button>
        </p>
      )}
      {error.value && (
        <p class="field-error" role="alert">
          {error.value.message}
        </p>
      )}
    </div>
  )
}
