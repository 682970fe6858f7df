import { type Signal, signal } from '@preact/signals'
import * as v from 'valibot'
import { type Session, session as schema } from './model.ts'

const KEY = 'svc.session'

/** Who is signed in, kept in the browser's storage and shared by its tabs. */
export interface SessionStore {
  current: Signal<Session | undefined>
  set(session: Session | undefined): void
}

/** Reads the stored session and follows changes that other tabs make. */
export function createSession(): SessionStore {
  const current = signal(stored())
  window.addEventListener('storage', (event) => {
    if (event.key === KEY || event.key === null) current.value = stored()
  })
  return {
    current,
    set(session) {
      current.value = session
      try {
        if (session) localStorage.setItem(KEY, JSON.stringify(session))
        else localStorage.removeItem(KEY)
      } catch {
        // Without storage the session lasts until the page is left.
      }
    },
  }
}

function stored(): Session | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(localStorage.getItem(KEY) ?? 'null'))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

/** Whether an account administers the service. */
export function isSuperuser(session: Session | undefined): boolean {
  return session?.record.collectionName === '_superusers'
}
