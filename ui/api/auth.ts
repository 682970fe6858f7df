import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { randomKey } from '../lib/random-key.ts'
import type { Api } from './api.ts'
import type { StreamLogin } from './live.ts'
import { type Auth, auth as schema } from './model/account.ts'

const KEY = 'svc.session'

/** The signed-in account and its token, stored in the browser and shared between tabs. */
export interface AuthStore {
  current: Signal<Auth | undefined>
  set(auth: Auth | undefined): void
}

/** Reads the stored session and follows changes that other tabs make. */
export function createAuthStore(): AuthStore {
  const current = signal(stored())
  window.addEventListener('storage', (event) => {
    if (event.key === KEY || event.key === null) current.value = stored()
  })
  return {
    current,
    set(granted) {
      const auth = granted && { ...granted, login: granted.login ?? randomKey() }
      current.value = auth
      try {
        if (auth) localStorage.setItem(KEY, JSON.stringify(auth))
        else localStorage.removeItem(KEY)
      } catch {
        // Without storage the session lasts until the page is left.
      }
    },
  }
}

function stored(): Auth | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(localStorage.getItem(KEY) ?? 'null'))
    return parsed.success ? { login: '', ...parsed.output } : undefined
  } catch {
    return undefined
  }
}

/**
 * Renews the token. The client signs out if the server rejects it; after other failures the old token stays
 * in use while it is valid.
 */
export async function renewLogin({ api, auth }: { api: Api; auth: AuthStore }): Promise<void> {
  const before = auth.current.peek()
  if (!before) return
  const path = `/api/collections/${before.record.collectionName}/auth-refresh`
  const renewed = await api.post(path, {}, schema).catch(() => undefined)
  if (renewed && auth.current.peek()?.token === before.token)
    auth.set({ ...renewed, login: before.login ?? '' })
}

/** The login as which a page joins the event stream. */
export function streamLoginOf(auth: Auth | undefined): StreamLogin {
  return { login: auth ? `${auth.record.id} ${auth.login ?? ''}` : 'guest', token: auth?.token }
}

/** Whether an account administers the service. */
export function isSuperuser(auth: Auth | undefined): boolean {
  return auth?.record.collectionName === '_superusers'
}
